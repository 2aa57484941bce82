/* The basic model with the attention of Bahdanau et al. 2015: before each step the decoder's state
 * asks the encoder's outputs, and the answer (the context) is a part of the step's input:
 *
 *   c_t = attend(s_{t-1}),  s_t = LSTM([y_t, c_t], s_{t-1}),  r_t = [s_t, c_t]
 */
#include "predictor/architectures/recurrent.h"

#include <string.h>

static const char *attention_check(const ht_network_settings *settings) {
    return settings->layers == 1 ? NULL : "this architecture has one layer";
}

static void attention_plan(ht_core *core) {
    ht_recurrent_plan *plan = &core->plan.recurrent;
    uint32_t hidden = core->settings.hidden;
    ht_recurrent_plan_encoder(core);
    plan->attention = (ht_attention){hidden, hidden, hidden};
    plan->at_attention = ht_core_take(core, ht_attention_weights(&plan->attention));
    ht_recurrent_plan_decoder(core, 0, core->width + hidden);
    core->read_width = 2 * hidden;
}

static void attention_init(const ht_core *core, ht_real *weights, ht_random *random) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_lstm_init(&plan->encoder, weights + plan->at_encoder, random);
    ht_attention_init(&plan->attention, weights + plan->at_attention, random);
    ht_lstm_init(&plan->decoder[0], weights + plan->at_decoder[0], random);
}

/* h and cells have one place more than there are steps: the first is the state before step 0. */
static void attention_layout(const ht_core *core, ht_pass *pass, ht_arena *arena) {
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t steps = core->output.steps, count = pass->rows * core->settings.hidden;
    ht_recurrent_layout_encoder(core, pass, arena);
    ht_recurrent_layout_attention(core, pass, arena);
    at->h[0] = ht_arena_take(arena, (steps + 1) * count);
    at->grad_h[0] = ht_arena_take(arena, (steps + 1) * count);
    at->cells = ht_arena_take(arena, (steps + 1) * count);
    at->grad_cell = ht_arena_take(arena, count);
    at->gates = ht_arena_take(arena, steps * 4 * count);
}

static ht_lstm_part input_part(const ht_core *core, const ht_pass *pass) {
    return (ht_lstm_part){0, core->width, pass->y, core->width};
}

static ht_lstm_part context_part(const ht_core *core, const ht_real *context) {
    uint32_t hidden = core->settings.hidden;
    return (ht_lstm_part){core->width, hidden, context, hidden};
}

static void attention_forward(const ht_core *core, const ht_real *weights, ht_pass *pass) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    const ht_real *decoder = weights + plan->at_decoder[0];
    size_t rows = pass->rows, steps = core->output.steps, hidden = core->settings.hidden;
    size_t count = rows * hidden, places = core->input.positions;
    size_t cache = ht_attention_cache(&plan->attention, rows, places);
    ht_recurrent_encode(core, weights, pass);
    ht_recurrent_remember(core, weights, pass);
    ht_attention_memory memory = ht_recurrent_memory(core, pass);
    memcpy(at->h[0], at->final_h, count * sizeof *at->final_h);
    memcpy(at->cells, at->final_c, count * sizeof *at->final_c);
    ht_lstm_part input = input_part(core, pass);
    ht_lstm_inputs(&plan->decoder[0], decoder, steps * rows, &input, false, at->gates);
    for (size_t t = 0; t < steps; t++) {
        const ht_real *before = at->h[0] + t * count;
        ht_real *context = at->context + t * count, *gates = at->gates + t * 4 * count;
        ht_attention_forward(&plan->attention, weights + plan->at_attention, &memory, rows, before,
                             context, hidden, at->attention_cache + t * cache);
        ht_lstm_part part = context_part(core, context);
        ht_lstm_inputs(&plan->decoder[0], decoder, rows, &part, true, gates);
        ht_lstm_step(&plan->decoder[0], decoder, rows, gates, before, at->cells + t * count,
                     at->h[0] + (t + 1) * count, at->cells + (t + 1) * count);
    }
    ht_recurrent_join(steps * rows, hidden, at->h[0] + count, at->context, pass->read);
}

static void steps_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                           ht_real *gradient) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t rows = pass->rows, hidden = core->settings.hidden, count = rows * hidden;
    size_t cache = ht_attention_cache(&plan->attention, rows, core->input.positions);
    ht_attention_memory memory = ht_recurrent_memory(core, pass);
    for (size_t t = core->output.steps; t-- > 0;) {
        ht_real *gates = at->gates + t * 4 * count, *grad_before = at->grad_h[0] + t * count;
        ht_real *grad_context = at->grad_context + t * count;
        ht_lstm_part part = context_part(core, at->context + t * count);
        ht_lstm_step_backward(&plan->decoder[0], weights + plan->at_decoder[0], rows, gates,
                              at->cells + t * count, at->cells + (t + 1) * count,
                              at->grad_h[0] + (t + 1) * count, at->grad_cell, grad_before);
        ht_lstm_inputs_backward(&plan->decoder[0], weights + plan->at_decoder[0], rows, &part,
                                gates, grad_context, gradient + plan->at_decoder[0]);
        ht_attention_backward(&plan->attention, weights + plan->at_attention, &memory, rows,
                              at->h[0] + t * count, grad_context, hidden,
                              at->attention_cache + t * cache, grad_before, at->grad_memory,
                              at->grad_keys, gradient + plan->at_attention);
    }
}

static void attention_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                               ht_real *gradient) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t rows = pass->rows, steps = core->output.steps, hidden = core->settings.hidden;
    size_t count = rows * hidden, places = core->input.positions;
    ht_recurrent_split(steps * rows, hidden, pass->grad_read, at->grad_h[0] + count,
                       at->grad_context);
    memset(at->grad_h[0], 0, count * sizeof *at->grad_h[0]);
    memset(at->grad_cell, 0, count * sizeof *at->grad_cell);
    memset(at->grad_memory, 0, places * count * sizeof *at->grad_memory);
    memset(at->grad_keys, 0, places * rows * plan->attention.width * sizeof *at->grad_keys);
    steps_backward(core, weights, pass, gradient);
    ht_lstm_part input = input_part(core, pass);
    ht_lstm_inputs_backward(&plan->decoder[0], weights + plan->at_decoder[0], steps * rows, &input,
                            at->gates, pass->grad_y, gradient + plan->at_decoder[0]);
    ht_lstm_states_backward(&plan->decoder[0], steps * rows, at->h[0], at->gates,
                            gradient + plan->at_decoder[0]);
    memcpy(at->grad_final_h, at->grad_h[0], count * sizeof *at->grad_final_h);
    memcpy(at->grad_final_c, at->grad_cell, count * sizeof *at->grad_final_c);
    ht_recurrent_remember_backward(core, weights, pass, gradient);
    ht_recurrent_encode_backward(core, weights, pass, at->grad_memory, gradient);
}

enum { WORK_ENCODER, WORK_GATES, WORK_CONTEXT, WORK_ATTENTION };

static void attention_asking_layout(const ht_core *core, ht_asking *asking, ht_arena *arena) {
    const ht_attention *attention = &core->plan.recurrent.attention;
    size_t places = core->input.positions, hidden = core->settings.hidden;
    asking->memory = ht_arena_take(arena, places * hidden);
    asking->keys = ht_arena_take(arena, places * attention->width);
    asking->work[WORK_ENCODER] = ht_arena_take(arena, ht_recurrent_encoder_work(core));
    asking->work[WORK_GATES] = ht_arena_take(arena, asking->max_rows * 4 * hidden);
    asking->work[WORK_CONTEXT] = ht_arena_take(arena, asking->max_rows * hidden);
    asking->work[WORK_ATTENTION] =
        ht_arena_take(arena, ht_attention_cache(attention, asking->max_rows, places));
}

static ht_attention_memory asked_memory(const ht_core *core, const ht_asking *asking) {
    return (ht_attention_memory){core->input.positions, 1, asking->memory, asking->keys};
}

static void attention_encode(const ht_core *core, const ht_real *weights, ht_asking *asking) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_ask_encoder(core, weights, asking);
    ht_attention_memory memory = asked_memory(core, asking);
    ht_attention_keys(&plan->attention, weights + plan->at_attention, &memory);
}

static void attention_step(const ht_core *core, const ht_real *weights, ht_asking *asking) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    const ht_real *decoder = weights + plan->at_decoder[0];
    size_t rows = asking->rows, hidden = core->settings.hidden;
    ht_real *context = asking->work[WORK_CONTEXT], *gates = asking->work[WORK_GATES];
    ht_attention_memory memory = asked_memory(core, asking);
    ht_attention_forward(&plan->attention, weights + plan->at_attention, &memory, rows,
                         asking->state[0], context, hidden, asking->work[WORK_ATTENTION]);
    ht_lstm_part input = {0, core->width, asking->y, core->width};
    ht_lstm_part part = context_part(core, context);
    ht_lstm_inputs(&plan->decoder[0], decoder, rows, &input, false, gates);
    ht_lstm_inputs(&plan->decoder[0], decoder, rows, &part, true, gates);
    ht_lstm_step(&plan->decoder[0], decoder, rows, gates, asking->state[0], asking->state[1],
                 asking->state[0], asking->state[1]);
    ht_recurrent_join(rows, hidden, asking->state[0], context, asking->read);
}

const ht_architecture ht_architecture_attention = {.defaults = {.architecture = "attention",
                                                                .embedding = 96,
                                                                .hidden = 192,
                                                                .layers = 1,
                                                                .kernel = 3,
                                                                .heads = 4,
                                                                .dropout = 0.2F},
                                                   .check = attention_check,
                                                   .plan = attention_plan,
                                                   .init = attention_init,
                                                   .layout = attention_layout,
                                                   .forward = attention_forward,
                                                   .backward = attention_backward,
                                                   .asking_layout = attention_asking_layout,
                                                   .encode = attention_encode,
                                                   .step = attention_step};
