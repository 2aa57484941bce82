/* A small transformer (Vaswani et al. 2017), the paper's third open question: blocks of
 * self-attention and feed-forward encode; blocks of causal self-attention, attention to the encoded
 * sequence and feed-forward decode. Normalised in front of each branch (Xiong et al. 2020). */
#include "predictor/network/network_core.h"

#include <string.h>

enum { PLACE_BLOCKS = 64, PLACES_OF_BLOCK = 4 };

static const char *transformer_check(const ht_network_settings *settings) {
    return settings->embedding == settings->hidden
               ? NULL
               : "this architecture's embedding must be as wide as its hidden vectors";
}

static void block_plan(ht_core *core, ht_block_plan *block, bool cross) {
    const ht_transformer_plan *plan = &core->plan.transformer;
    block->at_norm_self = ht_core_take(core, ht_layer_norm_weights(&plan->norm));
    block->at_self = ht_core_take(core, ht_heads_weights(&plan->heads));
    if (cross) {
        block->at_norm_cross = ht_core_take(core, ht_layer_norm_weights(&plan->norm));
        block->at_cross = ht_core_take(core, ht_heads_weights(&plan->heads));
    }
    block->at_norm_forward = ht_core_take(core, ht_layer_norm_weights(&plan->norm));
    block->at_forward = ht_core_take(core, ht_feed_forward_weights(&plan->forward));
}

static void transformer_plan(ht_core *core) {
    ht_transformer_plan *plan = &core->plan.transformer;
    uint32_t width = core->settings.hidden;
    plan->norm = (ht_layer_norm){width};
    plan->heads = (ht_heads){width, core->settings.heads};
    plan->forward = (ht_feed_forward){width, 2 * width};
    for (uint32_t i = 0; i < core->settings.layers; i++)
        block_plan(core, &plan->encoder[i], false);
    plan->at_norm_memory = ht_core_take(core, ht_layer_norm_weights(&plan->norm));
    for (uint32_t i = 0; i < core->settings.layers; i++) {
        block_plan(core, &plan->decoder[i], true);
        core->state[core->state_parts++] = (ht_state_part){width, true};
        core->state[core->state_parts++] = (ht_state_part){width, true};
    }
    plan->at_norm_read = ht_core_take(core, ht_layer_norm_weights(&plan->norm));
    core->read_width = width;
}

static void block_init(const ht_transformer_plan *plan, const ht_block_plan *block, bool cross,
                       ht_real *weights, ht_random *random) {
    ht_layer_norm_init(&plan->norm, weights + block->at_norm_self);
    ht_heads_init(&plan->heads, weights + block->at_self, random);
    if (cross) {
        ht_layer_norm_init(&plan->norm, weights + block->at_norm_cross);
        ht_heads_init(&plan->heads, weights + block->at_cross, random);
    }
    ht_layer_norm_init(&plan->norm, weights + block->at_norm_forward);
    ht_feed_forward_init(&plan->forward, weights + block->at_forward, random);
}

static void transformer_init(const ht_core *core, ht_real *weights, ht_random *random) {
    const ht_transformer_plan *plan = &core->plan.transformer;
    for (uint32_t i = 0; i < core->settings.layers; i++) {
        block_init(plan, &plan->encoder[i], false, weights, random);
        block_init(plan, &plan->decoder[i], true, weights, random);
    }
    ht_layer_norm_init(&plan->norm, weights + plan->at_norm_memory);
    ht_layer_norm_init(&plan->norm, weights + plan->at_norm_read);
}

/* The shapes of self-attention in the encoder and in the decoder, and of the decoder's attention to
 * the encoder. */
typedef struct shapes {
    ht_heads_shape encoder, decoder, cross;
} shapes;
static shapes shapes_of(const ht_core *core, size_t batch) {
    size_t positions = core->input.positions, steps = core->output.steps;
    return (shapes){.encoder = {positions, positions, batch, false},
                    .decoder = {steps, steps, batch, true},
                    .cross = {steps, positions, batch, false}};
}

static void branch_layout(const ht_core *core, ht_branch_pass *branch, size_t rows, size_t cache,
                          ht_arena *arena) {
    size_t width = core->settings.hidden;
    branch->normed = ht_arena_take(arena, rows * width);
    branch->norm_cache =
        ht_arena_take(arena, ht_layer_norm_cache(&core->plan.transformer.norm, rows));
    branch->cache = ht_arena_take(arena, cache);
    branch->out = ht_arena_take(arena, rows * width);
}

static void block_layout(const ht_core *core, ht_block_pass *block, const ht_heads_shape *self,
                         const ht_heads_shape *cross, ht_arena *arena) {
    const ht_transformer_plan *plan = &core->plan.transformer;
    size_t rows = self->places * self->batch;
    branch_layout(core, &block->self, rows, ht_heads_cache(&plan->heads, self), arena);
    if (cross)
        branch_layout(core, &block->cross, rows, ht_heads_cache(&plan->heads, cross), arena);
    branch_layout(core, &block->forward, rows, ht_feed_forward_cache(&plan->forward, rows), arena);
}

static void transformer_layout(const ht_core *core, ht_pass *pass, ht_arena *arena) {
    const ht_transformer_plan *plan = &core->plan.transformer;
    ht_transformer_pass *at = &pass->at.transformer;
    size_t positions = core->input.positions, steps = core->output.steps, rows = pass->rows;
    size_t width = core->settings.hidden;
    size_t longer = (positions > steps ? positions : steps) * rows * width;
    shapes shapes = shapes_of(core, rows);
    for (uint32_t i = 0; i < core->settings.layers; i++) {
        block_layout(core, &at->encoder[i], &shapes.encoder, NULL, arena);
        block_layout(core, &at->decoder[i], &shapes.decoder, &shapes.cross, arena);
    }
    at->memory = ht_arena_take(arena, positions * rows * width);
    at->grad_memory = ht_arena_take(arena, positions * rows * width);
    at->norm_memory = ht_arena_take(arena, ht_layer_norm_cache(&plan->norm, positions * rows));
    at->norm_read = ht_arena_take(arena, ht_layer_norm_cache(&plan->norm, steps * rows));
    at->grad = ht_arena_take(arena, longer);
    at->grad_branch = ht_arena_take(arena, longer);
    at->grad_normed = ht_arena_take(arena, longer);
}

/* Computes out = in + dropout(out). */
static void branch_join(const ht_pass *pass, uint64_t place, size_t count, const ht_real *in,
                        ht_real *out) {
    ht_dropout dropout = ht_pass_dropout(pass, place);
    if (dropout.rate > 0)
        ht_dropout_apply(&dropout, count, out, out);
    ht_add(count, in, out);
}

/* One block of a pass; cross NULL: an encoder's. */
typedef struct block_use {
    const ht_core *core;
    const ht_block_plan *plan;
    ht_block_pass *at;
    const ht_heads_shape *self, *cross;
    uint64_t place; /* of its dropouts */
} block_use;

static ht_real *block_forward(const block_use *use, const ht_real *weights, ht_pass *pass,
                              ht_real *in) {
    const ht_transformer_plan *plan = &use->core->plan.transformer;
    ht_block_pass *at = use->at;
    size_t rows = use->self->places * use->self->batch, count = rows * plan->norm.width;
    ht_layer_norm_forward(&plan->norm, weights + use->plan->at_norm_self, rows, in, at->self.normed,
                          at->self.norm_cache);
    ht_heads_forward(&plan->heads, weights + use->plan->at_self, use->self, at->self.normed,
                     at->self.normed, at->self.out, at->self.cache);
    branch_join(pass, use->place, count, in, at->self.out);
    in = at->self.out;
    if (use->cross) {
        ht_layer_norm_forward(&plan->norm, weights + use->plan->at_norm_cross, rows, in,
                              at->cross.normed, at->cross.norm_cache);
        ht_heads_forward(&plan->heads, weights + use->plan->at_cross, use->cross, at->cross.normed,
                         pass->at.transformer.memory, at->cross.out, at->cross.cache);
        branch_join(pass, use->place + 1, count, in, at->cross.out);
        in = at->cross.out;
    }
    ht_layer_norm_forward(&plan->norm, weights + use->plan->at_norm_forward, rows, in,
                          at->forward.normed, at->forward.norm_cache);
    ht_feed_forward_forward(&plan->forward, weights + use->plan->at_forward, rows,
                            at->forward.normed, at->forward.out, at->forward.cache);
    branch_join(pass, use->place + 2, count, in, at->forward.out);
    return at->forward.out;
}

/* The gradient that enters a branch: that of its sum after dropout; and room for that of its
 * normalised input. */
static void branch_enter(ht_pass *pass, uint64_t place, size_t count) {
    ht_transformer_pass *at = &pass->at.transformer;
    ht_dropout dropout = ht_pass_dropout(pass, place);
    ht_dropout_apply(&dropout, count, at->grad, at->grad_branch);
    memset(at->grad_normed, 0, count * sizeof *at->grad_normed);
}

/* Turns grad, of the block's output, into that of its input. */
static void block_backward(const block_use *use, const ht_real *weights, ht_pass *pass,
                           const ht_real *in, ht_real *gradient) {
    const ht_transformer_plan *plan = &use->core->plan.transformer;
    const ht_block_plan *block = use->plan;
    ht_transformer_pass *all = &pass->at.transformer;
    ht_block_pass *at = use->at;
    size_t rows = use->self->places * use->self->batch, count = rows * plan->norm.width;
    const ht_real *before = use->cross ? at->cross.out : at->self.out;
    branch_enter(pass, use->place + 2, count);
    ht_feed_forward_backward(&plan->forward, weights + block->at_forward, rows, at->forward.normed,
                             all->grad_branch, all->grad_normed, gradient + block->at_forward,
                             at->forward.cache);
    ht_layer_norm_backward(&plan->norm, weights + block->at_norm_forward, rows, before,
                           all->grad_normed, at->forward.norm_cache, all->grad,
                           gradient + block->at_norm_forward);
    if (use->cross) {
        branch_enter(pass, use->place + 1, count);
        ht_heads_backward(&plan->heads, weights + block->at_cross, use->cross, at->cross.normed,
                          all->memory, all->grad_branch, all->grad_normed, all->grad_memory,
                          gradient + block->at_cross, at->cross.cache);
        ht_layer_norm_backward(&plan->norm, weights + block->at_norm_cross, rows, at->self.out,
                               all->grad_normed, at->cross.norm_cache, all->grad,
                               gradient + block->at_norm_cross);
    }
    branch_enter(pass, use->place, count);
    ht_heads_backward(&plan->heads, weights + block->at_self, use->self, at->self.normed,
                      at->self.normed, all->grad_branch, all->grad_normed, all->grad_normed,
                      gradient + block->at_self, at->self.cache);
    ht_layer_norm_backward(&plan->norm, weights + block->at_norm_self, rows, in, all->grad_normed,
                           at->self.norm_cache, all->grad, gradient + block->at_norm_self);
}

static block_use use_of(const ht_core *core, ht_pass *pass, const shapes *shapes, uint32_t layer,
                        bool decoder) {
    const ht_transformer_plan *plan = &core->plan.transformer;
    ht_transformer_pass *at = &pass->at.transformer;
    uint64_t place = PLACE_BLOCKS + PLACES_OF_BLOCK * (2 * (uint64_t)layer + (decoder ? 1 : 0));
    return (block_use){.core = core,
                       .plan = decoder ? &plan->decoder[layer] : &plan->encoder[layer],
                       .at = decoder ? &at->decoder[layer] : &at->encoder[layer],
                       .self = decoder ? &shapes->decoder : &shapes->encoder,
                       .cross = decoder ? &shapes->cross : NULL,
                       .place = place};
}

static void transformer_forward(const ht_core *core, const ht_real *weights, ht_pass *pass) {
    const ht_transformer_plan *plan = &core->plan.transformer;
    ht_transformer_pass *at = &pass->at.transformer;
    size_t positions = core->input.positions, steps = core->output.steps, rows = pass->rows;
    shapes shapes = shapes_of(core, rows);
    ht_positions_add(0, positions, rows, core->width, pass->x);
    ht_positions_add(0, steps, rows, core->width, pass->y);
    ht_real *in = pass->x;
    for (uint32_t i = 0; i < core->settings.layers; i++) {
        block_use use = use_of(core, pass, &shapes, i, false);
        in = block_forward(&use, weights, pass, in);
    }
    ht_layer_norm_forward(&plan->norm, weights + plan->at_norm_memory, positions * rows, in,
                          at->memory, at->norm_memory);
    in = pass->y;
    for (uint32_t i = 0; i < core->settings.layers; i++) {
        block_use use = use_of(core, pass, &shapes, i, true);
        in = block_forward(&use, weights, pass, in);
    }
    ht_layer_norm_forward(&plan->norm, weights + plan->at_norm_read, steps * rows, in, pass->read,
                          at->norm_read);
}

static void transformer_backward(const ht_core *core, const ht_real *weights, ht_pass *pass,
                                 ht_real *gradient) {
    const ht_transformer_plan *plan = &core->plan.transformer;
    ht_transformer_pass *at = &pass->at.transformer;
    size_t positions = core->input.positions, steps = core->output.steps, rows = pass->rows;
    size_t width = core->width;
    uint32_t last = core->settings.layers - 1;
    shapes shapes = shapes_of(core, rows);
    memset(at->grad_memory, 0, positions * rows * width * sizeof *at->grad_memory);
    memset(at->grad, 0, steps * rows * width * sizeof *at->grad);
    ht_layer_norm_backward(&plan->norm, weights + plan->at_norm_read, steps * rows,
                           at->decoder[last].forward.out, pass->grad_read, at->norm_read, at->grad,
                           gradient + plan->at_norm_read);
    for (uint32_t i = last + 1; i-- > 0;) {
        block_use use = use_of(core, pass, &shapes, i, true);
        block_backward(&use, weights, pass, i ? at->decoder[i - 1].forward.out : pass->y, gradient);
    }
    ht_add(steps * rows * width, at->grad, pass->grad_y);
    memset(at->grad, 0, positions * rows * width * sizeof *at->grad);
    ht_layer_norm_backward(&plan->norm, weights + plan->at_norm_memory, positions * rows,
                           at->encoder[last].forward.out, at->grad_memory, at->norm_memory,
                           at->grad, gradient + plan->at_norm_memory);
    for (uint32_t i = last + 1; i-- > 0;) {
        block_use use = use_of(core, pass, &shapes, i, false);
        block_backward(&use, weights, pass, i ? at->encoder[i - 1].forward.out : pass->x, gradient);
    }
    ht_add(positions * rows * width, at->grad, pass->grad_x);
}

/* Decoding. asking->memory: the encoded sequence; keys: for each layer keys, then values of the
 * attention to it. state: for each layer keys and values of the steps so far. */
enum { WORK_NORMED, WORK_NORM, WORK_BRANCH, WORK_CACHE };

static void transformer_asking_layout(const ht_core *core, ht_asking *asking, ht_arena *arena) {
    const ht_transformer_plan *plan = &core->plan.transformer;
    size_t positions = core->input.positions, steps = core->output.steps;
    size_t width = core->width;
    size_t rows = asking->max_rows > positions ? asking->max_rows : positions;
    ht_heads_shape encoder = shapes_of(core, 1).encoder;
    size_t cache = ht_feed_forward_cache(&plan->forward, rows);
    size_t places = positions > steps ? positions : steps;
    size_t others[] = {ht_heads_cache(&plan->heads, &encoder),
                       ht_heads_step_cache(&plan->heads, asking->max_rows, places)};
    for (size_t i = 0; i < 2; i++)
        cache = others[i] > cache ? others[i] : cache;
    asking->memory = ht_arena_take(arena, positions * width);
    asking->keys = ht_arena_take(arena, 2 * core->settings.layers * positions * width);
    asking->work[WORK_NORMED] = ht_arena_take(arena, rows * width);
    asking->work[WORK_NORM] = ht_arena_take(arena, ht_layer_norm_cache(&plan->norm, rows));
    asking->work[WORK_BRANCH] = ht_arena_take(arena, rows * width);
    asking->work[WORK_CACHE] = ht_arena_take(arena, cache);
}

static void ask_norm(const ht_core *core, const ht_real *weights, ht_asking *asking, size_t rows,
                     const ht_real *x) {
    ht_layer_norm_forward(&core->plan.transformer.norm, weights, rows, x, asking->work[WORK_NORMED],
                          asking->work[WORK_NORM]);
}

static void ask_forward(const ht_core *core, const ht_real *weights, const ht_block_plan *block,
                        ht_asking *asking, size_t rows, ht_real *x) {
    ask_norm(core, weights + block->at_norm_forward, asking, rows, x);
    ht_feed_forward_forward(&core->plan.transformer.forward, weights + block->at_forward, rows,
                            asking->work[WORK_NORMED], asking->work[WORK_BRANCH],
                            asking->work[WORK_CACHE]);
    ht_add(rows * core->width, asking->work[WORK_BRANCH], x);
}

static void transformer_encode(const ht_core *core, const ht_real *weights, ht_asking *asking) {
    const ht_transformer_plan *plan = &core->plan.transformer;
    size_t positions = core->input.positions, count = positions * core->width;
    ht_heads_shape shape = shapes_of(core, 1).encoder;
    ht_positions_add(0, positions, 1, core->width, asking->x);
    for (uint32_t i = 0; i < core->settings.layers; i++) {
        const ht_block_plan *block = &plan->encoder[i];
        ask_norm(core, weights + block->at_norm_self, asking, positions, asking->x);
        ht_heads_forward(&plan->heads, weights + block->at_self, &shape, asking->work[WORK_NORMED],
                         asking->work[WORK_NORMED], asking->work[WORK_BRANCH],
                         asking->work[WORK_CACHE]);
        ht_add(count, asking->work[WORK_BRANCH], asking->x);
        ask_forward(core, weights, block, asking, positions, asking->x);
    }
    ht_layer_norm_forward(&plan->norm, weights + plan->at_norm_memory, positions, asking->x,
                          asking->memory, asking->work[WORK_NORM]);
    for (uint32_t i = 0; i < core->settings.layers; i++)
        ht_heads_memory(&plan->heads, weights + plan->decoder[i].at_cross, positions,
                        asking->memory, asking->keys + (size_t)(2 * i) * count,
                        asking->keys + (size_t)(2 * i + 1) * count);
}

static void transformer_step(const ht_core *core, const ht_real *weights, ht_asking *asking) {
    const ht_transformer_plan *plan = &core->plan.transformer;
    size_t rows = asking->rows, width = core->width, t = asking->step;
    size_t positions = core->input.positions;
    ht_real *normed = asking->work[WORK_NORMED], *branch = asking->work[WORK_BRANCH];
    ht_positions_add(t, 1, rows, width, asking->y);
    for (uint32_t i = 0; i < core->settings.layers; i++) {
        const ht_block_plan *block = &plan->decoder[i];
        ht_real *keys = asking->state[2 * i], *values = asking->state[2 * i + 1];
        ask_norm(core, weights + block->at_norm_self, asking, rows, asking->y);
        ht_heads_memory(&plan->heads, weights + block->at_self, rows, normed,
                        keys + t * rows * width, values + t * rows * width);
        ht_heads_step(&plan->heads, weights + block->at_self, rows, t + 1, rows, normed, keys,
                      values, branch, asking->work[WORK_CACHE]);
        ht_add(rows * width, branch, asking->y);
        ask_norm(core, weights + block->at_norm_cross, asking, rows, asking->y);
        ht_heads_step(&plan->heads, weights + block->at_cross, rows, positions, 1, normed,
                      asking->keys + (size_t)(2 * i) * positions * width,
                      asking->keys + (size_t)(2 * i + 1) * positions * width, branch,
                      asking->work[WORK_CACHE]);
        ht_add(rows * width, branch, asking->y);
        ask_forward(core, weights, block, asking, rows, asking->y);
    }
    ht_layer_norm_forward(&plan->norm, weights + plan->at_norm_read, rows, asking->y, asking->read,
                          asking->work[WORK_NORM]);
}

const ht_architecture ht_architecture_transformer = {.defaults = {.architecture = "transformer",
                                                                  .embedding = 128,
                                                                  .hidden = 128,
                                                                  .layers = 2,
                                                                  .kernel = 3,
                                                                  .heads = 4,
                                                                  .dropout = 0.1F},
                                                     .check = transformer_check,
                                                     .plan = transformer_plan,
                                                     .init = transformer_init,
                                                     .layout = transformer_layout,
                                                     .forward = transformer_forward,
                                                     .backward = transformer_backward,
                                                     .asking_layout = transformer_asking_layout,
                                                     .encode = transformer_encode,
                                                     .step = transformer_step};
