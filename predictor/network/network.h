/* A sequence-to-sequence network: made from a named architecture, trained on examples, asked step
 * by step. Several networks over the same shapes form an ensemble (predictor.h).
 *
 * Architectures (arXiv 2404.10162, section 4): "basic" LSTM encoder and decoder; "attention" the
 * same with Bahdanau attention; "hybrid" 1-D convolution and bidirectional LSTM encoder, attention,
 * layered LSTM decoder; "transformer" (the paper's third open question), a small encoder-decoder.
 */
#ifndef HT_PREDICTOR_NETWORK_NETWORK_H
#define HT_PREDICTOR_NETWORK_NETWORK_H

#include "base/error.h"
#include "predictor/schema/shape.h"

#include <stdbool.h>

typedef struct ht_network ht_network; /* weights; read by many threads once trained */

typedef struct ht_network_settings {
    char architecture[16];
    uint32_t embedding; /* width of an input vector */
    uint32_t hidden; /* width of the decoder's state; of both directions together in a bidirectional
                        encoder */
    uint32_t layers; /* of the decoder (hybrid), of both stacks (transformer) */
    uint32_t kernel; /* of the convolution */
    uint32_t heads;  /* of the transformer */
    float dropout;
} ht_network_settings;

/* The defaults of an architecture; an unknown name is an error that lists the known ones. */
ht_status ht_network_defaults(const char *architecture, ht_network_settings *out_settings,
                              ht_error *error);
/* NULL-terminated. */
const char *const *ht_network_architectures(void);

/* Fresh random weights. */
ht_status ht_network_create(const ht_network_settings *settings, const ht_input_shape *input,
                            const ht_output_shape *output, uint64_t seed, ht_network **out_network,
                            ht_error *error);
void ht_network_free(ht_network *network);
const ht_network_settings *ht_network_settings_of(const ht_network *network);
const ht_input_shape *ht_network_input(const ht_network *network);
const ht_output_shape *ht_network_output(const ht_network *network);

/* All weights as one array in a documented order; the count depends on settings and shapes alone.
 */
size_t ht_network_weight_count(const ht_network *network);
const float *ht_network_weights(const ht_network *network);
/* A network on weights that the caller keeps alive and unchanged (a mapped file). */
ht_status ht_network_open(const ht_network_settings *settings, const ht_input_shape *input,
                          const ht_output_shape *output, const float *weights, size_t weight_count,
                          ht_network **out_network, ht_error *error);

/* Asking: one problem, several partial answers (the rows of a beam) side by side. Not thread-safe;
 * one per thread. Rows are results of the step before, so a beam can drop, keep and copy them. */
typedef struct ht_decoder ht_decoder;
ht_decoder *ht_decoder_new(const ht_network *network, size_t max_rows);
void ht_decoder_free(ht_decoder *decoder);
/* Encodes one problem ([positions][ids], [positions][features]); the next step is step 0 with one
 * row. */
void ht_decoder_start(ht_decoder *decoder, const uint32_t *ids, const float *features);
/* The next step t. Row r continues row parents[r] of the step before, which was given the token
 * tokens[r] at step t-1 (both ignored at step 0, where rows must be 1). `out_logits` is
 * [rows][values[t]], not normalised. */
void ht_decoder_step(ht_decoder *decoder, size_t rows, const uint32_t *parents,
                     const uint16_t *tokens, float *out_logits);

#endif
