/* The contents of a tile in shared memory, against kernels run by hand-written loops at small
 * sizes: each element that a block reads lies in the box and passes the tests, the box is no larger
 * than that needs, and no element that passes lies outside of what is read anywhere. */
#include "refactor/staging/stage.h"

#include "base/file.h"
#include "base/memory.h"
#include "refactor/explain.h"
#include "refactor/staging/place.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TILE_X = 4, TILE_Y = 3 };

/* The reads of one block of a kernel at this place of the load: `visit` with each address. */
typedef struct sizes {
    const char *names[6];
    int64_t values[6];
} sizes;

typedef struct block_place {
    int64_t x, y; /* of the block in the grid */
    int64_t z, n, k,
        c; /* the given values: blockIdx.z and those that follow from it, the loop around */
} block_place;

typedef void read_visit(void *context, int64_t address);
typedef void kernel_loops(const sizes *of, const block_place *at, int64_t x, int64_t y,
                          read_visit *visit, void *context);

typedef struct experiment {
    const char *kernel, *array;
    kernel_loops *loops; /* the reads of one output */
    bool line;           /* outputs along x only */
    sizes sizes;
    int64_t blocks_x, blocks_y;
    int64_t channels, batches; /* the given values, each of which is tried */
    const char *refusal;       /* part of the reason, where there is to be none */
    bool seen;
} experiment;

static int64_t size_of(const sizes *of, const char *name) {
    for (int i = 0; i < 6 && of->names[i]; ++i)
        if (strcmp(of->names[i], name) == 0)
            return of->values[i];
    cr_assert_fail("%s has no value", name);
    return 0;
}

/* ---- polynomials at a point */

typedef struct point {
    const ht_stage *stage;
    const experiment *of;
    const block_place *at;
    int64_t coordinates[HT_STAGE_DIMENSIONS_MAX];
} point;

static int64_t value(const point *in, const ht_poly *poly);

static int64_t symbol_value(const point *in, size_t index) {
    const ht_km_symbol *symbol = &in->stage->km->pool.symbols[index];
    for (size_t d = 0; d < in->stage->dimension_count; ++d)
        if (in->stage->coordinates[d] == index)
            return in->coordinates[d];
    switch (symbol->kind) {
    case HT_KM_ARGUMENT:
        return size_of(&in->of->sizes, symbol->name);
    case HT_KM_BLOCK:
        return in->at->z;
    case HT_KM_LOOP:
        return in->at->c;
    case HT_KM_QUOTIENT:
        return value(in, symbol->operands[0]) / value(in, symbol->operands[1]);
    case HT_KM_REMAINDER:
        return value(in, symbol->operands[0]) % value(in, symbol->operands[1]);
    case HT_KM_SUM:
    case HT_KM_PRODUCT:
        return value(in, symbol->operands[0]);
    default:
        cr_assert_fail("symbol of kind %d", (int)symbol->kind);
        return 0;
    }
}

static int64_t value(const point *in, const ht_poly *poly) {
    int64_t sum = 0;
    for (size_t i = 0; i < poly->count; ++i) {
        int64_t product = poly->terms[i].coefficient;
        for (size_t j = 0; j < poly->terms[i].count; ++j)
            product *= symbol_value(in, poly->terms[i].symbols[j]);
        sum += product;
    }
    return sum;
}

/* ---- a block */

enum { ELEMENTS = 1 << 16 };

typedef struct memory {
    bool read[ELEMENTS];
    int64_t lowest, highest;
} memory;

static void on_read(void *context, int64_t address) {
    memory *into = context;
    cr_assert(address >= 0 && address < ELEMENTS);
    into->read[address] = true;
    into->lowest = address < into->lowest ? address : into->lowest;
    into->highest = address > into->highest ? address : into->highest;
}

static void read_block(const experiment *of, const block_place *at, memory *into) {
    int64_t rows = of->line ? 1 : TILE_Y;
    for (int64_t y = 0; y < rows; ++y)
        for (int64_t x = 0; x < TILE_X; ++x)
            of->loops(&of->sizes, at, at->x * TILE_X + x, at->y * rows + y, on_read, into);
}

/* Returns 2 * (T - 1) + 1 + ..., by the tile's numbers. */
static int64_t extent_of(const ht_stage *stage, size_t d) {
    const ht_stage_dimension *of = &stage->dimensions[d];
    int64_t span;
    cr_assert(ht_poly_is_constant(of->span, &span));
    return span + 1 + of->factor[0] * (TILE_X - 1) + of->factor[1] * (TILE_Y - 1);
}

typedef struct box {
    point at;
    int64_t low[HT_STAGE_DIMENSIONS_MAX], extent[HT_STAGE_DIMENSIONS_MAX];
    int64_t stride[HT_STAGE_DIMENSIONS_MAX];
    size_t count;
} box;

static bool passes(const box *in) {
    const ht_stage *stage = in->at.stage;
    size_t alternatives =
        stage->bound_count ? stage->bounds[stage->bound_count - 1].alternative + 1 : 0;
    bool any = alternatives == 0;
    for (size_t a = 0; a < alternatives && !any; ++a) {
        any = true;
        for (size_t i = 0; i < stage->bound_count; ++i)
            if (stage->bounds[i].alternative == a && value(&in->at, stage->bounds[i].value) < 0)
                any = false;
    }
    return any;
}

/* Marks what the block loads. */
static void load(box *in, memory *into) {
    size_t place[HT_STAGE_DIMENSIONS_MAX] = {0};
    for (size_t d = 0; d < in->count;) {
        int64_t address = 0;
        for (d = 0; d < in->count; ++d) {
            in->at.coordinates[d] = in->low[d] + (int64_t)place[d];
            address += in->at.coordinates[d] * in->stride[d];
        }
        if (passes(in))
            on_read(into, address);
        for (d = 0; d < in->count && (int64_t)++place[d] == in->extent[d]; ++d)
            place[d] = 0;
    }
}

static box box_of(const ht_stage *stage, const experiment *of, const block_place *at) {
    box out = {.at = {stage, of, at, {0}}, .count = stage->dimension_count};
    for (size_t d = 0; d < out.count; ++d) {
        const ht_stage_dimension *dimension = &stage->dimensions[d];
        out.low[d] = value(&out.at, dimension->low) + dimension->factor[0] * at->x * TILE_X +
                     dimension->factor[1] * at->y * TILE_Y;
        out.extent[d] = extent_of(stage, d);
        out.stride[d] = value(&out.at, dimension->stride);
        cr_expect_eq(dimension->uniform, out.extent[d] == 1);
    }
    return out;
}

static memory *memory_new(void) {
    memory *out = ht_alloc(1, sizeof *out);
    out->lowest = ELEMENTS;
    out->highest = -1;
    return out;
}

/* Compares a block: all that it reads is loaded. A block in the middle loads nothing else than the
 * hull. */
static void compare_block(const ht_stage *stage, const experiment *of, const block_place *at,
                          const memory *all) {
    memory *expected = memory_new(), *loaded = memory_new();
    box in = box_of(stage, of, at);
    read_block(of, at, expected);
    load(&in, loaded);
    for (size_t i = 0; i < ELEMENTS; ++i)
        cr_assert(!expected->read[i] || loaded->read[i], "%s: block %d %d does not load %zu",
                  of->kernel, (int)at->x, (int)at->y, i);
    if (expected->highest >= 0 && loaded->highest >= 0) {
        cr_assert_geq(loaded->lowest, all->lowest, "%s: an element ahead of all is loaded",
                      of->kernel);
        cr_assert_leq(loaded->highest, all->highest, "%s: an element behind all is loaded",
                      of->kernel);
    }
    free(expected);
    free(loaded);
}

static void compare(const ht_stage *stage, const experiment *of) {
    memory *all = memory_new();
    for (int pass = 0; pass < 2; ++pass)
        for (int64_t z = 0; z < of->batches; ++z)
            for (int64_t c = 0; c < of->channels; ++c)
                for (int64_t y = 0; y < of->blocks_y; ++y)
                    for (int64_t x = 0; x < of->blocks_x; ++x) {
                        block_place at = {x, y, z, z, z, c};
                        if (pass == 0)
                            read_block(of, &at, all);
                        else
                            compare_block(stage, of, &at, all);
                    }
    free(all);
}

/* ---- running */

static bool every_loop(const void *context, const ht_syntax *loop) {
    (void)context;
    (void)loop;
    return true;
}

static const char *no_constant(const void *context, const char *argument) {
    (void)context;
    (void)argument;
    return NULL;
}

static void on_model(const ht_kernel_model *km, const char *name, const char *problem,
                     void *context) {
    experiment *of = context;
    cr_assert_not_null(km, "%s: %s", name, problem);
    ht_stage_frame frame = {.axis = {true, !of->line, false},
                            .tile = {"TX", of->line ? "1" : "TY", "1"},
                            .tile_usual = {TILE_X, of->line ? 1 : TILE_Y, 1},
                            .is_uniform = every_loop,
                            .constant = no_constant};
    for (size_t i = 0; i < km->array_count; ++i) {
        ht_stage stage;
        if (strcmp(km->arrays[i].name, of->array) != 0)
            continue;
        bool found = ht_stage_find(&stage, (ht_kernel_model *)(size_t)km, i, &frame);
        cr_expect_eq(found, of->refusal == NULL, "%s: %s", of->kernel,
                     stage.problem ? stage.problem : "staged");
        if (found && !of->refusal)
            compare(&stage, of);
        else if (!found && of->refusal)
            cr_expect(strstr(stage.problem, of->refusal), "%s: %s", of->kernel, stage.problem);
        ht_stage_free(&stage);
        of->seen = true;
    }
}

static void run_experiment(experiment of) {
    ht_refactor_options options = {0};
    ht_error error;
    size_t found;
    of.channels = of.channels ? of.channels : 1;
    of.batches = of.batches ? of.batches : 1;
    of.blocks_y = of.blocks_y ? of.blocks_y : 1;
    cr_assert_eq(ht_kernel_model_each(HT_SOURCE_DIR "/tests/refactor/sources/staged.hip", NULL,
                                      &options, of.kernel, on_model, &of, &found, &error),
                 HT_OK, "%s", error.message);
    cr_assert(of.seen);
}

/* ---- kernels */

static void blur_loops(const sizes *of, const block_place *at, int64_t x, int64_t y,
                       read_visit *visit, void *context) {
    int64_t width = size_of(of, "width"), height = size_of(of, "height");
    (void)at;
    for (int64_t iy = y - 2; iy <= y + 2 && x < width && y < height; ++iy)
        for (int64_t ix = x - 2; ix <= x + 2; ++ix)
            if (iy >= 0 && iy < height && ix >= 0 && ix < width)
                visit(context, iy * width + ix);
}

Test(staging, a_padded_window_is_loaded_without_its_outside) {
    run_experiment((experiment){.kernel = "blur_padded",
                                .array = "in",
                                .loops = blur_loops,
                                .sizes = {{"width", "height"}, {11, 7}},
                                .blocks_x = 3,
                                .blocks_y = 3});
    run_experiment(
        (experiment){.kernel = "blur_padded", /* smaller than a block, and than the window */
                     .array = "in",
                     .loops = blur_loops,
                     .sizes = {{"width", "height"}, {2, 1}},
                     .blocks_x = 1,
                     .blocks_y = 1});
}

static void valid_loops(const sizes *of, const block_place *at, int64_t x, int64_t y,
                        read_visit *visit, void *context) {
    int64_t width = size_of(of, "width"), height = size_of(of, "height");
    int64_t channels = size_of(of, "channels"), n = at->z / size_of(of, "filters");
    for (int64_t r = 0; r < 3 && x < width - 2 && y < height - 2; ++r)
        for (int64_t s = 0; s < 3; ++s)
            visit(context, ((n * channels + at->c) * height + y + r) * width + x + s);
}

Test(staging, a_channel_at_a_time) {
    run_experiment(
        (experiment){.kernel = "convolve_valid",
                     .array = "in",
                     .loops = valid_loops,
                     .sizes = {{"width", "height", "channels", "filters"}, {12, 9, 3, 2}},
                     .blocks_x = 3,
                     .blocks_y = 3,
                     .channels = 3,
                     .batches = 4});
}

static void jacobi_loops(const sizes *of, const block_place *at, int64_t j, int64_t i,
                         read_visit *visit, void *context) {
    int64_t n = size_of(of, "n"), m = size_of(of, "m");
    (void)at;
    if (i <= 0 || i >= n - 1 || j <= 0 || j >= m - 1)
        return;
    visit(context, (i - 1) * m + j);
    visit(context, (i + 1) * m + j);
    visit(context, i * m + j - 1);
    visit(context, i * m + j + 1);
}

Test(staging, a_stencil_of_five) {
    run_experiment((experiment){.kernel = "jacobi",
                                .array = "a",
                                .loops = jacobi_loops,
                                .sizes = {{"n", "m"}, {10, 13}},
                                .blocks_x = 4,
                                .blocks_y = 4});
}

static void shrink_loops(const sizes *of, const block_place *at, int64_t x, int64_t y,
                         read_visit *visit, void *context) {
    (void)at;
    for (int64_t r = 0; r < 3 && x < size_of(of, "out_width") && y < size_of(of, "out_height"); ++r)
        for (int64_t s = 0; s < 3; ++s)
            visit(context, (2 * y + r) * size_of(of, "pitch") + 2 * x + s);
}

Test(staging, outputs_two_elements_apart) {
    run_experiment((experiment){.kernel = "shrink",
                                .array = "in",
                                .loops = shrink_loops,
                                .sizes = {{"out_width", "out_height", "pitch"}, {9, 5, 21}},
                                .blocks_x = 3,
                                .blocks_y = 2});
}

static int64_t held(int64_t at, int64_t size) {
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static void repeated_loops(const sizes *of, const block_place *at, int64_t x, int64_t y,
                           read_visit *visit, void *context) {
    int64_t width = size_of(of, "width"), height = size_of(of, "height");
    (void)at;
    for (int64_t r = -1; r <= 1 && x < width && y < height; ++r)
        for (int64_t s = -2; s <= 2; ++s)
            visit(context, held(y + r, height) * width + held(x + s, width));
}

Test(staging, indices_that_are_held_inside) {
    run_experiment((experiment){.kernel = "repeated",
                                .array = "in",
                                .loops = repeated_loops,
                                .sizes = {{"width", "height"}, {11, 7}},
                                .blocks_x = 3,
                                .blocks_y = 3});
}

static void weighted_loops(const sizes *of, const block_place *at, int64_t x, int64_t y,
                           read_visit *visit, void *context) {
    (void)at;
    (void)y;
    for (int64_t k = 0; k < 9 && x < size_of(of, "n"); ++k)
        visit(context, 2 * k);
}

Test(staging, a_filter_that_all_outputs_read) {
    run_experiment((experiment){.kernel = "weighted",
                                .array = "taps",
                                .loops = weighted_loops,
                                .line = true,
                                .sizes = {{"n"}, {13}},
                                .blocks_x = 4});
}

static void echo_loops(const sizes *of, const block_place *at, int64_t x, int64_t y,
                       read_visit *visit, void *context) {
    (void)at;
    (void)y;
    for (int64_t k = 0; k < 8 && x < size_of(of, "n"); ++k)
        if (x - k >= 0)
            visit(context, x - k);
}

Test(staging, a_window_that_lies_behind) {
    run_experiment((experiment){.kernel = "echo",
                                .array = "signal",
                                .loops = echo_loops,
                                .line = true,
                                .sizes = {{"n"}, {13}},
                                .blocks_x = 4});
}

Test(staging, what_is_not_proved_is_refused) {
    run_experiment((experiment){
        .kernel = "masked", .array = "in", .line = true, .refusal = "depends on more"});
    run_experiment(
        (experiment){.kernel = "wide", .array = "in", .line = true, .refusal = "how often"});
    run_experiment(
        (experiment){.kernel = "scale", .array = "in", .line = true, .refusal = "twice"});
    run_experiment((experiment){.kernel = "rows_apart", .array = "in", .refusal = "twice"});
    run_experiment(
        (experiment){.kernel = "blur_padded", .array = "mask", .refusal = "not every output"});
    run_experiment((experiment){.kernel = "blur_padded", .array = "out", .refusal = "is written"});
}
