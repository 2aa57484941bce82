/* A launcher function: the tuned geometry in terms of the kernel's own arguments. Problem fields
 * that no argument holds become arguments of the launcher. */
#include "refactor/launcher.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct fields {
    char **names;
    size_t count;
} fields;

static const char *const helpers[][2] = {
    {"ceil_div", "auto ceil_div = [](long a, long b) { return (a + b - 1) / b; };"},
    {"min", "auto min = [](long a, long b) { return a < b ? a : b; };"},
    {"max", "auto max = [](long a, long b) { return a > b ? a : b; };"},
    {"round_up", "auto round_up = [](long a, long b) { return (a + b - 1) / b * b; };"},
};

/* The kernel's scalar parameter that holds exactly this problem field. */
static const char *parameter_for(const ht_model *model, const char *field) {
    char *wanted = ht_format("problem.%s", field);
    const ht_problem_entry *entry = model->entry;
    const char *found = NULL;
    size_t index = 0;
    for (size_t i = 0; entry && i < entry->arg_count && !found; ++i) {
        const ht_arg *arg = &entry->args[i];
        if (arg->role == HT_ARG_CONSTANT)
            continue;
        if (arg->role == HT_ARG_SCALAR && arg->value_count == 1 && index < model->parameter_count &&
            model->parameters[index].name[0]) {
            char *text = ht_expr_string(arg->values[0]);
            if (strcmp(text, wanted) == 0)
                found = model->parameters[index].name;
            free(text);
        }
        ++index;
    }
    free(wanted);
    return found;
}

static void field_note(fields *list, const char *name) {
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->names[i], name) == 0)
            return;
    HT_GROW(list->names, list->count);
    list->names[list->count++] = ht_strdup(name);
}

static bool is_param(const ht_plan *plan, const char *name) {
    for (size_t i = 0; i < plan->param_count; ++i)
        if (strcmp(plan->params[i].name, name) == 0)
            return true;
    return false;
}

static bool is_helper(const char *name) {
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; ++i)
        if (strcmp(helpers[i][0], name) == 0)
            return true;
    return false;
}

/* A template expression as C: parameters by value, problem fields by argument. */
static bool write_c(const ht_plan *plan, const ht_values *values, const char *expression,
                    fields *list, ht_text *out) {
    ht_tokens tokens;
    bool done = true;
    ht_tokens_read(expression, (ht_range){0, strlen(expression)}, false, &tokens);
    for (size_t i = 0; i < tokens.count && done; ++i) {
        char *name = ht_tokens_text(&tokens, i);
        int64_t value;
        if (out->length && i > 0)
            ht_text_append(out, tokens.items[i].begin > tokens.items[i - 1].end ? " " : "");
        if (tokens.items[i].kind != HT_TOKEN_NAME)
            ht_text_append(out, name);
        else if (strcmp(name, "problem") == 0 && ht_tokens_is(&tokens, i + 1, ".") &&
                 i + 2 < tokens.count) {
            char *field = ht_tokens_text(&tokens, i + 2);
            const char *parameter = parameter_for(plan->model, field);
            if (parameter)
                ht_text_append(out, parameter);
            else {
                field_note(list, field);
                ht_text_printf(out, "problem_%s", field);
            }
            free(field);
            i += 2;
        } else if (is_param(plan, name)) {
            done = ht_plan_value(values, name, &value);
            ht_text_printf(out, "%lld", done ? (long long)value : 0);
        } else if (ht_tokens_is(&tokens, i + 1, "("))
            done = is_helper(name), ht_text_append(out, name);
        else if (strcmp(name, "device") == 0 || strcmp(name, "sizeof") == 0)
            done = false;
        else
            ht_text_append(out, name);
        free(name);
    }
    ht_tokens_free(&tokens);
    return done;
}

/* The names by which arguments are called in expressions, where they differ from the parameters'.
 */
static void write_aliases(const ht_model *model, ht_text *out) {
    for (size_t i = 0; i < model->parameter_count; ++i) {
        const char *name = ht_argument_name(model, i);
        if (name && strcmp(name, model->parameters[i].name) != 0)
            ht_text_printf(out, "    const auto %s = %s;\n", name, model->parameters[i].name);
    }
}

static void write_signature(const ht_model *model, const fields *list, ht_text *out) {
    ht_text_printf(out, "static inline void %s_tuned_launch(", model->name);
    for (size_t i = 0; i < model->parameter_count; ++i) {
        const ht_parameter *parameter = &model->parameters[i];
        CXString type = clang_getTypeSpelling(clang_getCursorType(parameter->cursor));
        ht_text_printf(out, "%s %s, ", clang_getCString(type), parameter->name);
        clang_disposeString(type);
    }
    for (size_t i = 0; i < list->count; ++i)
        ht_text_printf(out, "int problem_%s, ", list->names[i]);
    ht_text_append(out, "hipStream_t stream = 0)\n{\n");
}

static bool can_launch(const ht_model *model, char **out_problem) {
    for (size_t i = 0; i < model->parameter_count; ++i) {
        CXType type = clang_getCanonicalType(clang_getCursorType(model->parameters[i].cursor));
        if (!model->parameters[i].name[0] || type.kind == CXType_ConstantArray ||
            type.kind == CXType_IncompleteArray)
            *out_problem = ht_strdup("a launcher cannot pass an unnamed or array parameter");
    }
    if (model->is_template)
        *out_problem = ht_strdup("a launcher for a function template is not written");
    return !*out_problem;
}

char *ht_plan_launcher(const ht_plan *plan, const ht_grid *grid, const ht_values *values,
                       char **out_problem) {
    const ht_model *model = plan->model;
    fields list = {0};
    ht_text geometry = {0}, out = {0};
    *out_problem = NULL;
    if (!can_launch(model, out_problem))
        return NULL;
    bool done = true;
    ht_text_append(&geometry, "dim3(");
    for (int axis = 0; axis < 3 && done; ++axis) {
        char *after = ht_grid_after(plan, grid, axis);
        ht_text_append(&geometry, axis ? ", (unsigned)(" : "(unsigned)(");
        done = write_c(plan, values, after, &list, &geometry);
        ht_text_append(&geometry, ")");
        free(after);
    }
    ht_text_append(&geometry, "), dim3(");
    for (int axis = 0; axis < 3 && done; ++axis) {
        int64_t value;
        done = ht_plan_value(values, plan->block[axis], &value);
        ht_text_printf(&geometry, axis ? ", %lld" : "%lld", done ? (long long)value : 0);
    }
    ht_text_append(&geometry, "), ");
    done = done && write_c(plan, values, grid->lds ? grid->lds : "0", &list, &geometry);
    if (done) {
        write_signature(model, &list, &out);
        for (size_t i = 0; i < sizeof helpers / sizeof *helpers; ++i) {
            char *call = ht_format("%s(", helpers[i][0]);
            if (strstr(geometry.data, call))
                ht_text_printf(&out, "    %s\n", helpers[i][1]);
            free(call);
        }
        write_aliases(model, &out);
        ht_text_printf(&out, "    hipLaunchKernelGGL(%s, %s, stream", model->name, geometry.data);
        for (size_t i = 0; i < model->parameter_count; ++i)
            ht_text_printf(&out, ", %s", model->parameters[i].name);
        ht_text_append(&out, ");\n}\n");
    } else
        *out_problem = ht_strdup("the geometry cannot be written as C");
    ht_text_free(&geometry);
    for (size_t i = 0; i < list.count; ++i)
        free(list.names[i]);
    free(list.names);
    return done ? ht_text_take(&out) : NULL;
}
