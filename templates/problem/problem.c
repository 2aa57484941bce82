/* Instances of a family. */
#include "templates/problem/problem.h"
#include "templates/problem/problem_spec.h"

#include "base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ht_problem_free(ht_problem *problem) {
    for (size_t i = 0; i < problem->value_count; ++i)
        free(problem->values[i].name);
    free(problem->values);
    free(problem->name);
    *problem = (ht_problem){0};
}

void ht_problem_copy(const ht_problem *problem, ht_problem *out_copy) {
    *out_copy = (ht_problem){.name = problem->name ? ht_strdup(problem->name) : NULL,
                             .value_count = problem->value_count};
    if (problem->value_count)
        out_copy->values = ht_alloc(problem->value_count, sizeof *problem->values);
    for (size_t i = 0; i < problem->value_count; ++i) {
        out_copy->values[i].name = ht_strdup(problem->values[i].name);
        out_copy->values[i].value = problem->values[i].value;
    }
}

bool ht_problem_get(const ht_problem *problem, const char *field, int64_t *out_value) {
    for (size_t i = 0; i < problem->value_count; ++i)
        if (!strcmp(problem->values[i].name, field)) {
            *out_value = problem->values[i].value;
            return true;
        }
    return false;
}

static bool lookup_field(const void *context, const char *name, int64_t *out_value) {
    return ht_problem_get(context, name, out_value);
}

/* Returns true if the given name sets this field: by its own name, or as an alias of the family. */
static bool sets_field(const ht_problem_spec *spec, const char *given, const char *field) {
    if (!strcmp(given, field))
        return true;
    const ht_problem_alias *alias =
        spec->builtin ? ht_problem_builtin_alias(spec->name, given) : NULL;
    return alias && (!strcmp(alias->fields[0], field) || !strcmp(alias->fields[1], field));
}

static ht_status fail(ht_place where, ht_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static ht_status fail(ht_place where, ht_error *error, const char *format, ...) {
    char message[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return ht_error_set_at(error, HT_ERROR_INPUT, where.file, where.line, where.column, "%s",
                           message);
}

static ht_status check_given(const ht_problem_spec *spec, const ht_problem_value *given,
                             size_t count, ht_place where, ht_error *error) {
    for (size_t i = 0; i < count; ++i) {
        const char *name = given[i].name;
        const ht_field *field = ht_problem_spec_field(spec, name);
        if (!field && !(spec->builtin && ht_problem_builtin_alias(spec->name, name))) {
            ht_text known = {0};
            for (size_t f = 0; f < spec->field_count; ++f)
                if (spec->fields[f].kind != HT_FIELD_DERIVED)
                    ht_text_printf(&known, "%s%s", known.length ? ", " : "", spec->fields[f].name);
            ht_status status =
                fail(where, error, "unknown problem field '%s'; there are %s", name, known.data);
            ht_text_free(&known);
            return status;
        }
        if (field && field->kind == HT_FIELD_DERIVED)
            return fail(where, error,
                        "problem field %s is derived from the others and cannot be given", name);
    }
    return HT_OK;
}

/* Computes a field's value in the instance whose earlier fields are filled in. */
static ht_status field_value(const ht_problem_spec *spec, const ht_field *field,
                             const ht_problem_value *given, size_t count, const ht_problem *sofar,
                             ht_place where, int64_t *out_value, ht_error *error) {
    bool found = false;
    for (size_t i = 0; i < count; ++i) {
        if (!sets_field(spec, given[i].name, field->name))
            continue;
        if (found)
            return fail(where, error, "problem field %s is given twice", field->name);
        found = true;
        *out_value = given[i].value;
    }
    if (found)
        return HT_OK;
    if (!field->expr)
        return fail(where, error, "problem field %s of %s is missing", field->name, spec->name);
    ht_scope scope = {.lookup = lookup_field, .context = sofar};
    ht_status status = ht_expr_evaluate(field->expr, &scope, out_value, error);
    if (status != HT_OK)
        ht_error_prefix(error, "problem field %s: ", field->name);
    return status;
}

ht_status ht_problem_make(const ht_problem_spec *spec, const char *name,
                          const ht_problem_value *given, size_t given_count, ht_place where,
                          ht_problem *out_problem, ht_error *error) {
    ht_problem problem = {.name = ht_strdup(name ? name : "")};
    ht_status status = check_given(spec, given, given_count, where, error);
    if (spec->field_count)
        problem.values = ht_alloc(spec->field_count, sizeof *problem.values);
    for (size_t i = 0; status == HT_OK && i < spec->field_count; ++i) {
        int64_t value = 0;
        status =
            field_value(spec, &spec->fields[i], given, given_count, &problem, where, &value, error);
        if (status != HT_OK)
            break;
        problem.values[i] = (ht_problem_value){ht_strdup(spec->fields[i].name), value};
        problem.value_count = i + 1;
    }
    if (status == HT_OK && spec->builtin)
        status = ht_problem_builtin_check(spec->name, &problem, where, error);
    if (status == HT_OK)
        *out_problem = problem;
    else
        ht_problem_free(&problem);
    return status;
}

bool ht_problem_change(const ht_problem_spec *spec, const ht_problem *problem,
                       const ht_problem_value *changes, size_t change_count,
                       ht_problem *out_problem) {
    ht_problem_value *given = ht_alloc(spec->field_count + 1, sizeof *given);
    size_t count = 0;
    for (size_t i = 0; i < spec->field_count; ++i) {
        ht_problem_value own = {.name = spec->fields[i].name};
        bool known = ht_problem_get(problem, own.name, &own.value);
        for (size_t k = 0; k < change_count; ++k)
            if (strcmp(changes[k].name, own.name) == 0) {
                own.value = changes[k].value;
                known = true;
            }
        if (known && spec->fields[i].kind != HT_FIELD_DERIVED)
            given[count++] = own;
    }
    bool made = ht_problem_make(spec, problem->name, given, count, (ht_place){0}, out_problem,
                                NULL) == HT_OK;
    free(given);
    return made;
}

static ht_status parse_pair(ht_span *rest, ht_problem_value *out_value, ht_error *error) {
    ht_span name;
    ht_status status =
        ht_span_take_name(rest, false, "a problem field as NAME=VALUE", &name, error);
    if (status != HT_OK)
        return status;
    if (!ht_span_take(rest, '='))
        return ht_span_error(*rest, error, "expected '=' and a number after problem field %.*s",
                             (int)name.length, name.text);
    *rest = ht_span_part(*rest, strspn(rest->text, " \t\n"), rest->length);
    size_t length = strcspn(rest->text, " ,\t\n\r");
    status = ht_span_integer(ht_span_part(*rest, 0, length), &out_value->value, error);
    if (status == HT_OK)
        out_value->name = ht_span_string(name);
    *rest = ht_span_part(*rest, length, rest->length);
    return status;
}

ht_status ht_problem_parse(const ht_problem_spec *spec, const char *text, ht_problem *out_problem,
                           ht_error *error) {
    ht_place where = {0};
    ht_span rest = ht_span_of(text, where);
    ht_problem_value *given = NULL;
    size_t count = 0;
    ht_status status = HT_OK;
    for (;;) {
        while (rest.length && strchr(" ,\t\n\r", rest.text[0]))
            rest = ht_span_part(rest, 1, rest.length);
        if (!rest.length)
            break;
        HT_GROW(given, count);
        if ((status = parse_pair(&rest, &given[count], error)) != HT_OK)
            break;
        ++count;
    }
    if (status == HT_OK) {
        status = ht_problem_make(spec, "", given, count, where, out_problem, error);
        if (status == HT_OK) {
            free(out_problem->name);
            out_problem->name = ht_problem_string(spec, out_problem);
        }
    }
    for (size_t i = 0; i < count; ++i)
        free(given[i].name);
    free(given);
    return status;
}

char *ht_problem_string(const ht_problem_spec *spec, const ht_problem *problem) {
    ht_text text = {0};
    for (size_t i = 0; i < spec->field_count; ++i) {
        int64_t value = 0;
        if (spec->fields[i].kind == HT_FIELD_DERIVED ||
            !ht_problem_get(problem, spec->fields[i].name, &value))
            continue;
        ht_text_printf(&text, "%s%s=%" PRId64, text.length ? " " : "", spec->fields[i].name, value);
    }
    return ht_text_take(&text);
}
