/* Writes a launcher function: the tuned geometry in terms of the kernel's own arguments. Problem
 * fields that no argument holds become arguments of the launcher. */
#include "refactor/rewrite/launcher.h"

#include "base/memory.h"
#include "refactor/kernel/expression.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/plan/coverage.h"
#include "refactor/plan/render.h"
#include "templates/expr/expr_c.h"

#include <stdlib.h>
#include <string.h>

/* The writing of one launcher. */
typedef struct writing {
    const ht_plan *plan;
    const ht_values *values;
    ht_text locals, limits; /* declarations and tests in the function's body */
    const char *axis;       /* axis being written: "x" */
    size_t held;            /* number of variables for the axis, not counting its extent */
    char **fields;          /* problem fields that are arguments of the launcher */
    size_t field_count;
} writing;

/* ---- names ---- */

static bool is_taken(const ht_model *model, const char *name) {
    const ht_source *source = model->facts->source;
    bool taken = strcmp(name, model->name) == 0 ||
                 ht_source_macro(source, name, 0, model->definition.range.end) != NULL;
    for (size_t i = 0; i < model->parameters.count; ++i)
        taken = taken || strcmp(model->parameters.items[i].name, name) == 0;
    return taken;
}

/* Returns `wanted`, with underscores appended until the name is free; free(). */
static char *free_name(const ht_model *model, const char *wanted) {
    char *name = ht_strdup(wanted);
    while (is_taken(model, name)) {
        char *longer = ht_format("%s_", name);
        free(name);
        name = longer;
    }
    return name;
}

char *ht_launcher_field(const ht_model *model, const char *field) {
    char *wanted = ht_format("problem_%s", field), *name = free_name(model, wanted);
    free(wanted);
    return name;
}

/* Returns the kernel's integer parameter that holds exactly this problem field; SIZE_MAX: there is
 * none. */
static size_t parameter_for(const ht_model *model, const char *field) {
    char *wanted = ht_format("problem.%s", field);
    const ht_problem_entry *entry = model->entry;
    size_t found = SIZE_MAX, index = 0;
    for (size_t i = 0; entry && i < entry->arg_count && found == SIZE_MAX; ++i) {
        const ht_arg *arg = &entry->args[i];
        if (!ht_arg_is_passed(arg))
            continue;
        if (arg->role == HT_ARG_SCALAR && arg->value_count == 1 && ht_argument_name(model, index)) {
            char *text = ht_expr_string(arg->values[0]);
            if (strcmp(text, wanted) == 0)
                found = index;
            free(text);
        }
        ++index;
    }
    free(wanted);
    return found;
}

/* Returns the kernel's parameter that has this name in expressions; SIZE_MAX: there is none. */
static size_t parameter_called(const ht_model *model, const char *name) {
    for (size_t i = 0; i < model->parameters.count; ++i) {
        const char *own = ht_argument_name(model, i);
        if (own && strcmp(own, name) == 0)
            return i;
    }
    return SIZE_MAX;
}

static bool parameter_write(const ht_parameter *parameter, ht_c_demand demand, ht_text *out) {
    CXType type = clang_getCanonicalType(clang_getCursorType(parameter->cursor));
    bool wide = clang_Type_getSizeOf(type) >= 8;
    bool is_unsigned = type.kind >= CXType_Bool && type.kind <= CXType_UInt128;
    bool plain = demand == HT_C_ANY ||
                 (demand == HT_C_MIXED ? !(wide && is_unsigned) : wide && !is_unsigned);
    ht_text_printf(out, plain ? "%s" : "(long long)%s", parameter->name);
    return true;
}

static bool field_write(writing *in, const char *field, ht_text *out) {
    char *name = ht_launcher_field(in->plan->model, field);
    bool known = false;
    for (size_t i = 0; i < in->field_count; ++i)
        known = known || strcmp(in->fields[i], name) == 0;
    ht_text_append(out, name);
    if (known) {
        free(name);
        return true;
    }
    HT_GROW(in->fields, in->field_count);
    in->fields[in->field_count++] = name;
    return true;
}

static bool name_write(void *context, const char *name, ht_c_demand demand, ht_text *out) {
    writing *in = context;
    const ht_model *model = in->plan->model;
    bool field = strncmp(name, "problem.", 8) == 0;
    size_t index = field ? parameter_for(model, name + 8) : parameter_called(model, name);
    if (index < model->parameters.count)
        return parameter_write(&model->parameters.items[index], demand, out);
    return field && field_write(in, name + 8, out);
}

/* Returns the value of a parameter of the template. */
static bool name_value(const void *context, const char *name, int64_t *out_value) {
    const writing *in = context;
    return ht_plan_value(in->values, name, out_value);
}

/* Declares const long long items_x = ...; and writes its name. */
static void text_hold(void *context, const char *text, ht_text *out) {
    writing *in = context;
    char *wanted =
        in->held++ ? ht_format("items_%s%zu", in->axis, in->held) : ht_format("items_%s", in->axis);
    char *name = free_name(in->plan->model, wanted);
    ht_text_printf(&in->locals, "    const long long %s = %s;\n", name, text);
    ht_text_append(out, name);
    free(name);
    free(wanted);
}

/* ---- extents ---- */

/* Returns a template expression as a number, or as a local variable with its value, which is
 * between `least` and `most`. free(); NULL: it cannot be written. */
static char *extent_write(writing *in, const char *expression, const char *wanted, int64_t least,
                          int64_t most) {
    const ht_expr_naming naming = {
        .write = name_write, .value = name_value, .hold = text_hold, .context = in};
    const ht_scope scope = {.lookup = name_value, .context = in};
    ht_expr *expr;
    int64_t value;
    in->axis = strchr(wanted, '_') + 1;
    in->held = 0;
    if (ht_expr_parse(expression, (ht_place){0}, &expr, NULL) != HT_OK)
        return NULL;
    char *text = NULL;
    ht_text own = {0};
    if (ht_expr_evaluate(expr, &scope, &value, NULL) == HT_OK && value >= least && value <= most)
        text = ht_format("%lld", (long long)value);
    else if (ht_expr_print_c(expr, &naming, false, &own)) {
        char *name = free_name(in->plan->model, wanted);
        ht_text_printf(&in->locals, "    const long long %s = %s;\n", name, own.data);
        ht_text_printf(&in->limits, "%s%s < %lld || %s > %lld", in->limits.length ? " || " : "",
                       name, (long long)least, name, (long long)most);
        text = ht_format("(unsigned)%s", name);
        free(name);
    }
    ht_text_free(&own);
    ht_expr_free(expr);
    return text;
}

/* Returns dim3(...) without ones at its end; free(). NULL: an axis cannot be written. */
static char *extents_text(char *const axes[3]) {
    int last = 0;
    for (int axis = 0; axis < 3; ++axis) {
        if (!axes[axis])
            return NULL;
        last = strcmp(axes[axis], "1") != 0 ? axis : last;
    }
    return ht_dim3_text(axes, last);
}

/* Writes grid, block and shared memory of the launch. */
static bool geometry_write(writing *in, const ht_grid *grid, ht_text *out) {
    static const char *const blocks[] = {"blocks_x", "blocks_y", "blocks_z"};
    static const char *const threads[] = {"threads_x", "threads_y", "threads_z"};
    char *grids[3], *of_block[3], *bytes = ht_grid_bytes(in->plan, grid);
    for (int axis = 0; axis < 3; ++axis) {
        char *after = ht_grid_after(in->plan, grid, axis);
        const char *block =
            in->plan->axes[axis].block ? in->plan->axes[axis].block : grid->block[axis];
        grids[axis] = extent_write(in, after, blocks[axis], 1, axis ? UINT16_MAX : INT32_MAX);
        of_block[axis] = extent_write(in, block ? block : "1", threads[axis], 1, 1024);
        free(after);
    }
    char *lds = extent_write(in, bytes ? bytes : "0", "shared_bytes", 0, INT32_MAX);
    char *of_grid = extents_text(grids), *of_blocks = extents_text(of_block);
    bool done = of_grid && of_blocks && lds;
    if (done)
        ht_text_printf(out, "%s, %s, %s", of_grid, of_blocks, lds);
    free(of_grid);
    free(of_blocks);
    for (int axis = 0; axis < 3; ++axis) {
        free(grids[axis]);
        free(of_block[axis]);
    }
    free(lds);
    free(bytes);
    return done;
}

/* ---- the function ---- */

static void signature_write(const writing *in, const char *stream, ht_text *out) {
    const ht_model *model = in->plan->model;
    ht_text_printf(out, "static inline hipError_t %s_tuned_launch(", model->name);
    for (size_t i = 0; i < model->parameters.count; ++i) {
        const ht_parameter *parameter = &model->parameters.items[i];
        CXString type = clang_getTypeSpelling(clang_getCursorType(parameter->cursor));
        const char *words = clang_getCString(type);
        bool closed = strchr("*&", words[strlen(words) - 1]) != NULL;
        ht_text_printf(out, closed ? "%s%s, " : "%s %s, ", words, parameter->name);
        clang_disposeString(type);
    }
    for (size_t i = 0; i < in->field_count; ++i)
        ht_text_printf(out, "long long %s, ", in->fields[i]);
    ht_text_printf(out, "hipStream_t %s = 0)\n{\n", stream);
}

static char *function_write(const writing *in, const char *geometry) {
    const ht_model *model = in->plan->model;
    char *stream = free_name(model, "stream");
    ht_text out = {0};
    signature_write(in, stream, &out);
    if (in->limits.length)
        ht_text_printf(&out,
                       "%s    if (%s)\n        return hipErrorInvalidConfiguration; // no device "
                       "launches that\n",
                       in->locals.data, in->limits.data);
    ht_text_printf(&out, "    hipLaunchKernelGGL(%s, %s, %s", model->name, geometry, stream);
    for (size_t i = 0; i < model->parameters.count; ++i)
        ht_text_printf(&out, ", %s", model->parameters.items[i].name);
    ht_text_append(&out, ");\n    return hipGetLastError();\n}\n");
    free(stream);
    return ht_text_take(&out);
}

/* Returns why no launcher can call the kernel; NULL: one can. */
static const char *unlaunchable(const ht_model *model) {
    if (model->definition.is_template)
        return "a launcher for a function template is not written";
    for (size_t i = 0; i < model->parameters.count; ++i) {
        CXType type =
            clang_getCanonicalType(clang_getCursorType(model->parameters.items[i].cursor));
        if (!model->parameters.items[i].name[0] || type.kind == CXType_ConstantArray ||
            type.kind == CXType_IncompleteArray)
            return "a launcher cannot pass an unnamed or array parameter";
    }
    return NULL;
}

const char *ht_plan_launcher(const ht_plan *plan, const ht_grid *grid, const ht_values *values,
                             char **out_text) {
    writing in = {.plan = plan, .values = values};
    ht_text geometry = {0};
    const char *problem = unlaunchable(plan->model);
    if (problem)
        return problem;
    if (geometry_write(&in, grid, &geometry))
        *out_text = function_write(&in, geometry.data);
    else
        problem = "the geometry cannot be written as C";
    ht_text_free(&geometry);
    ht_text_free(&in.locals);
    ht_text_free(&in.limits);
    ht_strings_free(in.fields, in.field_count);
    return problem;
}
