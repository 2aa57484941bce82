#include "loop/agent/pair.h"

#include "base/memory.h"
#include "base/text.h"
#include "templates/annotations/apart.h"
#include "templates/annotations/launches.h"

#include <stdlib.h>
#include <string.h>

/* The kernels that copy an input into the buffer that is launched with, as it is or turned round.
 * Names are hiptemper's own, which a rewrite may not use (rules.c). */
static const char copies[] =
    "#include <hip/hip_runtime.h>\n"
    "template <class T>\n"
    "__global__ void ht_gate_copy(T *to, const T *from, unsigned long long n) {\n"
    "    for (unsigned long long i = threadIdx.x; i < n; i += blockDim.x)\n"
    "        to[i] = from[i];\n"
    "}\n"
    "template <class T>\n"
    "__global__ void ht_gate_turn(T *to, const T *from, unsigned long long n) {\n"
    "    for (unsigned long long i = threadIdx.x; i < n; i += blockDim.x)\n"
    "        to[i] = from[n - 1 - i];\n"
    "}\n";

/* A template that is put together. */
typedef struct making {
    ht_template *made; /* a copy of the pair */
    size_t arg_count;  /* of the pair */
    ht_launch *own;    /* the pair's launches; owned */
    size_t own_count;
    ht_launch *reference; /* owned */
    size_t reference_count;
    ht_error *error;
    ht_status status;
} making;

/* ---- launches ---- */

static void launch_add(ht_launch **list, size_t *count, ht_launch launch) {
    HT_GROW(*list, *count);
    (*list)[(*count)++] = launch;
}

/* Returns true for a buffer that can be launched with a copy of: one that is passed by itself. */
static bool is_copied(const ht_arg *arg) {
    return arg->role == HT_ARG_IN && !arg->is_struct && !ht_arg_is_field(arg);
}

/* Adds arg(ht_gate_N : temp TYPE[EXTENT]) and arg(ht_gate_N_n : unsigned long long = EXTENT). */
static void buffer_add(making *in, size_t index) {
    ht_template *made = in->made;
    char *extent = ht_expr_string(made->args[index].extent);
    char *texts[] = {ht_format("ht_gate_%zu : temp %s[%s]", index, made->args[index].type, extent),
                     ht_format("ht_gate_%zu_n : unsigned long long = %s", index, extent)};
    for (size_t i = 0; i < 2 && in->status == HT_OK; ++i) {
        ht_arg arg;
        in->status = ht_arg_parse(texts[i], (ht_place){0}, &arg, in->error);
        if (in->status != HT_OK)
            break;
        made->args[made->arg_count++] = arg;
    }
    free(texts[0]);
    free(texts[1]);
    free(extent);
}

/* Adds the launches that fill the copies. */
static void copies_add(making *in, bool turned, ht_launch **list, size_t *count) {
    for (size_t i = 0; i < in->arg_count && in->status == HT_OK; ++i) {
        if (!is_copied(&in->made->args[i]))
            continue;
        char *text =
            ht_format("ht_gate_%s<%s> : ht_gate_%zu, %s, ht_gate_%zu_n", turned ? "turn" : "copy",
                      in->made->args[i].type, i, in->made->args[i].name, i);
        ht_launch launch;
        in->status = ht_launch_parse(text, (ht_place){0}, &launch, in->error);
        free(text);
        if (in->status != HT_OK)
            return;
        for (int axis = 0; axis < 2; ++axis)
            (void)ht_expr_parse(axis ? "1" : "256", (ht_place){0},
                                axis ? &launch.grid[0] : &launch.block[0], NULL);
        launch_add(list, count, launch);
    }
}

/* Names the arguments of a launch, with the copies in the place of inputs. */
static void arguments_redirect(const making *in, ht_launch *launch) {
    if (!launch->has_arguments) {
        launch->arguments = ht_alloc(in->arg_count + 1, sizeof *launch->arguments);
        for (size_t i = 0; i < in->arg_count; ++i)
            if (ht_arg_is_passed(&in->made->args[i]))
                launch->arguments[launch->argument_count++] = ht_strdup(in->made->args[i].name);
        launch->has_arguments = true;
    }
    for (size_t i = 0; i < launch->argument_count; ++i)
        for (size_t j = 0; j < in->arg_count; ++j)
            if (is_copied(&in->made->args[j]) &&
                strcmp(launch->arguments[i], in->made->args[j].name) == 0) {
                free(launch->arguments[i]);
                launch->arguments[i] = ht_format("ht_gate_%zu", j);
                break;
            }
}

/* Adds the kernel's own launches, on the copies. */
static void kernels_add(const making *in, const ht_launch *from, size_t from_count,
                        ht_launch **list, size_t *count) {
    for (size_t i = 0; i < from_count; ++i) {
        ht_launch launch;
        ht_launch_copy(&from[i], &launch);
        arguments_redirect(in, &launch);
        launch_add(list, count, launch);
    }
}

/* ---- making ---- */

static void launches_take(const ht_template *pair, ht_launch_set set, ht_launch **out,
                          size_t *out_count) {
    const ht_launch *from = ht_template_launches(pair, set, out_count);
    *out = ht_launch_list_copy(from, *out_count);
}

static void making_begin(making *in, const ht_template *pair, ht_error *error) {
    *in = (making){.made = ht_template_copy(pair), .arg_count = pair->arg_count, .error = error};
    launches_take(pair, HT_LAUNCHES_OWN, &in->own, &in->own_count);
    launches_take(pair, HT_LAUNCHES_REFERENCE, &in->reference, &in->reference_count);
    ht_template *made = in->made;
    ht_launch_list_free(made->launches, made->launch_count);
    ht_launch_list_free(made->reference_launches, made->reference_launch_count);
    ht_launch_list_free(made->baseline_launches, made->baseline_launch_count);
    made->launches = made->reference_launches = made->baseline_launches = NULL;
    made->launch_count = made->reference_launch_count = made->baseline_launch_count = 0;
    made->reference_kind = HT_REFERENCE_KERNEL;
    made->args = ht_realloc(made->args, 3 * in->arg_count + 1, sizeof *made->args);
    for (size_t i = 0; i < in->arg_count && in->status == HT_OK; ++i)
        if (is_copied(&made->args[i]))
            buffer_add(in, i);
}

/* Returns the template whose annotations are `made`'s, of this unit. */
static ht_status template_parse(const ht_template *made, const char *front, const char *unit,
                                ht_template **out_template, ht_error *error) {
    ht_text text = {0};
    size_t count = 0;
    if (!made->is_unit)
        ht_text_append(&text, "#pragma tune unit\n");
    ht_template_print(made, &text);
    ht_text_append(&text, front);
    ht_unit_part_print(unit, HT_UNIT_CODE, &text);
    ht_status status = ht_template_parse(text.data, made->file, out_template, &count, error);
    ht_text_free(&text);
    if (status == HT_OK && count != 1) {
        ht_template_free(*out_template, count);
        *out_template = NULL;
        status = ht_error_set(error, HT_ERROR_INTERNAL, "%zu templates where one is", count);
    }
    return status;
}

static ht_status making_end(making *in, const char *front, ht_template **out_template) {
    ht_status status = in->status;
    *out_template = NULL;
    if (status == HT_OK) {
        char *whole = ht_format("%s%s", front, copies);
        status = template_parse(in->made, whole, in->made->unit, out_template, in->error);
        free(whole);
    }
    ht_launch_list_free(in->own, in->own_count);
    ht_launch_list_free(in->reference, in->reference_count);
    ht_template_free(in->made, 1);
    return status;
}

ht_status ht_pair_twice(const ht_template *pair, ht_template **out_template, ht_error *error) {
    making in;
    making_begin(&in, pair, error);
    ht_template *made = in.made;
    for (int turn = 0; turn < 2; ++turn) {
        copies_add(&in, turn, &made->launches, &made->launch_count);
        kernels_add(&in, in.own, in.own_count, &made->launches, &made->launch_count);
        copies_add(&in, turn, &made->reference_launches, &made->reference_launch_count);
        kernels_add(&in, in.reference, in.reference_count, &made->reference_launches,
                    &made->reference_launch_count);
    }
    return making_end(&in, "", out_template);
}

ht_status ht_pair_blind(const ht_template *pair, bool original, ht_template **out_template,
                        ht_error *error) {
    making in;
    making_begin(&in, pair, error);
    ht_template *made = in.made;
    const ht_launch *from = original ? in.reference : in.own;
    size_t count = original ? in.reference_count : in.own_count;
    copies_add(&in, false, &made->launches, &made->launch_count);
    kernels_add(&in, from, count, &made->launches, &made->launch_count);
    copies_add(&in, true, &made->reference_launches, &made->reference_launch_count);
    kernels_add(&in, from, count, &made->reference_launches, &made->reference_launch_count);
    return making_end(&in,
                      original ? "#undef " HT_REFERENCE_MACRO "\n#define " HT_REFERENCE_MACRO "\n"
                               : "#undef " HT_REFERENCE_MACRO "\n",
                      out_template);
}

ht_status ht_pair_timed(const ht_template *pair, ht_template **out_template, ht_error *error) {
    ht_template *made = ht_template_copy(pair);
    ht_launch_list_free(made->baseline_launches, made->baseline_launch_count);
    launches_take(pair, HT_LAUNCHES_REFERENCE, &made->baseline_launches,
                  &made->baseline_launch_count);
    ht_status status = template_parse(made, "", made->unit, out_template, error);
    ht_template_free(made, 1);
    return status;
}

/* Gives the reference's kernels names of their own, by macros: the rewrite's have template
 * parameters, which are read off the text by name. */
static void reference_rename(ht_template *made, ht_text *out) {
    for (size_t i = 0; i < made->reference_launch_count; ++i) {
        char *name = made->reference_launches[i].kernel, *last = strrchr(name, ':');
        const char *plain = last ? last + 1 : name;
        bool known = false;
        for (size_t j = 0; j < i; ++j)
            known = known || ht_text_begins(made->reference_launches[j].kernel, name);
        if (!known)
            ht_text_printf(out, "#define %s %s__reference\n", plain, plain);
        made->reference_launches[i].kernel = ht_format("%s__reference", name);
        free(name);
    }
}

ht_status ht_pair_join(const ht_template *rewrite, const ht_template *pair,
                       ht_template **out_template, ht_error *error) {
    ht_template *made = ht_template_copy(rewrite);
    ht_text unit = {0};
    ht_launch_list_free(made->reference_launches, made->reference_launch_count);
    ht_launch_list_free(made->baseline_launches, made->baseline_launch_count);
    made->baseline_launches = NULL;
    made->baseline_launch_count = 0;
    launches_take(pair, HT_LAUNCHES_REFERENCE, &made->reference_launches,
                  &made->reference_launch_count);
    made->reference_kind = HT_REFERENCE_KERNEL;
    ht_text_append(&unit, "#include <hip/hip_runtime.h>\n#ifdef " HT_REFERENCE_MACRO "\n");
    reference_rename(made, &unit);
    ht_unit_part_print(pair->unit, HT_UNIT_CODE, &unit);
    ht_text_append(&unit, "\n#else\n");
    ht_unit_part_print(rewrite->unit, HT_UNIT_CODE, &unit);
    ht_text_append(&unit, "\n#endif\n");
    ht_status status = template_parse(made, "", unit.data, out_template, error);
    ht_text_free(&unit);
    ht_template_free(made, 1);
    return status;
}
