/* Problems of a schema: values of fields from text, and values worked out from them. */
#include "predictor/schema/schema.h"

#include "base/memory.h"
#include "templates/expr/span.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static ht_status unknown_value(const ht_schema_field *field, const char *text, ht_error *error) {
    ht_text known = {0};
    for (size_t v = 0; v < field->name_count && known.length < 400; ++v)
        ht_text_printf(&known, "%s%s", v ? ", " : "", field->names[v]);
    ht_status status =
        ht_error_set(error, HT_ERROR_INPUT, "field %s has no value '%.60s'; there are %s",
                     field->name, text, known.data);
    ht_text_free(&known);
    return status;
}

/* Returns true if `text` is the name, whatever its case, features of a target aside: HIP calls a
 * gfx90a "gfx90a:sramecc+:xnack-". */
static bool target_is(const char *text, const char *name) {
    size_t length = strcspn(text, ":");
    return length == strlen(name) && strncasecmp(text, name, length) == 0;
}

/* Takes the name of a device that may be newer than the schema. */
static ht_status device_value(const ht_schema_field *field, const char *text, int64_t *out_value,
                              ht_error *error) {
    *out_value = -1;
    for (size_t v = 0; v < field->name_count; ++v)
        if (target_is(text, field->names[v]))
            *out_value = (int64_t)v;
    if (*out_value < 0 && !isalpha((unsigned char)text[0]))
        return ht_error_set(error, HT_ERROR_INPUT, "field %s is a name such as %s, not '%.60s'",
                            field->name, field->names[0], text);
    return HT_OK;
}

ht_status ht_schema_field_value(const ht_schema *schema, size_t field, const char *text,
                                int64_t *out_value, ht_error *error) {
    const ht_schema_field *of = &schema->fields[field];
    for (size_t v = 0; v < of->name_count; ++v)
        if (!strcmp(of->names[v], text)) {
            *out_value = (int64_t)v;
            return HT_OK;
        }
    if (of->name_count)
        return of->device ? device_value(of, text, out_value, error)
                          : unknown_value(of, text, error);
    ht_span span = ht_span_of(text, (ht_place){0});
    if (ht_span_integer(span, out_value, NULL) == HT_OK)
        return HT_OK;
    bool digits = text[strspn(text, "0123456789")] == 0;
    return ht_error_set(error, HT_ERROR_INPUT,
                        digits ? "field %s is an integer of at most 64 bits, not '%.60s'"
                               : "field %s is an integer, not '%.60s'",
                        of->name, text);
}

const char *ht_schema_field_name(const ht_schema_field *field, int64_t value) {
    bool named = field->names && value >= 0 && (uint64_t)value < field->name_count;
    return named ? field->names[value] : NULL;
}

/* Names for an evaluation over fields: lets that name parameters are never asked. */
typedef struct values {
    const ht_schema *schema;
    const int64_t *fields;
    const int64_t *lets;
    const bool *known; /* lets that have a value */
} values;

static bool look_up(const void *context, const char *name, int64_t *out_value) {
    const values *all = context;
    ht_schema_name found = ht_schema_name_find(all->schema, name);
    switch (found.kind) {
    case HT_SCHEMA_FIELD:
        *out_value = all->fields[found.index];
        return true;
    case HT_SCHEMA_LET:
        if (!all->known || !all->known[found.index])
            return false;
        *out_value = all->lets[found.index];
        return true;
    case HT_SCHEMA_ENUMERATOR:
        *out_value = found.number;
        return true;
    default:
        return false;
    }
}

/* Fails with how the field is given: "direction=F|B|W". */
static ht_status missing_field(const ht_schema *schema, const ht_schema_field *field,
                               ht_error *error) {
    ht_text values = {0};
    for (size_t v = 0; v < field->name_count && values.length < 400; ++v)
        ht_text_printf(&values, "%s%s", v ? "|" : "", field->names[v]);
    ht_status status =
        ht_error_set(error, HT_ERROR_INPUT, "field %s of kernel %s is missing: give %s=%s",
                     field->name, schema->kernel, field->name, values.data ? values.data : "VALUE");
    ht_text_free(&values);
    return status;
}

ht_status ht_schema_complete(const ht_schema *schema, int64_t *fields, const bool *given,
                             ht_error *error) {
    values all = {schema, fields, NULL, NULL};
    ht_scope scope = {.lookup = look_up, .context = &all};
    for (size_t i = 0; i < schema->field_count; ++i) {
        if (given[i])
            continue;
        const ht_schema_field *field = &schema->fields[i];
        if (!field->fallback)
            return missing_field(schema, field, error);
        ht_status status = ht_expr_evaluate(field->fallback, &scope, &fields[i], error);
        if (status != HT_OK) {
            ht_error_prefix(error, "field %s is not given and cannot be worked out: ", field->name);
            return status;
        }
    }
    return HT_OK;
}

static ht_status unknown_field(const ht_schema *schema, ht_span name, ht_error *error) {
    ht_text known = {0};
    for (size_t i = 0; i < schema->field_count && known.length < 800; ++i)
        ht_text_printf(&known, "%s%s", i ? ", " : "", schema->fields[i].name);
    ht_status status = ht_span_error(name, error, "kernel %s has no field '%.*s'; there are %s",
                                     schema->kernel, (int)(name.length > 60 ? 60 : name.length),
                                     name.text, known.data ? known.data : "none");
    ht_text_free(&known);
    return status;
}

/* Takes NAME=VALUE off the front of `rest`. */
static ht_status read_pair(const ht_schema *schema, ht_span *rest, int64_t *fields, bool *given,
                           ht_error *error) {
    ht_span name;
    ht_status status = ht_span_take_name(rest, false, "a field as NAME=VALUE", &name, error);
    if (status != HT_OK)
        return status;
    size_t f = 0;
    while (f < schema->field_count && !ht_span_is(name, schema->fields[f].name))
        ++f;
    if (f == schema->field_count)
        return unknown_field(schema, name, error);
    if (given[f])
        return ht_span_error(name, error, "field %s is given twice", schema->fields[f].name);
    if (!ht_span_take(rest, '='))
        return ht_span_error(*rest, error, "expected '=' after field %s", schema->fields[f].name);
    size_t start = strspn(rest->text, " \t"), end = start;
    while (end < rest->length && !strchr(" ,\t\n\r", rest->text[end]))
        ++end;
    if (end == start)
        return ht_span_error(*rest, error, "expected a value after '='");
    char *text = ht_strndup(rest->text + start, end - start);
    *rest = ht_span_part(*rest, end, rest->length);
    status = ht_schema_field_value(schema, f, text, &fields[f], error);
    given[f] = true;
    free(text);
    return status;
}

ht_status ht_schema_problem_parse(const ht_schema *schema, const char *text, int64_t *out_fields,
                                  ht_error *error) {
    bool given[HT_SCHEMA_FIELDS_MAX] = {false};
    ht_span rest = ht_span_of(text, (ht_place){0});
    for (;;) {
        rest = ht_span_part(rest, strspn(rest.text, " ,\t\n\r"), rest.length);
        if (!rest.length)
            return ht_schema_complete(schema, out_fields, given, error);
        ht_status status = read_pair(schema, &rest, out_fields, given, error);
        if (status != HT_OK)
            return status;
    }
}

void ht_schema_features(const ht_schema *schema, const int64_t *fields, int64_t *out_values) {
    if (!schema->feature_count)
        return;
    int64_t *lets = ht_alloc(schema->let_count + 1, sizeof *lets);
    bool *known = ht_alloc(schema->let_count + 1, sizeof *known);
    values all = {schema, fields, lets, known};
    ht_scope scope = {.lookup = look_up, .context = &all};
    for (size_t i = 0; i < schema->let_count; ++i)
        known[i] = schema->lets[i].fields_only &&
                   ht_expr_evaluate(schema->lets[i].expr, &scope, &lets[i], NULL) == HT_OK;
    for (size_t i = 0; i < schema->feature_count; ++i)
        if (ht_expr_evaluate(schema->features[i].expr, &scope, &out_values[i], NULL) != HT_OK)
            out_values[i] = 0;
    free(lets);
    free(known);
}
