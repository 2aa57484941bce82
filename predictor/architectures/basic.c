/* The paper's basic model (Sutskever et al. 2014): an LSTM reads the input sequence; a second one
 * starts from the first one's last state and writes the output sequence. */
#include "predictor/architectures/recurrent.h"

#include <string.h>

static const char *basic_check(const ht_network_settings *settings) {
    return settings->layers == 1 ? NULL : "this architecture has one layer";
}

static void basic_plan(ht_core *core) {
    ht_recurrent_plan_encoder(core);
    ht_recurrent_plan_decoder(core, 0, core->width);
    core->read_width = core->settings.hidden;
}

static void basic_init(const ht_core *core, ht_real *weights, ht_random *random) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_lstm_init(&plan->encoder, weights + plan->at_encoder, random);
    ht_lstm_init(&plan->decoder[0], weights + plan->at_decoder[0], random);
}

static void basic_layout(const ht_core *core, ht_pass *pass, ht_arena *arena) {
    ht_recurrent_pass *at = &pass->at.recurrent;
    ht_recurrent_layout_encoder(core, pass, arena);
    at->grad_memory =
        ht_arena_take(arena, core->input.positions * pass->rows * core->settings.hidden);
    at->cache[0] = ht_arena_take(
        arena, ht_lstm_cache(&core->plan.recurrent.decoder[0], core->output.steps, pass->rows));
}

static ht_lstm_run decoder_run(const ht_core *core, const ht_pass *pass) {
    const ht_recurrent_pass *at = &pass->at.recurrent;
    return (ht_lstm_run){.steps = core->output.steps,
                         .batch = pass->rows,
                         .stride = core->settings.hidden,
                         .x = pass->y,
                         .h0 = at->final_h,
                         .c0 = at->final_c,
                         .h = pass->read,
                         .cache = at->cache[0]};
}

static void basic_forward(const ht_core *core, const ht_real *weights, ht_pass *pass) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_encode(core, weights, pass);
    ht_lstm_run run = decoder_run(core, pass);
    ht_lstm_forward(&plan->decoder[0], weights + plan->at_decoder[0], &run);
}

static void basic_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                           ht_real *gradient) {
    const ht_recurrent_plan *plan = &core->plan.recurrent;
    ht_recurrent_pass *at = &pass->at.recurrent;
    size_t count = pass->rows * core->settings.hidden;
    memset(at->grad_final_h, 0, count * sizeof *at->grad_final_h);
    memset(at->grad_final_c, 0, count * sizeof *at->grad_final_c);
    memset(at->grad_memory, 0, core->input.positions * count * sizeof *at->grad_memory);
    ht_lstm_run run = decoder_run(core, pass);
    ht_lstm_backward(&plan->decoder[0], weights + plan->at_decoder[0], &run, pass->grad_read, NULL,
                     pass->grad_y, at->grad_final_h, at->grad_final_c,
                     gradient + plan->at_decoder[0]);
    ht_recurrent_encode_backward(core, weights, pass, at->grad_memory, gradient);
}

static void basic_asking_layout(const ht_core *core, ht_asking *asking, ht_arena *arena) {
    asking->memory = ht_arena_take(arena, core->input.positions * core->settings.hidden);
    asking->work[0] = ht_arena_take(arena, ht_recurrent_encoder_work(core));
    asking->work[1] = ht_arena_take(arena, asking->max_rows * 4 * core->settings.hidden);
}

static void basic_step(const ht_core *core, const ht_real *weights, ht_asking *asking) {
    const ht_lstm *decoder = &core->plan.recurrent.decoder[0];
    const ht_real *at = weights + core->plan.recurrent.at_decoder[0];
    size_t rows = asking->rows, hidden = core->settings.hidden;
    ht_lstm_part part = {0, core->width, asking->y, core->width};
    ht_lstm_inputs(decoder, at, rows, &part, false, asking->work[1]);
    ht_lstm_step(decoder, at, rows, asking->work[1], asking->state[0], asking->state[1],
                 asking->state[0], asking->state[1]);
    memcpy(asking->read, asking->state[0], rows * hidden * sizeof *asking->read);
}

const ht_architecture ht_architecture_basic = {.defaults = {.architecture = "basic",
                                                            .embedding = 96,
                                                            .hidden = 192,
                                                            .layers = 1,
                                                            .kernel = 3,
                                                            .heads = 4,
                                                            .dropout = 0.2F},
                                               .check = basic_check,
                                               .plan = basic_plan,
                                               .init = basic_init,
                                               .layout = basic_layout,
                                               .forward = basic_forward,
                                               .backward = basic_backward,
                                               .asking_layout = basic_asking_layout,
                                               .encode = ht_recurrent_ask_encoder,
                                               .step = basic_step};
