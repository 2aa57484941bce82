/* Decoding: one problem, a few partial answers side by side. */
#include "predictor/network/network_core.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static size_t part_places(const ht_core *core, size_t part) {
    return core->state[part].grows ? core->output.steps : 1;
}

static void layout(const ht_core *core, ht_asking *asking) {
    ht_arena *arena = &asking->arena;
    size_t rows = asking->max_rows, positions = core->input.positions;
    arena->used = 0;
    asking->features = ht_arena_take(arena, positions * core->input.features);
    asking->mapped = ht_arena_take(arena, positions * core->width);
    asking->x = ht_arena_take(arena, positions * core->width);
    asking->y = ht_arena_take(arena, rows * core->width);
    asking->read = ht_arena_take(arena, rows * core->read_width);
    for (size_t i = 0; i < core->state_parts; i++) {
        size_t count = part_places(core, i) * rows * core->state[i].width;
        asking->state[i] = ht_arena_take(arena, count);
        asking->spare[i] = ht_arena_take(arena, count);
    }
    core->architecture->asking_layout(core, asking, arena);
}

ht_asking *ht_asking_new(const ht_core *core, size_t max_rows) {
    ht_asking *asking = ht_alloc(1, sizeof *asking);
    asking->max_rows = max_rows;
    layout(core, asking);
    asking->arena.base = ht_alloc(asking->arena.used + 1, sizeof *asking->arena.base);
    layout(core, asking);
    asking->identifiers = ht_alloc(max_rows * 2 + 1, sizeof *asking->identifiers);
    return asking;
}

void ht_asking_free(ht_asking *asking) {
    if (!asking)
        return;
    free(asking->arena.base);
    free(asking->identifiers);
    free(asking);
}

void ht_asking_start(const ht_core *core, const ht_real *weights, ht_asking *asking,
                     const uint32_t *ids, const float *features) {
    size_t positions = core->input.positions, count = core->input.features;
    ht_embedding_forward(&core->tokens, weights + core->at_tokens, positions, ids, asking->x);
    if (count) {
        for (size_t i = 0; i < positions * count; i++)
            asking->features[i] = features[i];
        size_t map = ht_dense_weights(&core->features);
        for (size_t p = 0; p < positions; p++)
            ht_dense_forward(&core->features, weights + core->at_features + p * map, 1,
                             asking->features + p * count, asking->mapped + p * core->width);
        ht_add(positions * core->width, asking->mapped, asking->x);
    }
    asking->step = 0;
    asking->rows = 1;
    core->architecture->encode(core, weights, asking);
}

/* Makes the state's rows those of the parents. */
static void follow(const ht_core *core, ht_asking *asking, size_t rows, const uint32_t *parents) {
    for (size_t i = 0; i < core->state_parts; i++) {
        size_t width = core->state[i].width;
        size_t places = core->state[i].grows ? asking->step : 1;
        const ht_real *from = asking->state[i];
        ht_real *to = asking->spare[i];
        for (size_t p = 0; p < places; p++)
            for (size_t r = 0; r < rows; r++)
                memcpy(to + (p * rows + r) * width, from + (p * asking->rows + parents[r]) * width,
                       width * sizeof *to);
        asking->spare[i] = asking->state[i];
        asking->state[i] = to;
    }
    asking->rows = rows;
}

void ht_asking_step(const ht_core *core, const ht_real *weights, ht_asking *asking, size_t rows,
                    const uint32_t *parents, const uint16_t *tokens, ht_real *out_logits) {
    uint32_t t = asking->step, steps = core->output.steps;
    if (t > 0)
        follow(core, asking, rows, parents);
    for (size_t r = 0; r < rows; r++) {
        asking->identifiers[2 * r] = 1 + t;
        asking->identifiers[2 * r + 1] = t ? 1 + steps + core->output.first[t - 1] + tokens[r] : 0;
    }
    ht_embedding_forward(&core->values, weights + core->at_values, rows, asking->identifiers,
                         asking->y);
    core->architecture->step(core, weights, asking);
    ht_dense dense = {core->read_width, core->output.values[t]};
    ht_dense_forward(&dense, weights + core->at_output[t], rows, asking->read, out_logits);
    asking->step++;
}
