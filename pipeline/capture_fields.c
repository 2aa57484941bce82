#include "pipeline/capture_fields.h"

#include "base/memory.h"
#include "base/text.h"
#include "templates/expr/expr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

ht_capture_field *ht_capture_field_find(const ht_capture_fields *fields, const char *name) {
    for (size_t i = 0; i < fields->count; ++i)
        if (strcmp(fields->items[i].name, name) == 0)
            return &fields->items[i];
    return NULL;
}

ht_capture_field *ht_capture_field_add(ht_capture_fields *fields, const char *name) {
    HT_GROW(fields->items, fields->count);
    ht_capture_field *made = &fields->items[fields->count++];
    *made = (ht_capture_field){ht_strdup(name),
                               ht_alloc(fields->launches + 1, sizeof *made->values), false};
    return made;
}

void ht_capture_fields_free(ht_capture_fields *fields) {
    for (size_t i = 0; i < fields->count; ++i) {
        free(fields->items[i].name);
        free(fields->items[i].values);
    }
    free(fields->items);
    *fields = (ht_capture_fields){0};
}

typedef struct place {
    const ht_capture_fields *fields;
    size_t launch;
} place;

static bool look_up(const void *context, const char *name, int64_t *out_value) {
    const place *in = context;
    if (!ht_text_begins(name, "problem."))
        return false;
    const ht_capture_field *found = ht_capture_field_find(in->fields, name + strlen("problem."));
    if (found == NULL || !found->known)
        return false;
    *out_value = found->values[in->launch];
    return true;
}

bool ht_capture_value(const ht_capture_fields *fields, const char *text, size_t launch,
                      int64_t *out_value) {
    const place here = {fields, launch};
    const ht_scope scope = {.lookup = look_up, .context = &here};
    return ht_expr_text_value(text, &scope, out_value);
}

bool ht_capture_always(const ht_capture_fields *fields, const char *text, const int64_t *values) {
    for (size_t i = 0; i < fields->launches; ++i) {
        int64_t value;
        if (!ht_capture_value(fields, text, i, &value) || value != values[i])
            return false;
    }
    return true;
}

/* Takes the text over. */
static char *fitting(const ht_capture_fields *fields, char *text, const int64_t *values) {
    if (ht_capture_always(fields, text, values))
        return text;
    free(text);
    return NULL;
}

/* Fields that say little in a product: 0 and 1 fit everywhere. */
static bool is_factor(const ht_capture_field *field, size_t launches) {
    for (size_t i = 0; i < launches; ++i)
        if (!field->known || field->values[i] < 2)
            return false;
    return true;
}

static char *alone(const ht_capture_fields *fields, const int64_t *values) {
    char *found = NULL;
    for (size_t i = 0; i < fields->count && !found; ++i)
        found = fitting(fields, ht_format("problem.%s", fields->items[i].name), values);
    return found;
}

/* One field and a small number. */
static char *scaled(const ht_capture_fields *fields, const int64_t *values) {
    enum { MOST = 16 };
    char *found = NULL;
    for (size_t i = 0; i < fields->count && !found; ++i) {
        const ht_capture_field *field = &fields->items[i];
        if (!is_factor(field, fields->launches))
            continue;
        int64_t by = values[0] / field->values[0];
        if (values[0] == field->values[0] + 1)
            found = fitting(fields, ht_format("problem.%s + 1", field->name), values);
        else if (by > 1 && by <= MOST)
            found = fitting(fields, ht_format("%" PRId64 " * problem.%s", by, field->name), values);
    }
    return found;
}

static char *product(const ht_capture_fields *fields, const int64_t *values) {
    char *found = NULL;
    for (size_t i = 0; i < fields->count && !found; ++i)
        for (size_t j = i; j < fields->count && !found; ++j) {
            const ht_capture_field *a = &fields->items[i], *b = &fields->items[j];
            if (!is_factor(a, fields->launches) || !is_factor(b, fields->launches))
                continue;
            found = fitting(fields, ht_format("problem.%s * problem.%s", a->name, b->name), values);
            for (size_t k = j; k < fields->count && !found; ++k)
                if (is_factor(&fields->items[k], fields->launches))
                    found = fitting(fields,
                                    ht_format("problem.%s * problem.%s * problem.%s", a->name,
                                              b->name, fields->items[k].name),
                                    values);
        }
    return found;
}

static bool is_same(const ht_capture_fields *fields, const int64_t *values) {
    for (size_t i = 1; i < fields->launches; ++i)
        if (values[i] != values[0])
            return false;
    return true;
}

char *ht_capture_expression(const ht_capture_fields *fields, const int64_t *values) {
    bool same = is_same(fields, values);
    /* Small numbers are seldom what a field of the same value means. */
    char *found = values[0] > 16 ? alone(fields, values) : NULL;
    if (!found && (!same || values[0] > 16))
        found = scaled(fields, values);
    if (!found && (!same || values[0] > 16))
        found = product(fields, values);
    if (!found && !same)
        found = alone(fields, values);
    return found ? found : same ? ht_format("%" PRId64, values[0]) : NULL;
}

char *ht_capture_expression_make(ht_capture_fields *fields, const int64_t *values,
                                 const char *name) {
    char *found = ht_capture_expression(fields, values);
    if (found)
        return found;
    char *fresh = ht_strdup(name);
    for (int i = 2; ht_capture_field_find(fields, fresh); ++i) {
        free(fresh);
        fresh = ht_format("%s_%d", name, i);
    }
    ht_capture_field *made = ht_capture_field_add(fields, fresh);
    memcpy(made->values, values, fields->launches * sizeof *values);
    made->known = true;
    found = ht_format("problem.%s", fresh);
    free(fresh);
    return found;
}

char *ht_capture_number_make(ht_capture_fields *fields, const int64_t *values, const char *name) {
    return is_same(fields, values) ? ht_format("%" PRId64, values[0])
                                   : ht_capture_expression_make(fields, values, name);
}
