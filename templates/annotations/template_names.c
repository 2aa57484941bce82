#include "templates/annotations/template_names.h"
#include "templates/annotations/device_fields.h"
#include "templates/expr/expr_node.h"
#include "templates/expr/type.h"
#include "templates/problem/problem_spec.h"

#include "base/memory.h"
#include "base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *name;
    const char *what; /* "param", "arg", "enumerator" */
    int64_t ordinal;  /* of an enumerator; -1 for the others */
    ht_place place;
    size_t order;
} entry;

static int by_name(const void *left, const void *right) {
    const entry *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

static ht_status check_reserved(const entry *item, ht_error *error) {
    const ht_place *at = &item->place;
    if (ht_expr_reserved(item->name))
        return ht_error_set_at(error, HT_ERROR_INPUT, at->file, at->line, at->column,
                               "%s %s hides a word of the expression language", item->what,
                               item->name);
    if (strcmp(item->what, "arg") != 0 && ht_type_size(item->name))
        return ht_error_set_at(error, HT_ERROR_INPUT, at->file, at->line, at->column,
                               "%s %s hides a type", item->what, item->name);
    return HT_OK;
}

static size_t collect(const ht_template *template, entry *out) {
    size_t count = 0;
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        out[count] = (entry){param->name, "param", -1, param->place, count};
        ++count;
        for (size_t v = 0; param->kind == HT_PARAM_ENUMERATION && v < param->value_count; ++v) {
            out[count] = (entry){param->values[v].text, "enumerator", param->values[v].number,
                                 param->place, count};
            ++count;
        }
    }
    for (size_t i = 0; i < template->arg_count; ++i) {
        out[count] = (entry){template->args[i].name, "arg", -1, template->args[i].place, count};
        ++count;
    }
    return count;
}

static bool conflict(const entry *a, const entry *b) {
    return !strcmp(a->name, b->name) && (a->ordinal < 0 || a->ordinal != b->ordinal);
}

/* Returns true if `inner` lies in the field `outer`, or is the same. */
static bool lies_in(const ht_arg *inner, const ht_arg *outer) {
    size_t length = strlen(outer->name);
    return strncmp(inner->name, outer->name, length) == 0 && strchr(".[", inner->name[length]) &&
           inner->name[length];
}

static ht_status check_field(const ht_template *template, size_t index, ht_error *error) {
    const ht_arg *field = &template->args[index];
    const ht_place *at = &field->place;
    int length = (int)strcspn(field->name, ".[");
    bool found = false;
    for (size_t i = 0; i < index && !found; ++i)
        found = ht_arg_is_field_of(field, &template->args[i]);
    if (!found)
        return ht_error_set_at(error, HT_ERROR_INPUT, at->file, at->line, at->column,
                               "arg %s is a field, but no arg(%.*s : struct TYPE) stands before it",
                               field->name, length, field->name);
    for (size_t i = 0; i < template->arg_count; ++i)
        if (ht_arg_is_field(&template->args[i]) && lies_in(field, &template->args[i]))
            return ht_error_set_at(error, HT_ERROR_INPUT, at->file, at->line, at->column,
                                   "arg %s is a part of arg %s, which sets all of it", field->name,
                                   template->args[i].name);
    return HT_OK;
}

/* problem.n and device.n mean something else in expressions. */
static ht_status check_struct(const ht_arg *arg, ht_error *error) {
    if (strcmp(arg->name, "problem") != 0 && strcmp(arg->name, "device") != 0)
        return HT_OK;
    return ht_error_set_at(error, HT_ERROR_INPUT, arg->place.file, arg->place.line,
                           arg->place.column,
                           "structure %s: its fields would have names of expressions (%s.FIELD); "
                           "name it %s_arg",
                           arg->name, arg->name, arg->name);
}

static ht_status check_structs(const ht_template *template, ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < template->arg_count && status == HT_OK; ++i)
        if (template->args[i].is_struct)
            status = check_struct(&template->args[i], error);
        else if (ht_arg_is_field(&template->args[i]))
            status = check_field(template, i, error);
    return status;
}

ht_status ht_template_check_namespace(const ht_template *template, ht_error *error) {
    size_t room = template->param_count + template->arg_count + 1;
    for (size_t i = 0; i < template->param_count; ++i)
        room += template->params[i].value_count;
    entry *entries = ht_alloc(room, sizeof *entries);
    size_t count = collect(template, entries);
    ht_status status = check_structs(template, error);
    for (size_t i = 0; status == HT_OK && i < count; ++i)
        status = check_reserved(&entries[i], error);
    if (status == HT_OK)
        qsort(entries, count, sizeof *entries, by_name);
    const entry *first = NULL, *hidden = NULL;
    for (size_t i = 1; status == HT_OK && i < count; ++i)
        if (conflict(&entries[i - 1], &entries[i]) && (!first || entries[i].order < first->order)) {
            first = &entries[i];
            hidden = &entries[i - 1];
        }
    if (first)
        status = ht_error_set_at(
            error, HT_ERROR_INPUT, first->place.file, first->place.line, first->place.column,
            "%s %s has the name of the %s in line %d%s", first->what, first->name, hidden->what,
            hidden->place.line,
            first->ordinal >= 0 && hidden->ordinal >= 0 ? " at another position in its list" : "");
    free(entries);
    return status;
}

bool ht_arg_is_name(const ht_arg *arg) {
    return arg->role == HT_ARG_SCALAR && arg->value_count == 1 && ht_type_integral(arg->type);
}

bool ht_template_enumerator(const ht_template *template, const char *name, int64_t *out_ordinal) {
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        for (size_t v = 0; param->kind == HT_PARAM_ENUMERATION && v < param->value_count; ++v)
            if (!strcmp(param->values[v].text, name)) {
                *out_ordinal = param->values[v].number;
                return true;
            }
    }
    return false;
}

/* The names that an expression may have. */
typedef struct name_check {
    const ht_template *template;
    bool params;      /* parameters and enumerators */
    size_t arg_count; /* this many of the first arguments */
    ht_error *error;
} name_check;

static ht_status unknown(const name_check *check, ht_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static ht_status unknown(const name_check *check, ht_place at, const char *format, ...) {
    ht_text message = {0};
    char buffer[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    ht_text_append(&message, buffer);
    ht_status status = ht_error_set_at(check->error, HT_ERROR_INPUT, at.file, at.line, at.column,
                                       "%s", message.data);
    ht_text_free(&message);
    return status;
}

static ht_status check_problem_name(const name_check *check, const char *name, ht_place at) {
    const ht_problem_spec *spec = &check->template->problem;
    if (!spec->name)
        return unknown(check, at,
                       "unknown name 'problem.%s': kernel %s has no problem(...) directive", name,
                       check->template->name);
    if (ht_problem_spec_field(spec, name))
        return HT_OK;
    const ht_problem_alias *alias =
        spec->builtin ? ht_problem_builtin_alias(spec->name, name) : NULL;
    if (alias)
        return unknown(check, at, "unknown name 'problem.%s': use problem.%s or problem.%s", name,
                       alias->fields[0], alias->fields[1]);
    ht_text known = {0};
    const char **candidates = ht_alloc(spec->field_count + 1, sizeof *candidates);
    for (size_t i = 0; i < spec->field_count; ++i) {
        ht_text_printf(&known, "%s%s", i ? ", " : "", spec->fields[i].name);
        candidates[i] = spec->fields[i].name;
    }
    const char *like = ht_nearest_word(name, candidates);
    free(candidates);
    ht_status status =
        unknown(check, at, "unknown name 'problem.%s': problem %s has %s%s%s%s", name, spec->name,
                known.data ? known.data : "no fields", like ? "; did you mean problem." : "",
                like ? like : "", like ? "?" : "");
    ht_text_free(&known);
    return status;
}

static ht_status unknown_device_field(const name_check *check, const char *name, ht_place at) {
    ht_text known = {0};
#define HT_DEVICE_FIELD(field) ht_text_printf(&known, "%s%s", known.length ? ", " : "", #field);
    HT_DEVICE_FIELDS(HT_DEVICE_FIELD)
#undef HT_DEVICE_FIELD
    ht_status status = unknown(check, at, "unknown name '%s'; a device has %s", name, known.data);
    ht_text_free(&known);
    return status;
}

static ht_status check_sizeof(const name_check *check, const char *type, ht_place at) {
    const ht_param *param = ht_template_param(check->template, type);
    if (param && param->kind == HT_PARAM_TYPE && check->params) {
        for (size_t i = 0; i < param->value_count; ++i)
            if (!ht_type_size(param->values[i].text))
                return unknown(check, at, "sizeof(%s): the size of its value %s is not known", type,
                               param->values[i].text);
        return HT_OK;
    }
    return ht_type_size(type) ? HT_OK : unknown(check, at, "sizeof: unknown type '%s'", type);
}

/* Returns a parameter or scalar that may have been meant. */
static const char *nearest_name(const name_check *check, const char *name) {
    const ht_template *template = check->template;
    const char *candidates[HT_PARAM_MAX + HT_ARG_MAX + 1] = {NULL};
    size_t count = 0;
    for (size_t i = 0; check->params && i < template->param_count; ++i)
        candidates[count++] = template->params[i].name;
    for (size_t i = 0; i < check->arg_count; ++i)
        if (ht_arg_is_name(&template->args[i]))
            candidates[count++] = template->args[i].name;
    return ht_nearest_word(name, candidates);
}

/* Returns true for a field that a pointer leads to, which launchers cannot read. */
static bool is_pointed_to(const ht_template *template, const ht_arg *field) {
    for (size_t i = 0; i < template->arg_count; ++i)
        if (template->args[i].is_pointed && ht_arg_is_field_of(field, &template->args[i]))
            return true;
    return false;
}

/* Says why a bare name that exists cannot be used here, or that it does not exist. */
static ht_status explain(const name_check *check, const char *name, ht_place at) {
    const ht_arg *arg = ht_template_arg(check->template, name);
    if (arg && is_pointed_to(check->template, arg))
        return unknown(check, at,
                       "unknown name '%s': a pointer leads to this field; use what it is made of",
                       name);
    if (arg && !ht_arg_is_name(arg))
        return unknown(check, at,
                       "argument %s cannot be used in an expression: only integer scalars can",
                       name);
    if (arg)
        return unknown(
            check, at,
            "argument %s cannot be used here: scalars use only those declared before them", name);
    if (ht_template_param(check->template, name))
        return unknown(check, at,
                       "parameter %s cannot be used here: scalars depend on the problem and the "
                       "device alone",
                       name);
    if (check->template->problem.name && ht_problem_spec_field(&check->template->problem, name))
        return unknown(check, at, "unknown name '%s': write problem.%s", name, name);
    const char *like = nearest_name(check, name);
    return unknown(check, at, "unknown name '%s'%s%s%s", name, like ? "; did you mean '" : "",
                   like ? like : "", like ? "'?" : "");
}

static ht_status check_name(void *context, const ht_node *node, ht_place at) {
    const name_check *check = context;
    const ht_template *template = check->template;
    int64_t value;
    if (node->kind == HT_NODE_SIZEOF)
        return check_sizeof(check, node->name, at);
    if (!strncmp(node->name, "problem.", 8))
        return check_problem_name(check, node->name + 8, at);
    if (!strncmp(node->name, "device.", 7)) {
        if (ht_device_field_get(NULL, node->name + 7, &value))
            return HT_OK;
        return unknown_device_field(check, node->name, at);
    }
    if (check->params && (ht_template_param(template, node->name) ||
                          ht_template_enumerator(template, node->name, &value)))
        return HT_OK;
    for (size_t i = 0; i < check->arg_count; ++i)
        if (!strcmp(template->args[i].name, node->name) && ht_arg_is_name(&template->args[i]) &&
            !is_pointed_to(template, &template->args[i]))
            return HT_OK;
    return explain(check, node->name, at);
}

static ht_status check_expr(const ht_expr *expr, name_check *check) {
    return expr ? ht_expr_walk_names(expr, check_name, check) : HT_OK;
}

ht_status ht_template_check_expr(const ht_template *template, const ht_expr *expr, bool params,
                                 size_t arg_count, ht_error *error) {
    name_check check = {template, params, arg_count, error};
    return check_expr(expr, &check);
}

static ht_status check_launch(const ht_launch *launch, name_check *check) {
    ht_status status = check_expr(launch->lds, check);
    for (int axis = 0; status == HT_OK && axis < 3; ++axis) {
        status = check_expr(launch->block[axis], check);
        if (status == HT_OK)
            status = check_expr(launch->grid[axis], check);
    }
    return status;
}

ht_status ht_template_check_expressions(const ht_template *template, ht_error *error) {
    name_check all = {template, true, template->arg_count, error};
    ht_status status = HT_OK;
    for (size_t i = 0; status == HT_OK && i < template->require_count; ++i)
        status = check_expr(template->requires[i].expr, &all);
    for (size_t i = 0; status == HT_OK && i < template->arg_count; ++i) {
        const ht_arg *arg = &template->args[i];
        name_check before = {template, false, i, error};
        status = check_expr(arg->extent, &all);
        for (size_t v = 0; status == HT_OK && v < arg->value_count; ++v)
            status = check_expr(arg->values[v], &before);
    }
    for (size_t i = 0; status == HT_OK && i < template->launch_count; ++i)
        status = check_launch(&template->launches[i], &all);
    for (size_t i = 0; status == HT_OK && i < template->reference_launch_count; ++i)
        status = check_launch(&template->reference_launches[i], &all);
    for (size_t i = 0; status == HT_OK && i < template->baseline_launch_count; ++i)
        status = check_launch(&template->baseline_launches[i], &all);
    return status;
}
