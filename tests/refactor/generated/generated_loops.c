#include "tests/refactor/generated/generated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const window_index[GEN_DIMENSIONS] = {"s", "r", "t"};
static const char *const input_index[GEN_DIMENSIONS] = {"ix", "iy", "iz"};

static const char *extent_of(const gen_choice *choice, int d) {
    return choice->in_extent[d];
}

/* Prints what turns the first place of a window into the input's coordinate: "x * 2 - 1". */
static void print_origin(const gen_choice *choice, int d, ht_text *out) {
    char name[16];
    bool pads = choice->padding == GEN_TESTED || choice->padding == GEN_CLAMPED ||
                choice->padding == GEN_INTERIOR;
    ht_text_append(out, choice->out_name[d]);
    if (choice->stride > 1)
        ht_text_printf(out, " * %d", choice->stride);
    if (!pads || choice->centred)
        return;
    if (choice->dilation == 1 && choice->test_form & 1)
        ht_text_printf(out, " - %s / 2", gen_number_text(&choice->window[d], name));
    else
        ht_text_printf(out, " - %d", gen_radius(choice, d));
}

/* ---- windows */

static void print_tests(const gen_choice *choice, ht_text *out) {
    for (int d = choice->dimensions - 1; d >= 0; --d) {
        const char *i = input_index[d], *n = extent_of(choice, d);
        ht_text_append(out, d < choice->dimensions - 1 ? " && " : "");
        if (choice->test_form == 3)
            ht_text_printf(out, "(unsigned)%s < (unsigned)%s", i, n);
        else
            ht_text_printf(out, "%s >= 0 && %s < %s", i, i, n);
    }
}

static void print_input_index(gen_choice *choice, int d, int depth, ht_text *out) {
    const char *i = input_index[d], *n = extent_of(choice, d);
    ht_text place = {0};
    print_origin(choice, d, &place);
    ht_text_printf(&place, choice->dilation > 1 ? " + %s * %d" : " + %s", window_index[d],
                   choice->dilation);
    if (choice->padding == GEN_CLAMPED && choice->test_form == 0)
        gen_print_line(out, depth, "const int %s = min(max(%s, 0), %s - 1);", i, place.data, n);
    else if (choice->padding == GEN_CLAMPED && choice->test_form == 2)
        gen_print_line(out, depth, "const int %s = clamped(%s, %s);", i, place.data, n);
    else if (choice->padding == GEN_CLAMPED) {
        gen_print_line(out, depth, "int %s = %s;", i, place.data);
        if (choice->test_form == 1)
            gen_print_line(out, depth, "%s = %s < 0 ? 0 : %s > %s - 1 ? %s - 1 : %s;", i, i, i, n,
                           n, i);
        else {
            gen_print_line(out, depth, "if (%s < 0) %s = 0;", i, i);
            gen_print_line(out, depth, "if (%s >= %s) %s = %s - 1;", i, n, i, n);
        }
    } else
        gen_print_line(out, depth, "const %s %s = %s;", gen_input_index_type(choice), i,
                       place.data);
    if (choice->padding == GEN_TESTED && choice->test_form == 1)
        gen_print_line(out, depth, "if (%s < 0 || %s >= %s) continue;", i, i, n);
    ht_text_free(&place);
}

static int print_window_loops(gen_choice *choice, int depth, ht_text *out) {
    for (int d = choice->dimensions - 1; d >= 0; --d) {
        char name[16];
        const char *i = window_index[d], *n = gen_number_text(&choice->window[d], name);
        if (choice->centred)
            gen_print_line(out, depth++, "for (int %s = -(%s / 2); %s <= %s / 2; ++%s) {", i, n, i,
                           n, i);
        else
            gen_print_line(out, depth++,
                           choice->horner ? "for (int %s = 0; %s < %s; ++%s) {"
                                          : "for (int %s = 0; %s < %s; %s++) {",
                           i, i, n, i);
        print_input_index(choice, d, depth, out);
    }
    return depth;
}

static int print_channel_loop(int depth, ht_text *out) {
    gen_print_line(out, depth, "for (int c = 0; c < C; ++c) {");
    return depth + 1;
}

static void print_weight(const gen_choice *choice, ht_text *out) {
    const char *names[GEN_COORDINATES], *extents[GEN_COORDINATES];
    char buffers[GEN_DIMENSIONS][16], centred[GEN_DIMENSIONS][48];
    bool dense = choice->operation == GEN_CONVOLUTION;
    int count = 0;
    if (dense && !choice->nhwc)
        names[count] = "k", extents[count++] = "K";
    if (choice->channels && !choice->nhwc)
        names[count] = "c", extents[count++] = "C";
    for (int d = choice->dimensions - 1; d >= 0; --d) {
        extents[count] = gen_number_text(&choice->window[d], buffers[d]);
        snprintf(centred[d], sizeof centred[d], choice->centred ? "%s + %s / 2" : "%s",
                 window_index[d], extents[count]);
        names[count++] = centred[d];
    }
    if (choice->channels && choice->nhwc)
        names[count] = "c", extents[count++] = "C";
    if (dense && choice->nhwc)
        names[count] = "k", extents[count++] = "K";
    ht_text_append(out, "w[");
    gen_print_subscript(choice->horner, names, extents, count, out);
    ht_text_append(out, "]");
}

static void print_term(gen_choice *choice, int depth, ht_text *out) {
    ht_text input = {0}, weight = {0}, tests = {0};
    bool tested = choice->padding == GEN_TESTED, real = strcmp(choice->type, "int") != 0;
    bool asks = tested && (choice->test_form == 0 || choice->test_form == 3);
    bool picks = tested && choice->test_form == 2;
    print_tests(choice, &tests);
    gen_print_input(choice, input_index, &input);
    if (picks) {
        char *plain = ht_text_take(&input);
        ht_text_printf(&input, choice->temporaries ? "%s ? %s : 0" : "(%s ? %s : 0)", tests.data,
                       plain);
        free(plain);
    }
    if (choice->weights)
        print_weight(choice, &weight);
    if (asks)
        gen_print_line(out, depth++, "if (%s) {", tests.data);
    if (choice->temporaries) {
        gen_print_line(out, depth, "const %s v = %s;", choice->type, input.data);
        ht_text_free(&input);
        ht_text_append(&input, "v");
    }
    if (choice->operation == GEN_MAXIMUM && choice->temporaries)
        gen_print_line(out, depth, "acc = %s > acc ? %s : acc;", input.data, input.data);
    else if (choice->operation == GEN_MAXIMUM)
        gen_print_line(out, depth, "acc = %s(acc, %s(%s));",
                       real ? *choice->type == 'f' ? "fmaxf" : "fmax" : "max", choice->type,
                       input.data);
    else if (choice->weights)
        gen_print_line(out, depth, "acc += %s * %s;", input.data, weight.data);
    else
        gen_print_line(out, depth, "acc += %s;", input.data);
    if (asks)
        gen_print_line(out, --depth, "}");
    ht_text_free(&input);
    ht_text_free(&weight);
    ht_text_free(&tests);
}

static void print_window_sum(gen_choice *choice, int depth, ht_text *out) {
    int first = depth;
    bool dense = choice->operation == GEN_CONVOLUTION;
    if (dense && !choice->window_first)
        depth = print_channel_loop(depth, out);
    depth = print_window_loops(choice, depth, out);
    if (dense && choice->window_first)
        depth = print_channel_loop(depth, out);
    print_term(choice, depth, out);
    while (depth > first)
        gen_print_line(out, --depth, "}");
}

/* ---- stars */

/* Prints the neighbour `far` away along dimension `d`, upwards or downwards. */
static void print_neighbour(gen_choice *choice, int d, const char *far, bool up, ht_text *out) {
    static const char *const centre[] = {"cx", "cy", "cz"};
    const char *spatial[GEN_DIMENSIONS] = {centre[0], centre[1], centre[2]};
    char place[64], clamped[96];
    snprintf(place, sizeof place, "%s %c %s", centre[d], up ? '+' : '-', far);
    bool tested = choice->padding == GEN_TESTED;
    spatial[d] = place;
    if (choice->padding == GEN_CLAMPED) {
        snprintf(clamped, sizeof clamped, up ? "min(%s, %s - 1)" : "max(%s, 0)", place,
                 choice->in_extent[d]);
        spatial[d] = clamped;
    }
    if (tested && up)
        ht_text_printf(out, "(%s < %s ? ", place, choice->in_extent[d]);
    else if (tested)
        ht_text_printf(out, "(%s >= 0 ? ", place);
    gen_print_input(choice, spatial, out);
    ht_text_append(out, tested ? " : 0)" : "");
}

static void print_coefficient(const gen_choice *choice, int at, const char *name, ht_text *out) {
    if (choice->weights)
        ht_text_printf(out, "w[%s]", name);
    else
        ht_text_printf(out,
                       *choice->type == 'f'   ? "0.%d5f"
                       : *choice->type == 'd' ? "0.%d5"
                                              : "%d",
                       at + 1);
}

static void print_ring(gen_choice *choice, int depth, int at, const char *name, ht_text *out) {
    for (int d = 0; d < choice->dimensions; ++d) {
        ht_text sum = {0}, by = {0};
        print_coefficient(choice, at, name, &by);
        print_neighbour(choice, d, name, false, &sum);
        ht_text_append(&sum, " + ");
        print_neighbour(choice, d, name, true, &sum);
        gen_print_line(out, depth, "acc += %s * (%s);", by.data, sum.data);
        ht_text_free(&sum);
        ht_text_free(&by);
    }
}

static void print_star(gen_choice *choice, int depth, ht_text *out) {
    static const char *const centre[] = {"cx", "cy", "cz"};
    char name[16];
    int radius = choice->window[0].value / 2;
    bool off = choice->padding == GEN_VALID || choice->padding == GEN_PADDED;
    for (int d = 0; d < choice->dimensions; ++d)
        if (off)
            gen_print_line(out, depth, "const %s %s = %s + %d;", gen_input_index_type(choice),
                           centre[d], choice->out_name[d], gen_radius(choice, d));
        else
            gen_print_line(out, depth, "const %s %s = %s;", gen_input_index_type(choice), centre[d],
                           choice->out_name[d]);
    ht_text first = {0};
    print_coefficient(choice, 0, "0", &first);
    ht_text_append(&first, " * ");
    gen_print_input(choice, centre, &first);
    gen_print_line(out, depth, "acc += %s;", first.data);
    ht_text_free(&first);
    if (choice->unrolled) {
        for (int at = 1; at <= radius; ++at) {
            snprintf(name, sizeof name, "%d", at);
            print_ring(choice, depth, at, name, out);
        }
        return;
    }
    gen_print_line(out, depth, "for (int d = 1; d <= %s / 2; ++d) {",
                   gen_number_text(&choice->window[0], name));
    print_ring(choice, depth + 1, 1, "d", out);
    gen_print_line(out, depth, "}");
}

void gen_print_sum(gen_choice *choice, int depth, ht_text *out) {
    bool maximum = choice->operation == GEN_MAXIMUM;
    gen_print_line(out, depth, "%s acc = %s;", choice->type, maximum ? "-10000" : "0");
    if (choice->operation == GEN_STAR)
        print_star(choice, depth, out);
    else
        print_window_sum(choice, depth, out);
}
