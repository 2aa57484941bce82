#include "tests/refactor/generated/generated.h"

#include <stdio.h>
#include <string.h>

enum { SEED = 20250 };

int gen_below(gen_choice *choice, int bound) {
    return (int)ht_random_below(&choice->random, (uint64_t)bound);
}

static bool one_in(gen_choice *choice, int count) {
    return gen_below(choice, count) == 0;
}

const char *gen_number_text(const gen_number *number, char buffer[16]) {
    if (number->form == GEN_LITERAL)
        snprintf(buffer, 16, "%d", number->value);
    else
        snprintf(buffer, 16, "%s", number->name);
    return buffer;
}

int gen_windows(const gen_choice *choice) {
    return choice->operation == GEN_STAR ? 1 : choice->dimensions;
}

int gen_radius(const gen_choice *choice, int dimension) {
    return choice->dilation * (choice->window[dimension].value / 2);
}

const char *gen_input_extent(const gen_choice *choice, int dimension, char buffer[48]) {
    if (choice->padding == GEN_PADDED && choice->pad[dimension])
        snprintf(buffer, 48, "(%s + %d)", choice->in_extent[dimension], 2 * choice->pad[dimension]);
    else
        snprintf(buffer, 48, "%s", choice->in_extent[dimension]);
    return buffer;
}

/* ---- the computation */

static void choose_window(gen_choice *choice) {
    static const char *const names[] = {"KW", "KH", "KD"}, *const few[] = {"S", "R", "T"};
    gen_form form = (gen_form)gen_below(choice, 5);
    bool star = choice->operation == GEN_STAR;
    int largest = choice->dimensions == 3 ? 2 : choice->dimensions == 2 ? 3 : 4;
    int radius = 1 + gen_below(choice, largest);
    bool upper = form == GEN_MACRO || form == GEN_CONSTEXPR || one_in(choice, 2);
    bool even = !star && choice->padding == GEN_VALID && one_in(choice, 6);
    for (int d = 0; d < choice->dimensions; ++d) {
        gen_number *window = &choice->window[d];
        if (!star && one_in(choice, 4))
            radius = 1 + gen_below(choice, largest);
        window->value = 2 * radius + 1 - even;
        window->form = form;
        snprintf(window->name, sizeof window->name, "%s", (upper ? names : few)[star ? 0 : d]);
    }
    bool may = !star && choice->padding != GEN_INTERIOR;
    choice->stride = may && one_in(choice, 5) ? 2 : 1;
    choice->dilation = may && one_in(choice, 6) ? 2 : 1;
    for (int d = 0; d < choice->dimensions; ++d)
        if (choice->padding == GEN_TESTED || choice->padding == GEN_CLAMPED ||
            choice->padding == GEN_PADDED)
            choice->pad[d] = gen_radius(choice, d);
    choice->same = choice->padding == GEN_INTERIOR ||
                   (choice->padding != GEN_VALID && choice->stride == 1 && !one_in(choice, 4));
}

static void choose_operation(gen_choice *choice) {
    static const gen_operation operations[] = {GEN_CONVOLUTION, GEN_CONVOLUTION, GEN_CONVOLUTION,
                                               GEN_DEPTHWISE,   GEN_FILTER,      GEN_FILTER,
                                               GEN_MAXIMUM,     GEN_STAR,        GEN_STAR};
    static const char *const types[] = {"float", "float", "float", "double", "int"};
    choice->operation = operations[gen_below(choice, 9)];
    bool net = choice->operation == GEN_CONVOLUTION || choice->operation == GEN_DEPTHWISE;
    choice->dimensions = gen_below(choice, 6);
    choice->dimensions = choice->dimensions == 0 ? 1 : choice->dimensions < (net ? 5 : 4) ? 2 : 3;
    choice->channels = net || (choice->operation == GEN_MAXIMUM && one_in(choice, 2));
    choice->batch = choice->channels && !one_in(choice, 3);
    choice->nhwc = choice->channels && one_in(choice, 3);
    choice->padding = (gen_padding)gen_below(choice, net ? 4 : 5);
    choice->type = types[gen_below(choice, 5)];
    choice->window_first = one_in(choice, 2);
    choice->unrolled = choice->operation == GEN_STAR && one_in(choice, 2);
    choose_window(choice);
}

static void choose_names(gen_choice *choice) {
    static const char *const outputs[][3] = {
        {"ox", "oy", "oz"}, {"x", "y", "z"}, {"col", "row", "slab"}};
    static const char *const sizes[3] = {"W", "H", "D"}, *const out_sizes[3] = {"OW", "OH", "OD"};
    int names = gen_below(choice, 3);
    for (int d = 0; d < choice->dimensions; ++d) {
        choice->out_name[d] = outputs[names][d];
        choice->in_extent[d] = sizes[d];
        choice->out_extent[d] = choice->same ? sizes[d] : out_sizes[d];
    }
}

/* ---- the places of outputs */

static void coordinate_add(gen_choice *choice, const char *name, const char *extent, int spatial) {
    choice->coordinates[choice->coordinate_count++] =
        (gen_coordinate){.name = name, .extent = extent, .from = GEN_LOOP, .spatial = spatial};
}

static void place(gen_choice *choice, gen_coordinate *at, int axis) {
    bool inner = axis == 0;
    int pick = gen_below(choice, 8);
    at->axis = axis;
    at->from = GEN_GLOBAL;
    if (!inner && (at->spatial < 0 ? pick < 5 : pick < 1))
        at->from = GEN_BLOCK;
    else if (!inner && at->spatial >= 0 && pick < 2 && choice->guard != GEN_EXACT)
        at->from = GEN_ROWS;
}

/* Chooses places: the innermost onto x, then outwards; what is left shares z or is a loop. */
static void choose_places(gen_choice *choice) {
    int count = choice->coordinate_count, axis = 0;
    gen_coordinate *all = choice->coordinates;
    bool loop = count > 1 && one_in(choice, 6);
    for (int i = count - 1; i >= 0 && axis < 3; --i)
        if (!(loop && i == 0))
            place(choice, &all[i], axis++);
    for (int i = 0; i + 1 < count; ++i)
        if (all[i].from == GEN_LOOP && all[i + 1].axis == 2 && all[i + 1].from != GEN_LOOP &&
            !one_in(choice, 3)) {
            all[i].from = GEN_COMBINED;
            all[i].axis = 2;
            all[i + 1].from = GEN_BLOCK;
        }
}

static void choose_block(gen_choice *choice) {
    static const int shapes[3][4][3] = {{{64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {96, 1, 1}},
                                        {{16, 16, 1}, {32, 8, 1}, {8, 8, 1}, {32, 4, 1}},
                                        {{8, 8, 4}, {16, 4, 4}, {32, 4, 2}, {4, 4, 4}}};
    bool threads[3] = {true, false, false};
    for (int i = 0; i < choice->coordinate_count; ++i)
        if (choice->coordinates[i].from == GEN_GLOBAL)
            threads[choice->coordinates[i].axis] = true;
    int axes = 1 + threads[1] + threads[2], taken = 0;
    const int *shape = shapes[axes - 1][gen_below(choice, 4)];
    for (int axis = 0; axis < 3; ++axis)
        choice->block[axis] = threads[axis] ? shape[taken++] : 1;
    choice->block_axes = threads[2] ? 3 : threads[1] ? 2 : 1;
    choice->block_form = (gen_form)gen_below(choice, 3);
    choice->block_constant = choice->block_form != GEN_LITERAL && one_in(choice, 3);
    choice->old_spelling = !choice->block_constant && one_in(choice, 8);
}

static void choose_coordinates(gen_choice *choice, bool flat) {
    if (choice->batch)
        coordinate_add(choice, "n", "N", -1);
    const char *channels = choice->operation == GEN_CONVOLUTION ? "K" : "C";
    const char *name = choice->operation == GEN_CONVOLUTION ? "k" : "c";
    if (choice->channels && !choice->nhwc)
        coordinate_add(choice, name, channels, -1);
    for (int d = choice->dimensions - 1; d >= 0; --d)
        coordinate_add(choice, choice->out_name[d], choice->out_extent[d], d);
    if (choice->channels && choice->nhwc)
        coordinate_add(choice, name, channels, -1);
    choice->flat = flat;
    if (choice->flat)
        for (int i = 0; i < choice->coordinate_count; ++i)
            choice->coordinates[i].from = GEN_FLAT;
    else
        choose_places(choice);
}

void gen_choose(uint64_t number, gen_choice *out) {
    *out = (gen_choice){.number = number};
    ht_random_stream(&out->random, SEED, number);
    choose_operation(out);
    choose_names(out);
    out->guard = (gen_guard)gen_below(out, 4);
    bool flat = one_in(out, 5);
    if (out->guard == GEN_EXACT && (flat || out->padding == GEN_INTERIOR || one_in(out, 2)))
        out->guard = GEN_RETURN;
    choose_coordinates(out, flat);
    choose_block(out);
    out->horner = one_in(out, 2);
    out->address_macro = one_in(out, 5);
    out->address_function = !out->address_macro && one_in(out, 5);
    out->temporaries = one_in(out, 2);
    out->bias = out->channels && one_in(out, 3);
    out->relu = one_in(out, 3);
    out->inferred = one_in(out, 4);
    out->arrows = one_in(out, 2);
    out->weights = out->operation == GEN_CONVOLUTION || out->operation == GEN_DEPTHWISE ||
                   (out->operation != GEN_MAXIMUM && !one_in(out, 3));
    out->centred = out->padding != GEN_VALID && out->padding != GEN_PADDED && one_in(out, 3);
    out->from_outputs = !out->same && one_in(out, 2);
    out->test_form = gen_below(out, 4);
    /* last, so that the others are what they were before there was it */
    static const char *const types[] = {"int",          "int",      "int",   "int",
                                        "unsigned int", "unsigned", "size_t"};
    out->index_type = types[gen_below(out, 7)];
}

const char *gen_input_index_type(const gen_choice *choice) {
    bool whole = choice->padding == GEN_VALID || choice->padding == GEN_PADDED ||
                 choice->padding == GEN_INTERIOR;
    return whole ? choice->index_type : "int";
}
