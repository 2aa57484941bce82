/* A shard of a batch forward and backward. */
#include "predictor/network/network_core.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_X = 0, PLACE_Y = 1, PLACE_READ = 2, PLACE_TOKENS = 3 };

/* Lays out what the shard's `rows` need. */
static void layout(const ht_core *core, ht_pass *pass) {
    size_t rows = pass->rows, places = core->input.positions * rows;
    size_t steps = core->output.steps * rows;
    ht_arena *arena = &pass->arena;
    arena->used = 0;
    pass->gathered.features = ht_arena_take(arena, places * core->input.features);
    pass->mapped = ht_arena_take(arena, places * core->width);
    pass->x = ht_arena_take(arena, places * core->width);
    pass->y = ht_arena_take(arena, steps * core->width);
    pass->grad_x = ht_arena_take(arena, places * core->width);
    pass->grad_y = ht_arena_take(arena, steps * core->width);
    pass->read = ht_arena_take(arena, steps * core->read_width);
    pass->dropped = ht_arena_take(arena, steps * core->read_width);
    pass->grad_read = ht_arena_take(arena, steps * core->read_width);
    pass->logits = ht_arena_take(arena, rows * core->output.total);
    pass->grad_logits = ht_arena_take(arena, rows * core->output.total);
    core->architecture->layout(core, pass, arena);
}

ht_pass *ht_pass_new(const ht_core *core, size_t max_rows) {
    ht_pass *pass = ht_alloc(1, sizeof *pass);
    size_t steps = core->output.steps, total = core->output.total;
    pass->rows = max_rows;
    layout(core, pass);
    ht_gathered *gathered = &pass->gathered;
    pass->arena.base = ht_alloc(pass->arena.used + 1, sizeof *pass->arena.base);
    gathered->ids =
        ht_alloc(core->input.positions * max_rows * core->input.ids + 1, sizeof *gathered->ids);
    gathered->steps = ht_alloc(steps * max_rows * 2 + 1, sizeof *gathered->steps);
    gathered->targets = ht_alloc(max_rows * steps + 1, sizeof *gathered->targets);
    gathered->allowed = ht_alloc(max_rows * total + 1, sizeof *gathered->allowed);
    gathered->soft = ht_alloc(max_rows * total + 1, sizeof *gathered->soft);
    gathered->weights = ht_alloc(max_rows + 1, sizeof *gathered->weights);
    return pass;
}

void ht_pass_free(ht_pass *pass) {
    if (!pass)
        return;
    ht_gathered *gathered = &pass->gathered;
    free(pass->arena.base);
    free(gathered->ids);
    free(gathered->steps);
    free(gathered->targets);
    free(gathered->allowed);
    free(gathered->soft);
    free(gathered->weights);
    free(pass);
}

static uint64_t drop_key(const ht_pass_drop *drop, uint64_t place) {
    return ht_dropout_key(drop->seed, drop->batch, drop->shard, place);
}

ht_dropout ht_pass_dropout(const ht_pass *pass, uint64_t place) {
    return (ht_dropout){.rate = pass->drop.rate, .key = drop_key(&pass->drop, place)};
}

static void drop(const ht_pass *pass, uint64_t place, size_t count, ht_real *values) {
    ht_dropout dropout = ht_pass_dropout(pass, place);
    if (dropout.rate > 0)
        ht_dropout_apply(&dropout, count, values, values);
}

/* Gathers the inputs of the shard's examples, places first. */
static void gather_inputs(const ht_core *core, ht_pass *pass, const ht_shard *shard) {
    ht_gathered *gathered = &pass->gathered;
    const ht_examples *examples = shard->examples;
    size_t positions = core->input.positions, ids = core->input.ids;
    size_t features = core->input.features;
    for (size_t p = 0; p < positions; p++)
        for (size_t r = 0; r < shard->count; r++) {
            size_t input = examples->inputs ? examples->inputs[shard->rows[r]] : shard->rows[r];
            size_t from = input * positions + p, to = p * shard->count + r;
            if (ids)
                memcpy(gathered->ids + to * ids, examples->ids + from * ids,
                       ids * sizeof *gathered->ids);
            for (size_t f = 0; f < features; f++)
                gathered->features[to * features + f] = examples->features[from * features + f];
        }
}

/* Hides some of the identifiers: 0 stands for none. */
static void hide_tokens(const ht_core *core, ht_pass *pass) {
    ht_random random;
    size_t count = core->input.positions * pass->rows * core->input.ids;
    ht_random_seed(&random, drop_key(&pass->drop, PLACE_TOKENS));
    const uint64_t bound = (uint64_t)((double)pass->drop.token_rate * 0x1p16);
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++, bits >>= 16) {
        if (i % 4 == 0)
            bits = ht_random_next(&random);
        if ((bits & 0xffff) < bound)
            pass->gathered.ids[i] = 0;
    }
}

/* Gathers the identifiers of the decoder's inputs: the step, and the value of the step before. */
static void gather_steps(const ht_core *core, ht_pass *pass) {
    size_t rows = pass->rows, steps = core->output.steps;
    for (size_t t = 0; t < steps; t++)
        for (size_t r = 0; r < rows; r++) {
            uint32_t *to = pass->gathered.steps + (t * rows + r) * 2;
            to[0] = (uint32_t)(1 + t);
            to[1] = t ? (uint32_t)(1 + steps + core->output.first[t - 1] +
                                   pass->gathered.targets[r * steps + t - 1])
                      : 0;
        }
}

static void gather_labels(const ht_core *core, ht_pass *pass, const ht_shard *shard) {
    ht_gathered *gathered = &pass->gathered;
    const ht_examples *examples = shard->examples;
    size_t steps = core->output.steps, total = core->output.total;
    for (size_t r = 0; r < shard->count; r++) {
        size_t from = shard->rows[r];
        memcpy(gathered->targets + r * steps, examples->targets + from * steps,
               steps * sizeof *gathered->targets);
        if (examples->allowed)
            memcpy(gathered->allowed + r * total, examples->allowed + from * total, total);
        if (examples->soft)
            memcpy(gathered->soft + r * total, examples->soft + from * total,
                   total * sizeof *gathered->soft);
        gathered->weights[r] = examples->weights ? examples->weights[from] : 1;
    }
}

/* Looks up x and y. */
static void vectors_forward(const ht_core *core, const ht_real *weights, ht_pass *pass) {
    ht_gathered *gathered = &pass->gathered;
    size_t rows = pass->rows, places = core->input.positions * rows;
    size_t steps = core->output.steps * rows;
    ht_embedding_forward(&core->tokens, weights + core->at_tokens, places, gathered->ids, pass->x);
    if (core->input.features) {
        size_t map = ht_dense_weights(&core->features);
        for (size_t p = 0; p < core->input.positions; p++)
            ht_dense_forward(&core->features, weights + core->at_features + p * map, rows,
                             gathered->features + p * rows * core->input.features,
                             pass->mapped + p * rows * core->width);
        ht_add(places * core->width, pass->mapped, pass->x);
    }
    ht_embedding_forward(&core->values, weights + core->at_values, steps, gathered->steps, pass->y);
    drop(pass, PLACE_X, places * core->width, pass->x);
    drop(pass, PLACE_Y, steps * core->width, pass->y);
}

static void vectors_backward(const ht_core *core, ht_pass *pass, const ht_real *weights,
                             ht_real *gradient) {
    ht_gathered *gathered = &pass->gathered;
    size_t rows = pass->rows, places = core->input.positions * rows;
    size_t steps = core->output.steps * rows;
    drop(pass, PLACE_X, places * core->width, pass->grad_x);
    drop(pass, PLACE_Y, steps * core->width, pass->grad_y);
    ht_embedding_backward(&core->tokens, places, gathered->ids, pass->grad_x,
                          gradient + core->at_tokens);
    size_t map = ht_dense_weights(&core->features);
    for (size_t p = 0; core->input.features && p < core->input.positions; p++)
        ht_dense_backward(&core->features, weights + core->at_features + p * map, rows,
                          gathered->features + p * rows * core->input.features,
                          pass->grad_x + p * rows * core->width, NULL,
                          gradient + core->at_features + p * map);
    ht_embedding_backward(&core->values, steps, gathered->steps, pass->grad_y,
                          gradient + core->at_values);
}

/* Computes the logits, and the loss with their gradient. */
static double output_forward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                             const ht_shard *shard, bool backward, size_t *hits) {
    ht_gathered *gathered = &pass->gathered;
    const ht_output_shape *output = &core->output;
    size_t rows = pass->rows;
    double loss = 0;
    for (uint32_t t = 0; t < output->steps; t++) {
        ht_dense dense = {core->read_width, output->values[t]};
        size_t first = output->first[t];
        ht_dense_forward(&dense, weights + core->at_output[t], rows,
                         pass->dropped + t * rows * core->read_width, pass->logits + first * rows);
        ht_labels labels = {.targets = gathered->targets + t,
                            .target_stride = output->steps,
                            .allowed = shard->examples->allowed ? gathered->allowed + first : NULL,
                            .soft = shard->examples->soft ? gathered->soft + first : NULL,
                            .stride = output->total,
                            .weights = gathered->weights,
                            .smoothing = shard->smoothing};
        loss += ht_cross_entropy(rows, output->values[t], pass->logits + first * rows, &labels, 1,
                                 backward ? pass->grad_logits + first * rows : NULL, hits);
    }
    return loss;
}

static void output_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                            ht_real *gradient) {
    size_t rows = pass->rows, count = core->output.steps * rows * core->read_width;
    memset(pass->grad_read, 0, count * sizeof *pass->grad_read);
    for (uint32_t t = 0; t < core->output.steps; t++) {
        ht_dense dense = {core->read_width, core->output.values[t]};
        size_t at = t * rows * core->read_width;
        ht_dense_backward(&dense, weights + core->at_output[t], rows, pass->dropped + at,
                          pass->grad_logits + core->output.first[t] * rows, pass->grad_read + at,
                          gradient + core->at_output[t]);
    }
    drop(pass, PLACE_READ, count, pass->grad_read);
}

double ht_core_learn(const ht_core *core, const ht_real *weights, ht_pass *pass,
                     const ht_shard *shard, ht_real *gradient, size_t *hits) {
    pass->rows = shard->count;
    layout(core, pass);
    gather_inputs(core, pass, shard);
    if (pass->drop.token_rate > 0)
        hide_tokens(core, pass);
    gather_labels(core, pass, shard);
    gather_steps(core, pass);
    vectors_forward(core, weights, pass);
    core->architecture->forward(core, weights, pass);
    ht_dropout dropout = ht_pass_dropout(pass, PLACE_READ);
    ht_dropout_apply(&dropout, core->output.steps * pass->rows * core->read_width, pass->read,
                     pass->dropped);
    double loss = output_forward(core, weights, pass, shard, gradient != NULL, hits);
    if (!gradient)
        return loss;
    output_backward(core, weights, pass, gradient);
    size_t rows = pass->rows, width = core->width;
    memset(pass->grad_x, 0, core->input.positions * rows * width * sizeof *pass->grad_x);
    memset(pass->grad_y, 0, core->output.steps * rows * width * sizeof *pass->grad_y);
    core->architecture->backward(core, weights, pass, gradient);
    vectors_backward(core, pass, weights, gradient);
    return loss;
}
