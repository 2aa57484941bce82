/* The fields of a problem that is filled from launches, with their values in each. */
#ifndef HT_PIPELINE_CAPTURE_FIELDS_H
#define HT_PIPELINE_CAPTURE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ht_capture_field {
    char *name;
    int64_t *values; /* one a launch */
    bool known;
} ht_capture_field;

typedef struct ht_capture_fields {
    ht_capture_field *items;
    size_t count;
    size_t launches;
} ht_capture_fields;

ht_capture_field *ht_capture_field_find(const ht_capture_fields *fields, const char *name);
/* Adds one without values. */
ht_capture_field *ht_capture_field_add(ht_capture_fields *fields, const char *name);
/* An expression for a number that was seen in each launch, over the known fields: one of them, a
 * product, or the number where it is always the same; NULL when no expression fits. free(). */
char *ht_capture_expression(const ht_capture_fields *fields, const int64_t *values);
/* The same as a new field of this name (or one like it) where there is no expression. */
char *ht_capture_expression_make(ht_capture_fields *fields, const int64_t *values,
                                 const char *name);
/* The number where it is always the same, else as ht_capture_expression_make. */
char *ht_capture_number_make(ht_capture_fields *fields, const int64_t *values, const char *name);
/* An expression's value in a launch; false: it has none. */
bool ht_capture_value(const ht_capture_fields *fields, const char *text, size_t launch,
                      int64_t *out_value);
/* Returns true if an expression has the given value in each launch. */
bool ht_capture_always(const ht_capture_fields *fields, const char *text, const int64_t *values);
void ht_capture_fields_free(ht_capture_fields *fields);

#endif
