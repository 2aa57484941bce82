#include "tests/refactor/generated/generated.h"

#include <stdio.h>
#include <string.h>

void gen_print_line(ht_text *out, int depth, const char *format, ...) {
    va_list args;
    char text[1024];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ht_text_printf(out, "%*s%s\n", 4 * depth, "", text);
}

void gen_print_subscript(bool horner, const char *const *coordinates, const char *const *extents,
                         int count, ht_text *out) {
    for (int i = 0; horner && i + 2 < count; ++i)
        ht_text_append(out, "(");
    for (int i = 0; i < count; ++i) {
        bool atom = strcspn(coordinates[i], " ") == strlen(coordinates[i]);
        bool last = i == count - 1;
        ht_text_append(out, i ? " + " : "");
        ht_text_printf(out, atom || last ? "%s" : "(%s)", coordinates[i]);
        if (horner && !last)
            ht_text_printf(out, i ? ") * %s" : " * %s", extents[i + 1]);
        for (int k = i + 1; !horner && k < count; ++k)
            ht_text_printf(out, " * %s", extents[k]);
    }
}

/* ---- the input */

static int input_layout(const gen_choice *choice, const char *const *spatial, const char **out) {
    int count = 0;
    if (choice->batch)
        out[count++] = "n";
    if (choice->channels && !choice->nhwc)
        out[count++] = "c";
    for (int d = choice->dimensions - 1; d >= 0; --d)
        out[count++] = spatial[d];
    if (choice->channels && choice->nhwc)
        out[count++] = "c";
    return count;
}

int gen_input_extents(const gen_choice *choice, const char **out, char buffers[][48]) {
    int count = 0;
    if (choice->batch)
        out[count++] = "N";
    if (choice->channels && !choice->nhwc)
        out[count++] = "C";
    for (int d = choice->dimensions - 1; d >= 0; --d)
        out[count++] = gen_input_extent(choice, d, buffers[d]);
    if (choice->channels && choice->nhwc)
        out[count++] = "C";
    return count;
}

void gen_print_input(const gen_choice *choice, const char *const *spatial, ht_text *out) {
    const char *coordinates[GEN_COORDINATES], *extents[GEN_COORDINATES];
    char buffers[GEN_DIMENSIONS][48];
    int count = input_layout(choice, spatial, coordinates);
    gen_input_extents(choice, extents, buffers);
    if (!choice->address_macro && !choice->address_function) {
        ht_text_append(out, "in[");
        gen_print_subscript(choice->horner, coordinates, extents, count, out);
        ht_text_append(out, "]");
        return;
    }
    ht_text_append(out, choice->address_macro ? "IN(" : "in[place(");
    for (int i = 0; i < count; ++i)
        ht_text_printf(out, i ? ", %s" : "%s", coordinates[i]);
    for (int i = 1; choice->address_function && i < count; ++i)
        ht_text_printf(out, ", %s", extents[i]);
    ht_text_append(out, choice->address_macro ? ")" : ")]");
}

void gen_print_helpers(const gen_choice *choice, ht_text *out) {
    static const char *const letters[] = {"a", "b", "c_", "d", "e"};
    static const char *const given[] = {"", "nb", "nc", "nd", "ne"};
    static const char *const wrapped[] = {"(a)", "(b)", "(c_)", "(d)", "(e)"};
    const char *extents[GEN_COORDINATES];
    char buffers[GEN_DIMENSIONS][48];
    int count = gen_input_extents(choice, extents, buffers);
    if (choice->padding == GEN_CLAMPED && choice->test_form == 2)
        ht_text_append(out, "__device__ inline int clamped(int v, int n) {\n"
                            "    return v < 0 ? 0 : v >= n ? n - 1 : v;\n}\n");
    if (choice->address_macro) {
        ht_text_append(out, "#define IN(");
        for (int i = 0; i < count; ++i)
            ht_text_printf(out, i ? ", %s" : "%s", letters[i]);
        ht_text_append(out, ") in[");
        gen_print_subscript(choice->horner, wrapped, extents, count, out);
        ht_text_append(out, "]\n");
    } else if (choice->address_function) {
        ht_text_append(out, "__device__ __forceinline__ int place(");
        for (int i = 0; i < count; ++i)
            ht_text_printf(out, i ? ", int %s" : "int %s", letters[i]);
        for (int i = 1; i < count; ++i)
            ht_text_printf(out, ", int %s", given[i]);
        ht_text_append(out, ") {\n    return ");
        gen_print_subscript(choice->horner, letters, given, count, out);
        ht_text_append(out, ";\n}\n");
    }
}

/* ---- indices and guards */

static void print_global(gen_choice *choice, int axis, const char *name, ht_text *out) {
    const char letter = "xyz"[axis];
    char index[96];
    if (choice->block_constant)
        snprintf(index, sizeof index, "blockIdx.%c * BLOCK_%c + threadIdx.%c", letter, "ABC"[axis],
                 letter);
    else if (choice->old_spelling)
        snprintf(index, sizeof index, "hipBlockIdx_%c * hipBlockDim_%c + hipThreadIdx_%c", letter,
                 letter, letter);
    else if (gen_below(choice, 3) == 0)
        snprintf(index, sizeof index, "threadIdx.%c + blockDim.%c * blockIdx.%c", letter, letter,
                 letter);
    else
        snprintf(index, sizeof index, "blockIdx.%c * blockDim.%c + threadIdx.%c", letter, letter,
                 letter);
    gen_print_line(out, 1, "%s%s %s = %s;", gen_below(choice, 2) ? "const " : "",
                   choice->index_type, name, index);
}

static void print_flat(gen_choice *choice, ht_text *out) {
    const gen_coordinate *all = choice->coordinates;
    int count = choice->coordinate_count;
    bool rest = gen_below(choice, 2);
    if (rest)
        gen_print_line(out, 1, "int rest = i;");
    for (int i = count - 1; i >= 0; --i) {
        ht_text inner = {0};
        for (int k = i + 1; k < count; ++k)
            ht_text_printf(&inner, k > i + 1 ? " * %s" : "%s", all[k].extent);
        if (rest)
            gen_print_line(out, 1, i ? "const int %s = rest %% %s;" : "const int %s = rest;",
                           all[i].name, all[i].extent);
        else if (i == count - 1)
            gen_print_line(out, 1, i ? "const int %s = i %% %s;" : "const int %s = i;", all[i].name,
                           all[i].extent);
        else
            gen_print_line(out, 1,
                           i ? "const int %s = i / (%s) %% %s;" : "const int %s = i / (%s);",
                           all[i].name, inner.data, all[i].extent);
        if (rest && i)
            gen_print_line(out, 1, "rest /= %s;", all[i].extent);
        ht_text_free(&inner);
    }
}

static void print_indices(gen_choice *choice, ht_text *out) {
    const gen_coordinate *all = choice->coordinates;
    if (choice->flat)
        print_global(choice, 0, "i", out);
    for (int i = choice->coordinate_count - 1; i >= 0; --i) {
        const gen_coordinate *at = &all[i];
        if (at->from == GEN_GLOBAL)
            print_global(choice, at->axis, at->name, out);
        else if (at->from == GEN_COMBINED)
            gen_print_line(out, 1, "const int %s = blockIdx.z / %s;", at->name, all[i + 1].extent);
        else if (at->from == GEN_BLOCK && i > 0 && all[i - 1].from == GEN_COMBINED)
            gen_print_line(out, 1, "const int %s = blockIdx.z %% %s;", at->name, at->extent);
        else if (at->from == GEN_BLOCK)
            gen_print_line(out, 1, "const int %s = blockIdx.%c;", at->name, "xyz"[at->axis]);
    }
}

/* Prints the test of a coordinate, as a condition to go on or to leave; false: there is none. */
static bool print_question(const gen_choice *choice, const gen_coordinate *at, bool leave,
                           ht_text *out) {
    bool inside = choice->padding == GEN_INTERIOR && at->spatial >= 0;
    bool above = at->from == GEN_GLOBAL && choice->guard != GEN_EXACT;
    if (!inside && !above)
        return false;
    if (inside) {
        int radius = gen_radius(choice, at->spatial);
        ht_text_printf(out, leave ? "%s < %d || %s >= %s - %d" : "%s >= %d && %s < %s - %d",
                       at->name, radius, at->name, at->extent, radius);
    } else
        ht_text_printf(out, leave ? "%s >= %s" : "%s < %s", at->name, at->extent);
    return true;
}

/* Returns the depth of the statements that follow. */
static int print_guards(gen_choice *choice, ht_text *out) {
    ht_text all = {0};
    bool leave = choice->guard != GEN_WRAPPED, single = choice->guard == GEN_PER_AXIS;
    if (choice->flat) {
        for (int i = 0; i < choice->coordinate_count; ++i)
            ht_text_printf(&all, i ? " * %s" : "%s", choice->coordinates[i].extent);
        gen_print_line(out, 1, "if (i >= %s) return;", all.data);
        ht_text_free(&all);
        print_flat(choice, out);
    }
    for (int i = choice->coordinate_count - 1; i >= 0; --i) {
        const gen_coordinate *at = &choice->coordinates[i];
        ht_text one = {0};
        if (at->from != GEN_LOOP && at->from != GEN_ROWS &&
            print_question(choice, at, leave, &one)) {
            if (single)
                gen_print_line(out, 1, "if (%s) return;", one.data);
            else
                ht_text_printf(&all, all.length ? leave ? " || %s" : " && %s" : "%s", one.data);
        }
        ht_text_free(&one);
    }
    bool wrapped = all.length && !leave;
    if (all.length && leave)
        gen_print_line(out, 1, "if (%s)", all.data), gen_print_line(out, 2, "return;");
    else if (wrapped)
        gen_print_line(out, 1, "if (%s) {", all.data);
    ht_text_free(&all);
    return wrapped ? 2 : 1;
}

static int print_output_loops(gen_choice *choice, int depth, ht_text *out) {
    for (int i = 0; i < choice->coordinate_count; ++i) {
        const gen_coordinate *at = &choice->coordinates[i];
        bool inside = choice->padding == GEN_INTERIOR && at->spatial >= 0;
        int radius = inside ? gen_radius(choice, at->spatial) : 0;
        if (at->from == GEN_LOOP && inside)
            gen_print_line(out, depth++, "for (int %s = %d; %s < %s - %d; ++%s) {", at->name,
                           radius, at->name, at->extent, radius, at->name);
        else if (at->from == GEN_LOOP)
            gen_print_line(out, depth++, "for (int %s = 0; %s < %s; %s++) {", at->name, at->name,
                           at->extent, at->name);
        if (at->from != GEN_ROWS)
            continue;
        gen_print_line(out, depth++, "for (int j = 0; j < %d; ++j) {", GEN_ROWS_A_THREAD);
        gen_print_line(out, depth, "const int %s = blockIdx.%c * %d + j;", at->name,
                       "xyz"[at->axis], GEN_ROWS_A_THREAD);
        if (inside)
            gen_print_line(out, depth, "if (%s < %d || %s >= %s - %d) continue;", at->name, radius,
                           at->name, at->extent, radius);
        else
            gen_print_line(out, depth, "if (%s >= %s) %s;", at->name, at->extent,
                           gen_below(choice, 2) ? "break" : "continue");
    }
    return depth;
}

/* ---- the whole */

typedef struct listing {
    ht_text *out;
    int count;
} listing;

static void argument_print(void *context, const char *name, const char *type, const char *problem) {
    listing *in = context;
    bool pointer = type[strlen(type) - 1] == '*';
    (void)problem;
    ht_text_printf(in->out, "%s%s%s%s", in->count++ ? ", " : "", type, pointer ? "" : " ", name);
}

static void print_store(gen_choice *choice, int depth, ht_text *out) {
    const char *names[GEN_COORDINATES], *extents[GEN_COORDINATES];
    ht_text place = {0};
    for (int i = 0; i < choice->coordinate_count; ++i) {
        names[i] = choice->coordinates[i].name;
        extents[i] = choice->coordinates[i].extent;
    }
    gen_print_subscript(choice->horner, names, extents, choice->coordinate_count, &place);
    if (choice->bias)
        gen_print_line(out, depth, "acc += bias[%s];",
                       choice->operation == GEN_CONVOLUTION ? "k" : "c");
    gen_print_line(out, depth, choice->relu ? "out[%s] = acc > 0 ? acc : 0;" : "out[%s] = acc;",
                   place.data);
    ht_text_free(&place);
}

void gen_print_kernel(gen_choice *choice, ht_text *out) {
    listing arguments = {out, 0};
    gen_print_helpers(choice, out);
    if (choice->window[0].form == GEN_TEMPLATE) {
        ht_text_append(out, "template <");
        for (int d = 0; d < gen_windows(choice); ++d)
            ht_text_printf(out, d ? ", int %s" : "int %s", choice->window[d].name);
        ht_text_append(out, ">\n");
    }
    ht_text_printf(out, "__global__ void gen_%llu(", (unsigned long long)choice->number);
    gen_arguments(choice, argument_print, &arguments);
    ht_text_append(out, ") {\n");
    print_indices(choice, out);
    int guarded = print_guards(choice, out);
    int depth = print_output_loops(choice, guarded, out);
    gen_print_sum(choice, depth, out);
    print_store(choice, depth, out);
    while (depth-- > 1)
        gen_print_line(out, depth, "}");
    ht_text_append(out, "}\n\n");
}
