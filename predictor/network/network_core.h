/* The inside of a network: which layers it has, where their weights stand in its one array, and how
 * a few examples pass through it forward and backward. In ht_real: the gradient tests compile it
 * for double.
 *
 * Arrays over sequences are time-major, [place][row][width], so that one matrix product serves all
 * rows of a place, and all places where a layer allows it.
 *
 * All architectures share, in network_core.c: the input vectors x_p = sum of the embedding rows of
 * the place's identifiers + F_p f_p + b_p (each place has its own map of the features); the
 * decoder's input vectors y_t = S_t + E[value of step t-1], where each step has its own values
 * (y_0 = S_0); the logits of step t, r_t O_t + o_t, from what the architecture reads out, r; and
 * the cross-entropy. The architecture turns x and y into r. */
#ifndef HT_PREDICTOR_NETWORK_NETWORK_CORE_H
#define HT_PREDICTOR_NETWORK_NETWORK_CORE_H

#include "predictor/layers/activation.h"
#include "predictor/layers/attention.h"
#include "predictor/layers/bilstm.h"
#include "predictor/layers/conv1d.h"
#include "predictor/layers/dropout.h"
#include "predictor/layers/embedding.h"
#include "predictor/layers/feed_forward.h"
#include "predictor/layers/heads.h"
#include "predictor/layers/layer_norm.h"
#include "predictor/layers/loss.h"
#include "predictor/layers/positions.h"
#include "predictor/network/network.h"

enum { HT_LAYERS_MAX = 4, HT_STATE_PARTS = 2 * HT_LAYERS_MAX };

/* The layers of a recurrent network; those that it does not have are empty. at_X: where a layer's
 * weights start. */
typedef struct ht_recurrent_plan {
    ht_conv1d conv;
    ht_lstm encoder;
    ht_bilstm both;
    ht_attention attention;
    ht_lstm decoder[HT_LAYERS_MAX];
    size_t at_conv, at_encoder, at_attention, at_decoder[HT_LAYERS_MAX];
} ht_recurrent_plan;

/* One block of a transformer: normalise, attend to the own sequence; in the decoder normalise,
 * attend to the encoder's; normalise, feed forward. Each part is added to what comes in. */
typedef struct ht_block_plan {
    size_t at_norm_self, at_self, at_norm_cross, at_cross, at_norm_forward, at_forward;
} ht_block_plan;
typedef struct ht_transformer_plan {
    ht_layer_norm norm;
    ht_heads heads;
    ht_feed_forward forward;
    ht_block_plan encoder[HT_LAYERS_MAX], decoder[HT_LAYERS_MAX];
    size_t at_norm_memory, at_norm_read; /* after the last block of each */
} ht_transformer_plan;

typedef struct ht_core ht_core;
typedef struct ht_pass ht_pass;
typedef struct ht_asking ht_asking;

/* Hands out pieces of one block; without a block it counts what would be needed. */
typedef struct ht_arena {
    ht_real *base;
    size_t used;
} ht_arena;
ht_real *ht_arena_take(ht_arena *arena, size_t count);

/* The functions of an architecture. Buffers come from an arena, laid out by the same function for
 * counting and for use. */
typedef struct ht_architecture {
    ht_network_settings defaults; /* with the name */
    /* Returns the fault of the settings beyond their ranges; NULL when there is none. */
    const char *(*check)(const ht_network_settings *settings);
    /* Sets up plan, width, read_width, state; takes the weights by ht_core_take. */
    void (*plan)(ht_core *core);
    void (*init)(const ht_core *core, ht_real *weights, ht_random *random);
    /* Training: x and y of the pass to read; then grad_read to grad_x, grad_y (zeroed) and the
     * weights' gradient. */
    void (*layout)(const ht_core *core, ht_pass *pass, ht_arena *arena);
    void (*forward)(const ht_core *core, const ht_real *weights, ht_pass *pass);
    void (*backward)(const ht_core *core, const ht_real *weights, ht_pass *pass, ht_real *gradient);
    /* Decoding: x [positions][1][width] to the memory and the first state (one row); then y
     * [rows][width] to read [rows][read_width], state updated. */
    void (*asking_layout)(const ht_core *core, ht_asking *asking, ht_arena *arena);
    void (*encode)(const ht_core *core, const ht_real *weights, ht_asking *asking);
    void (*step)(const ht_core *core, const ht_real *weights, ht_asking *asking);
} ht_architecture;
/* NULL-terminated. */
extern const ht_architecture *const ht_architecture_all[];
extern const ht_architecture ht_architecture_basic, ht_architecture_attention,
    ht_architecture_hybrid, ht_architecture_transformer;

/* A piece of a decoder's state: [places][rows][width]. One that grows has as many places as steps
 * were made. */
typedef struct ht_state_part {
    uint32_t width;
    bool grows;
} ht_state_part;

struct ht_core {
    const ht_architecture *architecture;
    ht_network_settings settings;
    ht_input_shape input;
    ht_output_shape output;
    uint32_t width;      /* of x and y */
    uint32_t read_width; /* of r */
    ht_embedding tokens, values;
    ht_dense features;
    size_t at_tokens, at_features, at_values, at_output[HT_PARAM_MAX];
    union {
        ht_recurrent_plan recurrent;
        ht_transformer_plan transformer;
    } plan;
    size_t weight_count;
    ht_state_part state[HT_STATE_PARTS];
    size_t state_parts;
};

/* NULL when these settings and shapes make a network; else what is wrong with them. Weights stand
 * in the order: tokens, feature maps by place, steps and their values, the architecture's, output
 * by step. */
const char *ht_core_plan(const ht_network_settings *settings, const ht_input_shape *input,
                         const ht_output_shape *output, ht_core *out_core);
size_t ht_core_take(ht_core *core, size_t count);
void ht_core_init(const ht_core *core, ht_real *weights, ht_random *random);

/* Buffers of the recurrent architectures between forward and backward. */
typedef struct ht_recurrent_pass {
    ht_real *conv, *grad_conv;     /* [positions][rows][width], after ReLU */
    ht_real *encoded;              /* [positions][rows][hidden] */
    ht_real *memory, *grad_memory; /* dropout after it */
    ht_real *final_h, *final_c, *grad_final_h, *grad_final_c;
    ht_real *encoder_cache;
    ht_real *keys, *grad_keys;
    ht_real *context, *grad_context;                             /* [steps][rows][hidden] */
    ht_real *attention_cache;                                    /* for each step */
    ht_real *inputs[HT_LAYERS_MAX], *grad_inputs[HT_LAYERS_MAX]; /* after dropout */
    ht_real *h[HT_LAYERS_MAX], *grad_h[HT_LAYERS_MAX];           /* [steps][rows][hidden] */
    ht_real *cache[HT_LAYERS_MAX];
    ht_real *gates, *cells, *grad_cell; /* of a decoder that goes step by step */
} ht_recurrent_pass;

/* A branch of a block, out = in + dropout(f(norm(in))), between forward and backward. */
typedef struct ht_branch_pass {
    ht_real *normed, *norm_cache, *cache, *out;
} ht_branch_pass;
typedef struct ht_block_pass {
    ht_branch_pass self, cross, forward;
} ht_block_pass;
typedef struct ht_transformer_pass {
    ht_block_pass encoder[HT_LAYERS_MAX], decoder[HT_LAYERS_MAX];
    ht_real *memory, *grad_memory, *norm_memory, *norm_read;
    ht_real *grad, *grad_branch, *grad_normed; /* as long as the longer sequence */
} ht_transformer_pass;

/* Drops of a pass: the rates, 0 when not training, and the numbers that its random choices are
 * made of. */
typedef struct ht_pass_drop {
    uint64_t seed, batch, shard;
    float rate;
    float token_rate; /* of identifiers */
} ht_pass_drop;

/* The examples of a shard, places and steps first. */
typedef struct ht_gathered {
    uint32_t *ids;     /* [positions][rows][ids] */
    ht_real *features; /* [positions][rows][features]; in the arena */
    uint32_t *steps;   /* [steps][rows][2]: identifiers of y */
    uint16_t *targets; /* [rows][steps] */
    uint8_t *allowed;  /* [rows][total] */
    float *soft, *weights;
} ht_gathered;

/* One shard of a batch on its way through. */
struct ht_pass {
    size_t rows;
    ht_pass_drop drop;
    ht_gathered gathered;
    ht_real *x, *y, *mapped, *grad_x, *grad_y; /* mapped: features' share of x */
    ht_real *read, *dropped, *grad_read;       /* [steps][rows][read_width] */
    ht_real *logits, *grad_logits;             /* step t at first[t] * rows */
    union {
        ht_recurrent_pass recurrent;
        ht_transformer_pass transformer;
    } at;
    ht_arena arena;
};
ht_pass *ht_pass_new(const ht_core *core, size_t max_rows);
void ht_pass_free(ht_pass *pass);
/* The dropout of this pass at one place of the network. */
ht_dropout ht_pass_dropout(const ht_pass *pass, uint64_t place);

/* Some of the examples. */
typedef struct ht_shard {
    const ht_examples *examples;
    const uint32_t *rows; /* at most max_rows */
    size_t count;
    float smoothing;
} ht_shard;
/* The sum over the examples of weight * cross-entropy of all steps. `gradient` ([weight_count],
 * added to) NULL: only the loss. *hits is raised by the steps whose likeliest value is the target;
 * may be NULL. */
double ht_core_learn(const ht_core *core, const ht_real *weights, ht_pass *pass,
                     const ht_shard *shard, ht_real *gradient, size_t *hits);

/* One problem being answered. */
struct ht_asking {
    size_t max_rows, rows;
    uint32_t step;
    ht_real *x, *mapped, *features;
    uint32_t *identifiers; /* [max_rows][2] */
    ht_real *y, *read;
    ht_real *state[HT_STATE_PARTS], *spare[HT_STATE_PARTS];
    ht_real *memory, *keys, *work[8]; /* the architecture's */
    ht_arena arena;
};
ht_asking *ht_asking_new(const ht_core *core, size_t max_rows);
void ht_asking_free(ht_asking *asking);
void ht_asking_start(const ht_core *core, const ht_real *weights, ht_asking *asking,
                     const uint32_t *ids, const float *features);
/* As ht_decoder_step; out_logits [rows][values[t]]. */
void ht_asking_step(const ht_core *core, const ht_real *weights, ht_asking *asking, size_t rows,
                    const uint32_t *parents, const uint16_t *tokens, ht_real *out_logits);

#endif
