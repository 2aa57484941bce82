/* The paper's best model: a 1-D convolution (with ReLU) and a bidirectional LSTM encode, a layered
 * LSTM with attention decodes. The first layer's output asks (additive attention, Bahdanau et al.
 * 2015; asked from the lowest layer as in Wu et al. 2016, so that it knows the value chosen
 * before):
 *
 *   s1_t = LSTM1(y_t),  c_t = attend(s1_t),  s2_t = LSTM2([s1_t, c_t]), ...,  r_t = [s_t, c_t]
 *
 * All layers start from the encoder's last states. */
#include "predictor/architectures/recurrent.h"

#include <string.h>

static void hybrid_plan(ht_core *core) {
    ht_recurrent_plan *plan = &core->plan.recurrent;
    uint32_t hidden = core->settings.hidden;
    plan->conv = (ht_conv1d){core->width, core->width, core->settings.kernel};
    plan->at_conv = ht_core_take(core, ht_conv1d_weights(&plan->conv));
    plan->both = (ht_bilstm){core->width, hidden / 2};
    plan->at_encoder = ht_core_take(core, ht_bilstm_weights(&plan->both));
    plan->attention = (ht_attention){hidden, hidden, hidden};
    plan->at_attention = ht_core_take(core, ht_attention_weights(&plan->attention));
    for (uint32_t i = 0; i < core->settings.layers; i++)
        ht_recurrent_plan_decoder(core, i, i == 0 ? core->width : i == 1 ? 2 * hidden : hidden);
    core->read_width = 2 * hidden;
}

static void hybrid_init(const ht_core *core, ht_real *weights, ht_random *random) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_conv1d_init(&plan->conv, weights + plan->at_conv, random);
    ht_bilstm_init(&plan->both, weights + plan->at_encoder, random);
    ht_attention_init(&plan->attention, weights + plan->at_attention, random);
    for (uint32_t i = 0; i < core->settings.layers; i++)
        ht_lstm_init(&plan->decoder[i], weights + plan->at_decoder[i], random);
}

static void hybrid_layout(const ht_core *core, ht_pass *pass, ht_arena *arena) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t rows = pass->rows, positions = core->input.positions, steps = core->output.steps;
    size_t count = rows * core->settings.hidden;
    at->conv = ht_arena_take(arena, positions * rows * core->width);
    at->grad_conv = ht_arena_take(arena, positions * rows * core->width);
    at->encoded = ht_arena_take(arena, positions * count);
    at->final_h = ht_arena_take(arena, count);
    at->final_c = ht_arena_take(arena, count);
    at->grad_final_h = ht_arena_take(arena, count);
    at->grad_final_c = ht_arena_take(arena, count);
    at->encoder_cache = ht_arena_take(arena, ht_bilstm_cache(&plan->both, positions, rows));
    ht_recurrent_layout_attention(core, pass, arena);
    for (uint32_t i = 0; i < core->settings.layers; i++) {
        if (i > 0) {
            at->inputs[i] = ht_arena_take(arena, steps * rows * plan->decoder[i].inputs);
            at->grad_inputs[i] = ht_arena_take(arena, steps * rows * plan->decoder[i].inputs);
        }
        at->h[i] = ht_arena_take(arena, steps * count);
        at->grad_h[i] = ht_arena_take(arena, steps * count);
        at->cache[i] = ht_arena_take(arena, ht_lstm_cache(&plan->decoder[i], steps, rows));
    }
}

static ht_lstm_run layer_run(const ht_core *core, const ht_pass *pass, uint32_t layer) {
    const ht_recurrent_pass *at = &pass->at.recurrent;
    return (ht_lstm_run){.steps = core->output.steps,
                         .batch = pass->rows,
                         .stride = core->settings.hidden,
                         .x = layer == 0 ? pass->y : at->inputs[layer],
                         .h0 = at->final_h,
                         .c0 = at->final_c,
                         .h = at->h[layer],
                         .cache = at->cache[layer]};
}

static void encode_forward(const ht_core *core, const ht_real *weights, ht_pass *pass) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t positions = core->input.positions, rows = pass->rows;
    ht_conv1d_forward(&plan->conv, weights + plan->at_conv, positions, rows, pass->x, at->conv);
    ht_relu_forward(positions * rows * core->width, at->conv, at->conv);
    ht_bilstm_forward(&plan->both, weights + plan->at_encoder, positions, rows, at->conv,
                      at->encoded, at->final_h, at->final_c, at->encoder_cache);
    ht_recurrent_remember(core, weights, pass);
}

static void attend_forward(const ht_core *core, const ht_real *weights, ht_pass *pass) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t rows = pass->rows, hidden = core->settings.hidden;
    size_t cache = ht_attention_cache(&plan->attention, rows, core->input.positions);
    ht_attention_memory memory = ht_recurrent_memory(core, pass);
    for (size_t t = 0; t < core->output.steps; t++)
        ht_attention_forward(&plan->attention, weights + plan->at_attention, &memory, rows,
                             at->h[0] + t * rows * hidden, at->context + t * rows * hidden, hidden,
                             at->attention_cache + t * cache);
}

static void hybrid_forward(const ht_core *core, const ht_real *weights, ht_pass *pass) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t hidden = core->settings.hidden, places = core->output.steps * pass->rows;
    uint32_t layers = core->settings.layers;
    encode_forward(core, weights, pass);
    for (uint32_t i = 0; i < layers; i++) {
        if (i == 1)
            ht_recurrent_join(places, hidden, at->h[0], at->context, at->inputs[1]);
        ht_dropout dropout = ht_pass_dropout(pass, HT_PLACE_INPUTS + i);
        if (i > 0)
            ht_dropout_apply(&dropout, places * plan->decoder[i].inputs,
                             i == 1 ? at->inputs[1] : at->h[i - 1], at->inputs[i]);
        ht_lstm_run run = layer_run(core, pass, i);
        ht_lstm_forward(&plan->decoder[i], weights + plan->at_decoder[i], &run);
        if (i == 0)
            attend_forward(core, weights, pass);
    }
    ht_recurrent_join(places, hidden, at->h[layers - 1], at->context, pass->read);
}

static void attend_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                            ht_real *gradient) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t rows = pass->rows, hidden = core->settings.hidden;
    size_t cache = ht_attention_cache(&plan->attention, rows, core->input.positions);
    ht_attention_memory memory = ht_recurrent_memory(core, pass);
    for (size_t t = 0; t < core->output.steps; t++) {
        size_t first = t * rows * hidden;
        ht_attention_backward(&plan->attention, weights + plan->at_attention, &memory, rows,
                              at->h[0] + first, at->grad_context + first, hidden,
                              at->attention_cache + t * cache, at->grad_h[0] + first,
                              at->grad_memory, at->grad_keys, gradient + plan->at_attention);
    }
}

/* Goes back through the layers above the first, from the top; leaves grad_h[0] and grad_context. */
static void upper_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                           ht_real *gradient) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t hidden = core->settings.hidden, places = core->output.steps * pass->rows;
    for (uint32_t i = core->settings.layers - 1; i > 0; i--) {
        size_t inputs = plan->decoder[i].inputs;
        ht_lstm_run run = layer_run(core, pass, i);
        memset(at->grad_inputs[i], 0, places * inputs * sizeof *at->grad_inputs[i]);
        ht_lstm_backward(&plan->decoder[i], weights + plan->at_decoder[i], &run, at->grad_h[i],
                         NULL, at->grad_inputs[i], at->grad_final_h, at->grad_final_c,
                         gradient + plan->at_decoder[i]);
        ht_dropout dropout = ht_pass_dropout(pass, HT_PLACE_INPUTS + i);
        ht_dropout_apply(&dropout, places * inputs, at->grad_inputs[i], at->grad_inputs[i]);
        if (i > 1) {
            memcpy(at->grad_h[i - 1], at->grad_inputs[i],
                   places * hidden * sizeof *at->grad_inputs[i]);
            continue;
        }
        for (size_t r = 0; r < places; r++) {
            memcpy(at->grad_h[0] + r * hidden, at->grad_inputs[1] + 2 * r * hidden,
                   hidden * sizeof *at->grad_inputs[1]);
            ht_add(hidden, at->grad_inputs[1] + (2 * r + 1) * hidden,
                   at->grad_context + r * hidden);
        }
    }
}

static void encode_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                            ht_real *gradient) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t positions = core->input.positions, rows = pass->rows;
    size_t count = positions * rows * core->width;
    ht_recurrent_remember_backward(core, weights, pass, gradient);
    memset(at->grad_conv, 0, count * sizeof *at->grad_conv);
    ht_bilstm_backward(&plan->both, weights + plan->at_encoder, positions, rows, at->conv,
                       at->encoded, at->grad_memory, at->grad_final_h, at->grad_final_c,
                       at->grad_conv, gradient + plan->at_encoder, at->encoder_cache);
    ht_real *grad_sum = pass->mapped; /* not needed any more */
    memset(grad_sum, 0, count * sizeof *grad_sum);
    ht_relu_backward(count, at->conv, at->grad_conv, grad_sum);
    ht_conv1d_backward(&plan->conv, weights + plan->at_conv, positions, rows, pass->x, grad_sum,
                       pass->grad_x, gradient + plan->at_conv);
}

static void hybrid_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                            ht_real *gradient) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t rows = pass->rows, hidden = core->settings.hidden, count = rows * hidden;
    size_t positions = core->input.positions;
    memset(at->grad_final_h, 0, count * sizeof *at->grad_final_h);
    memset(at->grad_final_c, 0, count * sizeof *at->grad_final_c);
    memset(at->grad_memory, 0, positions * count * sizeof *at->grad_memory);
    memset(at->grad_keys, 0, positions * rows * plan->attention.width * sizeof *at->grad_keys);
    ht_recurrent_split(core->output.steps * rows, hidden, pass->grad_read,
                       at->grad_h[core->settings.layers - 1], at->grad_context);
    upper_backward(core, weights, pass, gradient);
    attend_backward(core, weights, pass, gradient);
    ht_lstm_run run = layer_run(core, pass, 0);
    ht_lstm_backward(&plan->decoder[0], weights + plan->at_decoder[0], &run, at->grad_h[0], NULL,
                     pass->grad_y, at->grad_final_h, at->grad_final_c,
                     gradient + plan->at_decoder[0]);
    encode_backward(core, weights, pass, gradient);
}

enum {
    WORK_ENCODER,
    WORK_GATES,
    WORK_CONTEXT,
    WORK_ATTENTION,
    WORK_CONV,
    WORK_FINAL_H,
    WORK_FINAL_C
};

static void hybrid_asking_layout(const ht_core *core, ht_asking *asking, ht_arena *arena) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    size_t places = core->input.positions, hidden = core->settings.hidden;
    size_t rows = asking->max_rows;
    asking->memory = ht_arena_take(arena, places * hidden);
    asking->keys = ht_arena_take(arena, places * plan->attention.width);
    asking->work[WORK_ENCODER] = ht_arena_take(arena, ht_bilstm_cache(&plan->both, places, 1));
    asking->work[WORK_GATES] = ht_arena_take(arena, rows * 4 * hidden);
    asking->work[WORK_CONTEXT] = ht_arena_take(arena, rows * hidden);
    asking->work[WORK_ATTENTION] =
        ht_arena_take(arena, ht_attention_cache(&plan->attention, rows, places));
    asking->work[WORK_CONV] = ht_arena_take(arena, places * core->width);
    asking->work[WORK_FINAL_H] = ht_arena_take(arena, hidden);
    asking->work[WORK_FINAL_C] = ht_arena_take(arena, hidden);
}

static ht_attention_memory asked_memory(const ht_core *core, const ht_asking *asking) {
    return (ht_attention_memory){core->input.positions, 1, asking->memory, asking->keys};
}

static void hybrid_encode(const ht_core *core, const ht_real *weights, ht_asking *asking) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    size_t places = core->input.positions, hidden = core->settings.hidden;
    ht_real *conv = asking->work[WORK_CONV];
    ht_real *final_h = asking->work[WORK_FINAL_H], *final_c = asking->work[WORK_FINAL_C];
    ht_conv1d_forward(&plan->conv, weights + plan->at_conv, places, 1, asking->x, conv);
    ht_relu_forward(places * core->width, conv, conv);
    ht_bilstm_forward(&plan->both, weights + plan->at_encoder, places, 1, conv, asking->memory,
                      final_h, final_c, asking->work[WORK_ENCODER]);
    ht_attention_memory memory = asked_memory(core, asking);
    ht_attention_keys(&plan->attention, weights + plan->at_attention, &memory);
    for (uint32_t i = 0; i < core->settings.layers; i++) {
        memcpy(asking->state[2 * i], final_h, hidden * sizeof *final_h);
        memcpy(asking->state[2 * i + 1], final_c, hidden * sizeof *final_c);
    }
}

static void hybrid_step(const ht_core *core, const ht_real *weights, ht_asking *asking) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    uint32_t hidden = core->settings.hidden, layers = core->settings.layers;
    size_t rows = asking->rows;
    ht_real *context = asking->work[WORK_CONTEXT], *gates = asking->work[WORK_GATES];
    ht_attention_memory memory = asked_memory(core, asking);
    for (uint32_t i = 0; i < layers; i++) {
        const ht_real *at = weights + plan->at_decoder[i];
        ht_lstm_part below = {0, i ? hidden : core->width,
                              i ? asking->state[2 * (i - 1)] : asking->y, i ? hidden : core->width};
        ht_lstm_inputs(&plan->decoder[i], at, rows, &below, false, gates);
        ht_lstm_part beside = {hidden, hidden, context, hidden};
        if (i == 1)
            ht_lstm_inputs(&plan->decoder[i], at, rows, &beside, true, gates);
        ht_lstm_step(&plan->decoder[i], at, rows, gates, asking->state[2 * i],
                     asking->state[2 * i + 1], asking->state[2 * i], asking->state[2 * i + 1]);
        if (i == 0)
            ht_attention_forward(&plan->attention, weights + plan->at_attention, &memory, rows,
                                 asking->state[0], context, hidden, asking->work[WORK_ATTENTION]);
    }
    ht_recurrent_join(rows, hidden, asking->state[2 * (layers - 1)], context, asking->read);
}

const ht_architecture ht_architecture_hybrid = {.defaults = {.architecture = "hybrid",
                                                             .embedding = 96,
                                                             .hidden = 192,
                                                             .layers = 2,
                                                             .kernel = 3,
                                                             .heads = 4,
                                                             .dropout = 0.2F},
                                                .plan = hybrid_plan,
                                                .init = hybrid_init,
                                                .layout = hybrid_layout,
                                                .forward = hybrid_forward,
                                                .backward = hybrid_backward,
                                                .asking_layout = hybrid_asking_layout,
                                                .encode = hybrid_encode,
                                                .step = hybrid_step};
