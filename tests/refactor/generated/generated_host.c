#include "tests/refactor/generated/generated.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers */

static const char *block_text(const gen_choice *choice, int axis, char buffer[16]) {
    if (choice->block_form == GEN_LITERAL || choice->block[axis] == 1)
        snprintf(buffer, 16, "%d", choice->block[axis]);
    else
        snprintf(buffer, 16, "BLOCK_%c", "ABC"[axis]);
    return buffer;
}

void gen_print_constants(const gen_choice *choice, ht_text *out) {
    for (int d = 0; d < gen_windows(choice); ++d) {
        const gen_number *window = &choice->window[d];
        if (window->form == GEN_MACRO)
            ht_text_printf(out, "#define %s %d\n", window->name, window->value);
        else if (window->form == GEN_CONSTEXPR)
            ht_text_printf(out, "constexpr int %s = %d;\n", window->name, window->value);
    }
    for (int axis = 0; axis < 3 && choice->block_form != GEN_LITERAL; ++axis)
        if (choice->block[axis] > 1 || choice->block_constant)
            ht_text_printf(out,
                           choice->block_form == GEN_MACRO ? "#define BLOCK_%c %d\n"
                                                           : "constexpr int BLOCK_%c = %d;\n",
                           "ABC"[axis], choice -> block[axis]);
    ht_text_append(out, "\n");
}

/* ---- extents: in terms of names of the host, or of fields; the same but for the window */

static void window_text(const gen_choice *choice, int d, bool problem, char buffer[16]) {
    const gen_number *window = &choice->window[d];
    if (window->form == GEN_ARGUMENT || (!problem && window->form != GEN_TEMPLATE))
        gen_number_text(window, buffer);
    else
        snprintf(buffer, 16, "%d", window->value);
}

/* Prints the extent that is not given, from the one that is. */
static void print_derived(const gen_choice *choice, int d, bool problem, ht_text *out) {
    char window[16];
    window_text(choice, d, problem, window);
    if (choice->from_outputs)
        ht_text_printf(out, "(%s - 1) * %d + %d * (%s - 1) + 1 - %d", choice->out_extent[d],
                       choice->stride, choice->dilation, window, 2 * choice->pad[d]);
    else
        ht_text_printf(out, "(%s + %d - %d * (%s - 1) - 1) / %d + 1", choice->in_extent[d],
                       2 * choice->pad[d], choice->dilation, window, choice->stride);
}

static const char *given_extent(const gen_choice *choice, int d) {
    return choice->from_outputs ? choice->out_extent[d] : choice->in_extent[d];
}

static const char *derived_extent(const gen_choice *choice, int d) {
    return choice->from_outputs ? choice->in_extent[d] : choice->out_extent[d];
}

/* ---- arguments */

static void print_elements(const gen_choice *choice, const char *what, ht_text *out) {
    const char *extents[GEN_COORDINATES];
    char buffers[GEN_DIMENSIONS][48], number[16];
    if (strcmp(what, "in") == 0) {
        int count = gen_input_extents(choice, extents, buffers);
        for (int i = 0; i < count; ++i)
            ht_text_printf(out, i ? " * %s" : "%s", extents[i]);
    } else if (strcmp(what, "out") == 0) {
        for (int i = 0; i < choice->coordinate_count; ++i)
            ht_text_printf(out, i ? " * %s" : "%s", choice->coordinates[i].extent);
    } else if (strcmp(what, "bias") == 0) {
        ht_text_append(out, choice->operation == GEN_CONVOLUTION ? "K" : "C");
    } else if (choice->operation == GEN_STAR) {
        window_text(choice, 0, true, number);
        ht_text_printf(out, "(%s / 2 + 1)", number);
    } else {
        ht_text_append(out, choice->operation == GEN_CONVOLUTION ? "K * C"
                            : choice->channels                   ? "C"
                                                                 : "1");
        for (int d = 0; d < choice->dimensions; ++d) {
            window_text(choice, d, true, number);
            ht_text_printf(out, " * %s", number);
        }
    }
}

/* Returns names (all in capitals) with `problem.` in front. */
static char *fields_of(const char *text) {
    ht_text out = {0};
    for (const char *at = text; *at; ++at) {
        bool begins = *at >= 'A' && *at <= 'Z' &&
                      (at == text || !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", at[-1]));
        if (begins)
            ht_text_append(&out, "problem.");
        ht_text_append_n(&out, at, 1);
    }
    return ht_text_take(&out);
}

static void buffer_tell(const gen_choice *choice, const char *name, gen_argument each,
                        void *context) {
    ht_text elements = {0};
    print_elements(choice, name, &elements);
    char *fields = fields_of(elements.data);
    bool written = strcmp(name, "out") == 0;
    char *type = ht_format("%s%s *", written ? "" : "const ", choice->type);
    char *problem = ht_format("%s : %s %s[%s]", name, written ? "out" : "in", choice->type, fields);
    each(context, name, type, problem);
    free(problem);
    free(type);
    free(fields);
    ht_text_free(&elements);
}

static void scalar_tell(const char *name, gen_argument each, void *context) {
    char *problem = ht_format("%s : int = problem.%s", name, name);
    each(context, name, "int", problem);
    free(problem);
}

void gen_arguments(const gen_choice *choice, gen_argument each, void *context) {
    buffer_tell(choice, "in", each, context);
    if (choice->weights)
        buffer_tell(choice, "w", each, context);
    if (choice->bias)
        buffer_tell(choice, "bias", each, context);
    buffer_tell(choice, "out", each, context);
    if (choice->batch)
        scalar_tell("N", each, context);
    if (choice->channels)
        scalar_tell("C", each, context);
    if (choice->operation == GEN_CONVOLUTION)
        scalar_tell("K", each, context);
    for (int d = 0; d < choice->dimensions; ++d)
        scalar_tell(choice->in_extent[d], each, context);
    for (int d = 0; d < choice->dimensions && !choice->same; ++d)
        scalar_tell(choice->out_extent[d], each, context);
    for (int d = 0; d < gen_windows(choice); ++d)
        if (choice->window[d].form == GEN_ARGUMENT)
            scalar_tell(choice->window[d].name, each, context);
}

/* ---- host */

typedef struct host {
    const gen_choice *choice;
    ht_text *out;
    int count;
} host;

static void name_print(void *context, const char *name, const char *type, const char *problem) {
    host *in = context;
    bool pointer = type[strlen(type) - 1] == '*';
    (void)problem;
    ht_text_printf(in->out, pointer ? "%sd_%s" : "%s%s", in->count++ ? ", " : "", name);
}

static void allocate_print(void *context, const char *name, const char *type, const char *problem) {
    host *in = context;
    (void)problem;
    if (type[strlen(type) - 1] != '*')
        return;
    ht_text elements = {0};
    print_elements(in->choice, name, &elements);
    gen_print_line(in->out, 1, "%s *d_%s;", in->choice->type, name);
    gen_print_line(in->out, 1, "hipMalloc(&d_%s, sizeof(%s) * %s);", name, in->choice->type,
                   elements.data);
    ht_text_free(&elements);
}

static void field_print(void *context, const char *name, const char *type, const char *problem) {
    host *in = context;
    (void)problem;
    bool derived = false;
    for (int d = 0; d < in->choice->dimensions && !in->choice->same; ++d)
        derived = derived || strcmp(name, derived_extent(in->choice, d)) == 0;
    if (type[strlen(type) - 1] != '*' && !derived)
        ht_text_printf(in->out, in->count++ ? ", int %s" : "int %s", name);
}

static void print_axis(const gen_choice *choice, int axis, ht_text *out) {
    char block[16];
    const gen_coordinate *all = choice->coordinates;
    block_text(choice, axis, block);
    if (choice->flat) {
        ht_text total = {0};
        for (int i = 0; i < choice->coordinate_count; ++i)
            ht_text_printf(&total, i ? " * %s" : "%s", all[i].extent);
        ht_text_printf(out, axis ? "1" : "(%s + %s - 1) / %s", total.data, block, block);
        ht_text_free(&total);
        return;
    }
    for (int i = 0; i < choice->coordinate_count; ++i) {
        if (all[i].axis != axis || all[i].from == GEN_LOOP)
            continue;
        if (all[i].from == GEN_COMBINED)
            ht_text_printf(out, "%s * %s", all[i].extent, all[i + 1].extent);
        else if (all[i].from == GEN_BLOCK)
            ht_text_append(out, all[i].extent);
        else if (all[i].from == GEN_ROWS)
            ht_text_printf(out, "(%s + %d) / %d", all[i].extent, GEN_ROWS_A_THREAD - 1,
                           GEN_ROWS_A_THREAD);
        else if (choice->guard == GEN_EXACT)
            ht_text_printf(out, "%s / %s", all[i].extent, block);
        else
            ht_text_printf(out, choice->horner ? "(%s + %s - 1) / %s" : "div_up(%s, %s)",
                           all[i].extent, block, block);
        return;
    }
    ht_text_append(out, "1");
}

void gen_print_host(gen_choice *choice, ht_text *out) {
    host in = {choice, out, 0};
    char x[16], y[16], z[16];
    if (!choice->horner)
        ht_text_append(out,
                       "static int div_up(int a, int b) {\n    return (a + b - 1) / b;\n}\n\n");
    ht_text_append(out, "void run(");
    gen_arguments(choice, field_print, &in);
    ht_text_append(out, ") {\n");
    for (int d = 0; d < choice->dimensions && !choice->same; ++d) {
        ht_text derived = {0};
        print_derived(choice, d, false, &derived);
        gen_print_line(out, 1, "const int %s = %s;", derived_extent(choice, d), derived.data);
        ht_text_free(&derived);
    }
    gen_arguments(choice, allocate_print, &in);
    gen_print_line(out, 1, "dim3 block(%s, %s, %s);", block_text(choice, 0, x),
                   block_text(choice, 1, y), block_text(choice, 2, z));
    ht_text_append(out, "    dim3 grid(");
    for (int axis = 0; axis < 3; ++axis) {
        ht_text_append(out, axis ? ", " : "");
        print_axis(choice, axis, out);
    }
    ht_text_append(out, ");\n");
    ht_text name = {0};
    ht_text_printf(&name, "gen_%llu", (unsigned long long)choice->number);
    for (int d = 0; d < gen_windows(choice) && choice->window[0].form == GEN_TEMPLATE; ++d)
        ht_text_printf(&name, "%s%d%s", d ? ", " : "<", choice->window[d].value,
                       d == gen_windows(choice) - 1 ? ">" : "");
    if (choice->arrows)
        ht_text_printf(out, "    %s<<<grid, block>>>(", name.data);
    else if (choice->window[0].form == GEN_TEMPLATE)
        ht_text_printf(out, "    hipLaunchKernelGGL((%s), grid, block, 0, 0, ", name.data);
    else
        ht_text_printf(out, "    hipLaunchKernelGGL(%s, grid, block, 0, 0, ", name.data);
    ht_text_free(&name);
    in.count = 0;
    gen_arguments(choice, name_print, &in);
    ht_text_append(out, ");\n    hipDeviceSynchronize();\n}\n");
}

/* ---- problem */

static void entry_print(void *context, const char *name, const char *type, const char *problem) {
    host *in = context;
    (void)name, (void)type;
    ht_text_printf(in->out, in->count++ ? ",\n   \"%s\"" : "\n   \"%s\"", problem);
}

static int output_value(const gen_choice *choice, int d) {
    static const int least[GEN_DIMENSIONS + 1] = {0, 150, 21, 13};
    const gen_coordinate *at = NULL;
    for (int i = 0; i < choice->coordinate_count; ++i)
        if (choice->coordinates[i].spatial == d)
            at = &choice->coordinates[i];
    int value = least[choice->dimensions] + (int)((choice->number * 7 + (uint64_t)d * 5) % 11);
    if (choice->guard == GEN_EXACT && at->from == GEN_GLOBAL) {
        int block = choice->block[at->axis];
        value = (value + block - 1) / block * block;
    }
    return value;
}

static int channel_value(const gen_choice *choice, const char *name) {
    int value = strcmp(name, "N") == 0 ? 2 : 3 + (int)((choice->number + (uint64_t)*name) % 4);
    for (int i = 0; i < choice->coordinate_count; ++i) {
        const gen_coordinate *at = &choice->coordinates[i];
        if (choice->guard == GEN_EXACT && at->from == GEN_GLOBAL && strcmp(at->extent, name) == 0)
            value = choice->block[at->axis];
    }
    return value;
}

static int field_value(const gen_choice *choice, const char *name) {
    for (int d = 0; d < choice->dimensions; ++d) {
        int span = choice->dilation * (choice->window[d].value - 1) + 1;
        int value = output_value(choice, d);
        if (choice->window[d].form == GEN_ARGUMENT && strcmp(name, choice->window[d].name) == 0)
            return choice->window[d].value;
        if (strcmp(name, given_extent(choice, d)) == 0)
            return choice->same || choice->from_outputs
                       ? value
                       : (value - 1) * choice->stride + span - 2 * choice->pad[d];
    }
    return channel_value(choice, name);
}

typedef struct fields {
    const gen_choice *choice;
    ht_text names, values;
} fields;

static void field_tell(void *context, const char *name, const char *type, const char *problem) {
    fields *in = context;
    (void)problem;
    bool derived = false;
    for (int d = 0; d < in->choice->dimensions && !in->choice->same; ++d)
        derived = derived || strcmp(name, derived_extent(in->choice, d)) == 0;
    if (type[strlen(type) - 1] == '*' || derived)
        return;
    ht_text_printf(&in->names, in->names.length ? ", %s" : "%s", name);
    ht_text_printf(&in->values, in->values.length ? ", \"%s\": %d" : "\"%s\": %d", name,
                   field_value(in->choice, name));
}

void gen_print_problem(const gen_choice *choice, ht_text *out) {
    host in = {choice, out, 0};
    fields of = {.choice = choice};
    gen_arguments(choice, field_tell, &of);
    ht_text_printf(
        out,
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [\n {\"kernel\": "
        "\"gen_%llu\", \"problem\": \"generated : %s",
        (unsigned long long)choice->number, of.names.data);
    for (int d = 0; d < choice->dimensions && !choice->same; ++d) {
        ht_text_printf(out, ", %s := ", derived_extent(choice, d));
        print_derived(choice, d, true, out);
    }
    ht_text_append(out, "\",\n  \"args\": [");
    gen_arguments(choice, entry_print, &in);
    ht_text_printf(
        out,
        "],\n  \"tolerance\": \"1e-5\",\n  \"instances\": [{\"name\": \"a\", \"fields\": "
        "{%s}}]}]}\n",
        of.values.data);
    ht_text_free(&of.names);
    ht_text_free(&of.values);
}
