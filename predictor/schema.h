/* What a predictor is about: the descriptor fields of a problem, the parameters with their values,
 * and the constraints between them. One text file per kernel (docs/schema-format.md); without one,
 * a schema comes from a TSV header and the data below it, or from a template.
 *
 *   kernel(ConvAsm1x1U)
 *   field(in_c)                                 an integer column of the data, an input
 *   field(direction : F, B, W)                  an enumeration; the names stand for 0, 1, 2 in
 * expressions ignore(src, out_exact)                      columns that are neither input nor target
 *   let(HW = out_h * out_w)                     a local name; over fields, parameters and earlier
 * lets feature(HW)                                 an expression over fields, tokenized like a
 * field param(read_size : 1..4)                     as in templates require(read_size * E <=
 * chunks_per_wave)   a legal configuration satisfies all of these, admit(in_tile0 == 16 && n_stacks
 * == 1)      or one of these canonical(n_stacks = 1)                     the value that a parameter
 * is as good as (aliases) group(in_c, in_h, ...)                      the fields that make a
 * problem (folds); default: all but those of device(arch, cu)                            fields
 * that describe the machine, not the problem */
#ifndef HT_PREDICTOR_SCHEMA_H
#define HT_PREDICTOR_SCHEMA_H

#include "base/text.h"
#include "templates/expr.h"
#include "templates/param.h"
#include "templates/template.h"

typedef struct ht_schema_field {
    char *name;   /* owned */
    char **names; /* of an enumeration, owned; NULL for integers */
    size_t name_count;
    bool device;  /* of the machine, not of the problem */
    bool grouped; /* part of what makes a problem */
    ht_place place;
} ht_schema_field;

typedef struct ht_schema_rule {
    char *name;    /* let: the local name; canonical: the parameter; feature: its text; else NULL.
                      Owned */
    ht_expr *expr; /* owned */
    ht_place place;
} ht_schema_rule;

typedef struct ht_schema {
    char *kernel; /* owned, like all below */
    ht_schema_field *fields;
    size_t field_count;
    char **ignored;
    size_t ignored_count;
    ht_param *params;
    size_t param_count;
    ht_schema_rule *lets;
    size_t let_count;
    ht_schema_rule *features;
    size_t feature_count;
    ht_schema_rule *requires;
    size_t require_count;
    ht_schema_rule *admits;
    size_t admit_count;
    ht_schema_rule *canonicals;
    size_t canonical_count;
} ht_schema;

ht_status ht_schema_parse(const char *text, const char *file, ht_schema **out_schema,
                          ht_error *error);
ht_status ht_schema_read(const char *path, ht_schema **out_schema, ht_error *error);
/* One of the schemas that hiptemper carries (predictor/schemas/); NULL-terminated names; text
 * borrowed, NULL when there is none. */
const char *const *ht_schema_builtin_names(void);
const char *ht_schema_builtin_text(const char *kernel);
/* Fields are the template's required problem fields, parameters its parameters, constraints its
 * constraints with problem.X as field X; device.X become fields of the machine where constraints
 * use them. */
ht_status ht_schema_from_template(const ht_template *template_, const char *kernel,
                                  ht_schema **out_schema, ht_error *error);
/* Prints a file that parses to the same schema. */
void ht_schema_print(const ht_schema *schema, ht_text *out);
void ht_schema_free(ht_schema *schema);

/* Index of a field, a parameter, or -1. */
int ht_schema_field_index(const ht_schema *schema, const char *name);
int ht_schema_param_index(const ht_schema *schema, const char *name);
/* The number that a field's text stands for: an integer, or an enumerator's ordinal. Errors name
 * the field and what it may be. Unknown enumerators of fields of the machine are -1, not errors. */
ht_status ht_schema_field_value(const ht_schema *schema, size_t field, const char *text,
                                int64_t *out_value, ht_error *error);
/* Parses "in_c=64 in_h=56,direction=F": every field once, in any order. out_fields is
 * [field_count]. */
ht_status ht_schema_problem_parse(const ht_schema *schema, const char *text, int64_t *out_fields,
                                  ht_error *error);

#endif
