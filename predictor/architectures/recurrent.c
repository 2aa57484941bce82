#include "predictor/architectures/recurrent.h"

#include <string.h>

void ht_recurrent_plan_encoder(ht_core *core) {
    ht_recurrent_plan *plan = &core->plan.recurrent;
    plan->encoder = (ht_lstm){core->width, core->settings.hidden};
    plan->at_encoder = ht_core_take(core, ht_lstm_weights(&plan->encoder));
}

void ht_recurrent_plan_decoder(ht_core *core, uint32_t layer, uint32_t inputs) {
    ht_recurrent_plan *plan = &core->plan.recurrent;
    uint32_t hidden = core->settings.hidden;
    plan->decoder[layer] = (ht_lstm){inputs, hidden};
    plan->at_decoder[layer] = ht_core_take(core, ht_lstm_weights(&plan->decoder[layer]));
    core->state[core->state_parts++] = (ht_state_part){hidden, false};
    core->state[core->state_parts++] = (ht_state_part){hidden, false};
}

void ht_recurrent_layout_encoder(const ht_core *core, ht_pass *pass, ht_arena *arena) {
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t hidden = core->settings.hidden, positions = core->input.positions, rows = pass->rows;
    at->encoded = ht_arena_take(arena, positions * rows * hidden);
    at->final_h = ht_arena_take(arena, rows * hidden);
    at->final_c = ht_arena_take(arena, rows * hidden);
    at->grad_final_h = ht_arena_take(arena, rows * hidden);
    at->grad_final_c = ht_arena_take(arena, rows * hidden);
    at->encoder_cache =
        ht_arena_take(arena, ht_lstm_cache(&core->plan.recurrent.encoder, positions, rows));
}

static ht_lstm_run encoder_run(const ht_core *core, const ht_pass *pass) {
    const ht_recurrent_pass *at = &pass->at.recurrent;
    return (ht_lstm_run){.steps = core->input.positions,
                         .batch = pass->rows,
                         .stride = core->settings.hidden,
                         .x = pass->x,
                         .h = at->encoded,
                         .cache = at->encoder_cache};
}

void ht_recurrent_encode(const ht_core *core, const ht_real *weights, ht_pass *pass) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    ht_lstm_run run = encoder_run(core, pass);
    size_t count = pass->rows * core->settings.hidden;
    ht_lstm_forward(&plan->encoder, weights + plan->at_encoder, &run);
    memcpy(at->final_h, at->encoded + (core->input.positions - 1) * count,
           count * sizeof *at->final_h);
    memcpy(at->final_c, ht_lstm_final_cell(&plan->encoder, &run), count * sizeof *at->final_c);
}

void ht_recurrent_encode_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                                  ht_real *grad_encoded, ht_real *gradient) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    ht_lstm_run run = encoder_run(core, pass);
    size_t count = pass->rows * core->settings.hidden;
    ht_add(count, at->grad_final_h, grad_encoded + (core->input.positions - 1) * count);
    ht_lstm_backward(&plan->encoder, weights + plan->at_encoder, &run, grad_encoded,
                     at->grad_final_c, pass->grad_x, NULL, NULL, gradient + plan->at_encoder);
}

size_t ht_recurrent_encoder_work(const ht_core *core) {
    return ht_lstm_cache(&core->plan.recurrent.encoder, core->input.positions, 1);
}

void ht_recurrent_ask_encoder(const ht_core *core, const ht_real *weights, ht_asking *asking) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    size_t hidden = core->settings.hidden;
    ht_lstm_run run = {.steps = core->input.positions,
                       .batch = 1,
                       .stride = hidden,
                       .x = asking->x,
                       .h = asking->memory,
                       .cache = asking->work[0]};
    ht_lstm_forward(&plan->encoder, weights + plan->at_encoder, &run);
    memcpy(asking->state[0], asking->memory + (run.steps - 1) * hidden,
           hidden * sizeof *asking->memory);
    memcpy(asking->state[1], ht_lstm_final_cell(&plan->encoder, &run),
           hidden * sizeof *asking->memory);
}

void ht_recurrent_join(size_t rows, size_t width, const ht_real *left, const ht_real *right,
                       ht_real *wide) {
    for (size_t r = 0; r < rows; r++) {
        memcpy(wide + 2 * r * width, left + r * width, width * sizeof *wide);
        memcpy(wide + (2 * r + 1) * width, right + r * width, width * sizeof *wide);
    }
}

void ht_recurrent_split(size_t rows, size_t width, const ht_real *wide, ht_real *left,
                        ht_real *right) {
    for (size_t r = 0; r < rows; r++) {
        memcpy(left + r * width, wide + 2 * r * width, width * sizeof *wide);
        memcpy(right + r * width, wide + (2 * r + 1) * width, width * sizeof *wide);
    }
}

void ht_recurrent_layout_attention(const ht_core *core, ht_pass *pass, ht_arena *arena) {
    const ht_attention *attention = &core->plan.recurrent.attention;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t rows = pass->rows, hidden = core->settings.hidden, positions = core->input.positions;
    size_t steps = core->output.steps;
    at->memory = ht_arena_take(arena, positions * rows * hidden);
    at->grad_memory = ht_arena_take(arena, positions * rows * hidden);
    at->keys = ht_arena_take(arena, positions * rows * attention->width);
    at->grad_keys = ht_arena_take(arena, positions * rows * attention->width);
    at->context = ht_arena_take(arena, steps * rows * hidden);
    at->grad_context = ht_arena_take(arena, steps * rows * hidden);
    at->attention_cache =
        ht_arena_take(arena, steps * ht_attention_cache(attention, rows, positions));
}

ht_attention_memory ht_recurrent_memory(const ht_core *core, const ht_pass *pass) {
    const ht_recurrent_pass *at = &pass->at.recurrent;
    return (ht_attention_memory){.places = core->input.positions,
                                 .rows = pass->rows,
                                 .memory = at->memory,
                                 .keys = at->keys};
}

void ht_recurrent_remember(const ht_core *core, const ht_real *weights, ht_pass *pass) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    ht_dropout dropout = ht_pass_dropout(pass, HT_PLACE_MEMORY);
    ht_dropout_apply(&dropout, core->input.positions * pass->rows * core->settings.hidden,
                     at->encoded, at->memory);
    ht_attention_memory memory = ht_recurrent_memory(core, pass);
    ht_attention_keys(&plan->attention, weights + plan->at_attention, &memory);
}

void ht_recurrent_remember_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                                    ht_real *gradient) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    ht_attention_memory memory = ht_recurrent_memory(core, pass);
    ht_attention_keys_backward(&plan->attention, weights + plan->at_attention, &memory,
                               at->grad_keys, at->grad_memory, gradient + plan->at_attention);
    ht_dropout dropout = ht_pass_dropout(pass, HT_PLACE_MEMORY);
    ht_dropout_apply(&dropout, core->input.positions * pass->rows * core->settings.hidden,
                     at->grad_memory, at->grad_memory);
}
