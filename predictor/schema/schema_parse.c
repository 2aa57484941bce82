/* From text to a schema: one directive after the other, then the checks that need the whole. */
#include "predictor/schema/schema_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "templates/annotations/param_parse.h"
#include "templates/annotations/source_lex.h"
#include "templates/expr/span.h"

#include <stdlib.h>
#include <string.h>

/* A field named by group(...) or device(...), which may stand before the field itself. */
typedef struct mention {
    ht_span name;
    bool device;
} mention;

typedef struct draft {
    ht_schema *schema;
    mention *mentions;
    size_t mention_count;
    bool has_group;
    ht_error *error;
} draft;

static ht_status take_all(ht_span *rest, const char *what, ht_error *error) {
    ht_span left = ht_span_trim(*rest);
    if (!left.length)
        return HT_OK;
    return ht_span_error(left, error, "expected the end of %s, found '%.*s'", what,
                         (int)(left.length > 40 ? 40 : left.length), left.text);
}

static ht_status read_kernel(draft *d, ht_span inside) {
    ht_span name;
    if (d->schema->kernel)
        return ht_span_error(inside, d->error, "kernel(...) is written twice");
    ht_status status = ht_span_take_name(&inside, true, "the kernel's name", &name, d->error);
    if (status == HT_OK)
        status = take_all(&inside, "kernel(...)", d->error);
    if (status == HT_OK)
        d->schema->kernel = ht_span_string(name);
    return status;
}

static ht_status add_field(draft *d, ht_span name, ht_schema_field **out_field) {
    ht_schema *schema = d->schema;
    if (schema->field_count == HT_SCHEMA_FIELDS_MAX)
        return ht_span_error(name, d->error, "a schema has at most %d fields",
                             HT_SCHEMA_FIELDS_MAX);
    HT_GROW(schema->fields, schema->field_count);
    *out_field = &schema->fields[schema->field_count++];
    **out_field = (ht_schema_field){.name = ht_span_string(name), .place = name.place};
    return HT_OK;
}

/* Reads the names after "field(x :". */
static ht_status read_enumerators(draft *d, ht_schema_field *field, ht_span names) {
    ht_span piece;
    while (ht_span_split(&names, ',', false, &piece)) {
        if (!ht_span_is_name(piece))
            return ht_span_error(
                piece, d->error, "expected a name for a value of field %s, found '%.*s'",
                field->name, (int)(piece.length > 40 ? 40 : piece.length), piece.text);
        for (size_t i = 0; i < field->name_count; ++i)
            if (ht_span_is(piece, field->names[i]))
                return ht_span_error(piece, d->error, "field %s has the value %s twice",
                                     field->name, field->names[i]);
        if (field->name_count == HT_PARAM_VALUES_MAX)
            return ht_span_error(piece, d->error, "field %s has more than %d values", field->name,
                                 HT_PARAM_VALUES_MAX);
        HT_GROW(field->names, field->name_count);
        field->names[field->name_count++] = ht_span_string(piece);
    }
    return HT_OK;
}

/* Reads one piece of field(...): a name, and after ':' its values, after '=' its fallback. */
static ht_status read_field(draft *d, ht_span piece) {
    ht_span name, values;
    ht_schema_field *field = NULL;
    ht_status status = ht_span_take_name(&piece, false, "the field's name", &name, d->error);
    if (status == HT_OK)
        status = add_field(d, name, &field);
    if (status != HT_OK || !field)
        return status;
    if (ht_span_take(&piece, ':')) {
        ht_span_split(&piece, '=', false, &values);
        status = read_enumerators(d, field, values);
        if (status != HT_OK || !piece.text)
            return status;
    } else if (!ht_span_take(&piece, '=')) {
        return take_all(&piece, "the field's name (a value for when none is given is \"= EXPR\")",
                        d->error);
    }
    return ht_span_expr(piece, &field->fallback, d->error);
}

static ht_status read_fields(draft *d, ht_span inside) {
    ht_span rest = inside, piece, name;
    ht_status status = ht_span_take_name(&rest, false, "the field's name", &name, d->error);
    if (status != HT_OK)
        return status;
    if (ht_span_take(&rest, ':'))
        return read_field(d, inside);
    while (status == HT_OK && ht_span_split(&inside, ',', false, &piece))
        status = read_field(d, piece);
    return status;
}

static ht_status read_ignore(draft *d, ht_span inside) {
    ht_schema *schema = d->schema;
    ht_span piece;
    while (ht_span_split(&inside, ',', false, &piece)) {
        if (!ht_span_is_name(piece))
            return ht_span_error(piece, d->error, "expected the name of a column to ignore");
        HT_GROW(schema->ignored, schema->ignored_count);
        schema->ignored[schema->ignored_count++] = ht_span_string(piece);
    }
    return HT_OK;
}

static ht_status read_mentions(draft *d, ht_span inside, bool device) {
    ht_span piece;
    d->has_group |= !device;
    while (ht_span_split(&inside, ',', false, &piece)) {
        if (!ht_span_is_name(piece))
            return ht_span_error(piece, d->error, "expected the name of a field");
        HT_GROW(d->mentions, d->mention_count);
        d->mentions[d->mention_count++] = (mention){piece, device};
    }
    return HT_OK;
}

static ht_status read_device(draft *d, ht_span inside) {
    return read_mentions(d, inside, true);
}

static ht_status read_group(draft *d, ht_span inside) {
    return read_mentions(d, inside, false);
}

static ht_status read_param(draft *d, ht_span inside) {
    ht_schema *schema = d->schema;
    if (schema->param_count == HT_PARAM_MAX)
        return ht_span_error(inside, d->error, "a schema has at most %d parameters", HT_PARAM_MAX);
    ht_param param;
    ht_status status = ht_param_parse_open(inside, &param, d->error);
    if (status != HT_OK)
        return status;
    HT_GROW(schema->params, schema->param_count);
    schema->params[schema->param_count++] = param;
    return HT_OK;
}

/* Takes `name`. */
static ht_status add_rule(draft *d, ht_schema_rule **rules, size_t *count, char *name, ht_span text,
                          ht_place place) {
    ht_expr *expr = NULL;
    ht_status status = HT_OK;
    if (*count == HT_SCHEMA_RULES_MAX)
        status = ht_span_error(text, d->error, "a schema has at most %d of these directives",
                               HT_SCHEMA_RULES_MAX);
    if (status == HT_OK)
        status = ht_span_expr(text, &expr, d->error);
    if (status != HT_OK) {
        free(name);
        return status;
    }
    HT_GROW(*rules, *count);
    (*rules)[(*count)++] = (ht_schema_rule){.name = name, .expr = expr, .place = place};
    return HT_OK;
}

/* Adds NAME = EXPR. */
static ht_status add_named(draft *d, ht_schema_rule **rules, size_t *count, ht_span inside) {
    ht_span name;
    ht_status status = ht_span_take_name(&inside, false, "a name", &name, d->error);
    if (status != HT_OK)
        return status;
    if (!ht_span_take(&inside, '='))
        return ht_span_error(ht_span_trim(inside), d->error,
                             "expected '=' and an expression after %.*s", (int)name.length,
                             name.text);
    return add_rule(d, rules, count, ht_span_string(name), inside, name.place);
}

static ht_status read_let(draft *d, ht_span inside) {
    return add_named(d, &d->schema->lets, &d->schema->let_count, inside);
}

static ht_status read_canonical(draft *d, ht_span inside) {
    return add_named(d, &d->schema->canonicals, &d->schema->canonical_count, inside);
}

static ht_status read_feature(draft *d, ht_span inside) {
    ht_schema *schema = d->schema;
    ht_span piece;
    ht_status status = HT_OK;
    while (status == HT_OK && ht_span_split(&inside, ',', false, &piece)) {
        status = add_rule(d, &schema->features, &schema->feature_count, NULL, piece, piece.place);
        if (status == HT_OK) {
            ht_schema_rule *rule = &schema->features[schema->feature_count - 1];
            rule->name = ht_expr_string(rule->expr);
        }
    }
    return status;
}

static ht_status read_require(draft *d, ht_span inside) {
    return add_rule(d, &d->schema->requires, &d->schema->require_count, NULL, inside,
                    ht_span_trim(inside).place);
}

static ht_status read_admit(draft *d, ht_span inside) {
    return add_rule(d, &d->schema->admits, &d->schema->admit_count, NULL, inside,
                    ht_span_trim(inside).place);
}

static const struct {
    const char *name;
    ht_status (*read)(draft *d, ht_span inside);
} directives[] = {
    {"kernel", read_kernel}, {"field", read_fields},        {"ignore", read_ignore},
    {"device", read_device}, {"group", read_group},         {"param", read_param},
    {"let", read_let},       {"feature", read_feature},     {"require", read_require},
    {"admit", read_admit},   {"canonical", read_canonical},
};

static ht_status read_directive(draft *d, ht_span *rest) {
    ht_span name, inside;
    ht_status status = ht_span_take_name(rest, false, "a directive", &name, d->error);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; ++i) {
        if (!ht_span_is(name, directives[i].name))
            continue;
        status = ht_span_take_group(rest, '(', "after the directive's name", &inside, d->error);
        return status == HT_OK ? directives[i].read(d, inside) : status;
    }
    return ht_span_error(name, d->error,
                         "unknown directive '%.*s'; there are kernel, field, ignore, device, "
                         "group, param, let, feature, require, admit and canonical",
                         (int)(name.length > 40 ? 40 : name.length), name.text);
}

/* Marks the fields of group(...) and device(...). */
static ht_status apply_mentions(draft *d) {
    ht_schema *schema = d->schema;
    for (size_t i = 0; i < d->mention_count; ++i) {
        ht_span name = d->mentions[i].name;
        size_t f = 0;
        while (f < schema->field_count && !ht_span_is(name, schema->fields[f].name))
            ++f;
        if (f == schema->field_count)
            return ht_span_error(name, d->error, "there is no field '%.*s'",
                                 (int)(name.length > 60 ? 60 : name.length), name.text);
        bool *flag = d->mentions[i].device ? &schema->fields[f].device : &schema->fields[f].grouped;
        if (*flag)
            return ht_span_error(name, d->error, "field %s stands there twice",
                                 schema->fields[f].name);
        *flag = true;
    }
    for (size_t f = 0; !d->has_group && f < schema->field_count; ++f)
        schema->fields[f].grouped = !schema->fields[f].device;
    return HT_OK;
}

static ht_status check_parts(const draft *d, ht_span end) {
    const ht_schema *schema = d->schema;
    const char *missing = !schema->kernel        ? "kernel(NAME)"
                          : !schema->field_count ? "field(NAME)"
                          : !schema->param_count ? "param(NAME : VALUES)"
                                                 : NULL;
    if (missing)
        return ht_span_error(end, d->error, "the schema has no %s", missing);
    for (size_t i = 0; i < schema->ignored_count; ++i)
        if (ht_schema_field_index(schema, schema->ignored[i]) >= 0 ||
            ht_schema_param_index(schema, schema->ignored[i]) >= 0)
            return ht_span_error(end, d->error, "%s is ignored, but also a field or a parameter",
                                 schema->ignored[i]);
    for (size_t i = 0; i < schema->canonical_count; ++i) {
        const ht_schema_rule *rule = &schema->canonicals[i];
        if (ht_schema_param_index(schema, rule->name) < 0)
            return ht_error_set_at(d->error, HT_ERROR_INPUT, rule->place.file, rule->place.line,
                                   rule->place.column, "there is no parameter %s", rule->name);
    }
    return HT_OK;
}

/* Returns the text with blanks for comments; newlines stay. */
static char *without_comments(const char *text) {
    char *copy = ht_strdup(text);
    for (size_t at = 0; copy[at];) {
        size_t length = ht_source_comment(text + at);
        for (size_t i = at; i < at + length; ++i)
            if (copy[i] != '\n')
                copy[i] = ' ';
        at += length ? length : 1;
    }
    return copy;
}

ht_status ht_schema_parse(const char *text, const char *file, ht_schema **out_schema,
                          ht_error *error) {
    ht_schema *schema = ht_alloc(1, sizeof *schema);
    schema->file = file ? ht_strdup(file) : NULL;
    draft d = {.schema = schema, .error = error};
    char *code = without_comments(text);
    ht_span rest = ht_span_of(code, (ht_place){.file = schema->file, .line = 1, .column = 1});
    ht_status status = HT_OK;
    rest = ht_span_trim(rest);
    while (status == HT_OK && rest.length) {
        status = read_directive(&d, &rest);
        size_t blank = status == HT_OK ? strspn(rest.text, " \t\r\n\f\v") : 0;
        rest = ht_span_part(rest, blank < rest.length ? blank : rest.length, rest.length);
    }
    if (status == HT_OK)
        status = check_parts(&d, rest);
    if (status == HT_OK)
        status = apply_mentions(&d);
    if (status == HT_OK)
        status = ht_schema_names_make(schema, error);
    if (status == HT_OK)
        status = ht_schema_expressions_check(schema, error);
    free(d.mentions);
    free(code);
    if (status == HT_OK)
        *out_schema = schema;
    else
        ht_schema_free(schema);
    return status;
}

ht_status ht_schema_read(const char *path, ht_schema **out_schema, ht_error *error) {
    char *text;
    ht_status status = ht_file_read_text(path, "a schema", &text, error);
    if (status != HT_OK)
        return status;
    status = ht_schema_parse(text, path, out_schema, error);
    free(text);
    return status;
}
