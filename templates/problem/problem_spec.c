/* Parsing problem(...) and handling families. */
#include "templates/problem/problem_spec.h"
#include "templates/expr/expr_node.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void ht_problem_spec_free(ht_problem_spec *spec) {
    for (size_t i = 0; i < spec->field_count; ++i) {
        free(spec->fields[i].name);
        ht_expr_free(spec->fields[i].expr);
    }
    free(spec->fields);
    free(spec->name);
    *spec = (ht_problem_spec){0};
}

void ht_problem_spec_copy(const ht_problem_spec *spec, ht_problem_spec *out_copy) {
    *out_copy = *spec;
    out_copy->name = spec->name ? ht_strdup(spec->name) : NULL;
    out_copy->fields = spec->field_count ? ht_alloc(spec->field_count, sizeof *spec->fields) : NULL;
    for (size_t i = 0; i < spec->field_count; ++i) {
        out_copy->fields[i] = spec->fields[i];
        out_copy->fields[i].name = ht_strdup(spec->fields[i].name);
        out_copy->fields[i].expr = ht_expr_copy(spec->fields[i].expr);
    }
}

bool ht_problem_spec_equal(const ht_problem_spec *a, const ht_problem_spec *b) {
    if (!a->name || !b->name)
        return a->name == b->name;
    if (strcmp(a->name, b->name) != 0 || a->builtin != b->builtin ||
        a->field_count != b->field_count)
        return false;
    for (size_t i = 0; i < a->field_count; ++i)
        if (strcmp(a->fields[i].name, b->fields[i].name) != 0 ||
            a->fields[i].kind != b->fields[i].kind ||
            !ht_expr_equal(a->fields[i].expr, b->fields[i].expr))
            return false;
    return true;
}

const ht_field *ht_problem_spec_field(const ht_problem_spec *spec, const char *name) {
    for (size_t i = 0; i < spec->field_count; ++i)
        if (!strcmp(spec->fields[i].name, name))
            return &spec->fields[i];
    return NULL;
}

typedef struct name_check {
    const ht_problem_spec *spec; /* the fields so far */
    const char *field;
    ht_error *error;
} name_check;

/* Only fields declared before may be used, which rules out cycles. */
static ht_status check_name(void *context, const ht_node *node, ht_place place) {
    const name_check *check = context;
    if (node->kind == HT_NODE_SIZEOF) {
        if (ht_type_size(node->name))
            return HT_OK;
        return ht_error_set_at(check->error, HT_ERROR_INPUT, place.file, place.line, place.column,
                               "sizeof: unknown type '%s'", node->name);
    }
    if (ht_problem_spec_field(check->spec, node->name))
        return HT_OK;
    if (!strncmp(node->name, "problem.", 8))
        return ht_error_set_at(check->error, HT_ERROR_INPUT, place.file, place.line, place.column,
                               "write %s without \"problem.\" inside problem(...)", node->name + 8);
    return ht_error_set_at(check->error, HT_ERROR_INPUT, place.file, place.line, place.column,
                           "field %s uses '%s', which is no field declared before it", check->field,
                           node->name);
}

static ht_status add_field(ht_problem_spec *spec, ht_span piece, ht_error *error) {
    ht_span rest = piece, name;
    ht_field field = {.kind = HT_FIELD_REQUIRED};
    ht_status status = ht_span_take_name(&rest, false, "a field's name", &name, error);
    if (status != HT_OK)
        return status;
    field.name = ht_span_string(name);
    field.place = name.place;
    if (ht_expr_reserved(field.name))
        status = ht_span_error(name, error, "field %s hides a word of the expression language",
                               field.name);
    else if (ht_problem_spec_field(spec, field.name))
        status = ht_span_error(name, error, "field %s is declared twice", field.name);
    else if (spec->field_count == HT_FIELD_MAX)
        status = ht_span_error(name, error, "a problem has at most %d fields", HT_FIELD_MAX);
    else if (ht_span_trim(rest).length) {
        field.kind = ht_span_take(&rest, ':') ? HT_FIELD_DERIVED : HT_FIELD_DEFAULT;
        if (!ht_span_take(&rest, '='))
            status = ht_span_error(
                ht_span_trim(rest), error,
                "expected ',', \"= DEFAULT\" or \":= EXPRESSION\" after field %s", field.name);
        else if ((status = ht_span_expr(rest, &field.expr, error)) == HT_OK) {
            name_check check = {spec, field.name, error};
            status = ht_expr_walk_names(field.expr, check_name, &check);
        }
    }
    if (status != HT_OK) {
        free(field.name);
        ht_expr_free(field.expr);
        return status;
    }
    HT_GROW(spec->fields, spec->field_count);
    spec->fields[spec->field_count++] = field;
    return HT_OK;
}

static ht_status parse_fields(ht_problem_spec *spec, ht_span name, ht_span rest, ht_error *error) {
    ht_span piece;
    ht_problem_spec builtin;
    if (!ht_span_take(&rest, ':')) {
        if (ht_span_trim(rest).length)
            return ht_span_error(ht_span_trim(rest), error, "expected ':' and fields, or the end");
        if (ht_problem_spec_builtin(spec->name, &builtin)) {
            ht_problem_spec_free(spec);
            *spec = builtin;
            return HT_OK;
        }
        return ht_span_error(
            name, error,
            "'%s' is no built-in problem family (there is: %s); for one of your own "
            "list its fields: problem(%s : W, H)",
            spec->name, ht_problem_builtin_names(), spec->name);
    }
    if (ht_problem_spec_builtin(spec->name, &builtin)) {
        ht_problem_spec_free(&builtin);
        return ht_span_error(
            name, error, "%s is built in: write problem(%s) without fields, or choose another name",
            spec->name, spec->name);
    }
    ht_status status = HT_OK;
    while (status == HT_OK && ht_span_split(&rest, ',', false, &piece))
        status = add_field(spec, piece, error);
    return status;
}

ht_status ht_problem_spec_parse_span(ht_span inside, ht_problem_spec *out_spec, ht_error *error) {
    ht_span rest = inside, name;
    ht_problem_spec spec = {0};
    ht_status status = ht_span_take_name(&rest, false, "the problem's name", &name, error);
    if (status != HT_OK)
        return status;
    spec.name = ht_span_string(name);
    status = parse_fields(&spec, name, rest, error);
    if (status == HT_OK)
        *out_spec = spec;
    else
        ht_problem_spec_free(&spec);
    return status;
}

ht_status ht_problem_spec_parse(const char *text, ht_place where, ht_problem_spec *out_spec,
                                ht_error *error) {
    return ht_problem_spec_parse_span(ht_span_of(text, where), out_spec, error);
}

void ht_problem_spec_print(const ht_problem_spec *spec, ht_text *out) {
    ht_text_append(out, spec->name);
    for (size_t i = 0; !spec->builtin && i < spec->field_count; ++i) {
        const ht_field *field = &spec->fields[i];
        ht_text_printf(out, "%s%s", i ? ", " : " : ", field->name);
        if (field->expr) {
            ht_text_append(out, field->kind == HT_FIELD_DERIVED ? " := " : " = ");
            ht_expr_print(field->expr, out);
        }
    }
}
