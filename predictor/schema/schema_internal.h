/* A schema while it is being put together. Private to predictor/schema*.c. */
#ifndef HT_PREDICTOR_SCHEMA_SCHEMA_INTERNAL_H
#define HT_PREDICTOR_SCHEMA_SCHEMA_INTERNAL_H

#include "predictor/schema/schema.h"

typedef struct ht_schema_entry {
    const char *name; /* borrowed from the schema */
    ht_schema_name what;
    const ht_place *place;
} ht_schema_entry;

/* Fills the table of names: fields, parameters and lets are all different. Words of the expression
 * language and types cannot be names. */
ht_status ht_schema_names_make(ht_schema *schema, ht_error *error);
/* Every name in every expression is known there; sets fields_only. */
ht_status ht_schema_expressions_check(ht_schema *schema, ht_error *error);
/* Returns the words for a kind of name in messages: "a field". */
const char *ht_schema_kind_name(ht_schema_kind kind);

#endif
