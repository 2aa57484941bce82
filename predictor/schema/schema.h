/* The subject of a predictor: the descriptor fields of a problem, the parameters with their values,
 * and the constraints between them. One text file per kernel (docs/schema-format.md teaches it):
 *
 *   kernel(NAME)                        once
 *   field(a, b, ...)                    integer columns of the data, inputs
 *   field(a = EXPR)                     with a value for when none is given, over earlier fields
 *   field(direction : F, B, W)          an enumeration; its names stand for 0, 1, 2 in expressions
 *   ignore(a, ...)                      columns that are neither input nor target
 *   device(arch, cu)                    fields that describe the machine, not the problem
 *   group(a, ...)                       the fields that make a problem (folds); without it, all
 *                                       that are not device fields
 *   param(read_size : 1..4, 8)          as in templates; "= DEFAULT" may be left out
 *   let(HW = out_h * out_w)             a local name, over fields, parameters and earlier lets
 *   feature(EXPR, ...)                  expressions over fields, tokenized like a field
 *   require(EXPR)                       a legal configuration satisfies all of these,
 *   admit(EXPR)                         or one of these
 *   canonical(n_stacks = EXPR)          the value that a parameter is as good as (aliases)
 *
 * Comments are those of C. Without a file, a schema comes from a TSV header and the data below it
 * (dataset.h) or from a template. */
#ifndef HT_PREDICTOR_SCHEMA_SCHEMA_H
#define HT_PREDICTOR_SCHEMA_SCHEMA_H

#include "base/text.h"
#include "templates/annotations/param.h"
#include "templates/annotations/template.h"
#include "templates/expr/expr.h"

enum { HT_SCHEMA_FIELDS_MAX = 256, HT_SCHEMA_RULES_MAX = 1024 }; /* the latter of each kind */

typedef struct ht_schema_field {
    char *name;   /* owned */
    char **names; /* of an enumeration, owned; NULL for integers */
    size_t name_count;
    ht_expr *fallback; /* its value when none is given, over earlier fields; NULL: must be given;
                          owned */
    bool device;       /* of the machine, not of the problem */
    bool grouped;      /* part of what makes a problem */
    ht_place place;
} ht_schema_field;

typedef struct ht_schema_rule {
    char *name;    /* let: the local name; canonical: the parameter; feature: its text; else NULL.
                      Owned */
    ht_expr *expr; /* owned */
    bool fields_only; /* names no parameter, also not by its lets */
    ht_place place;
} ht_schema_rule;

typedef struct ht_schema {
    char *file; /* owned, like all below; what the places name; may be NULL */
    char *kernel;
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
    struct ht_schema_entry *names; /* of ht_schema_name_find, sorted */
    size_t name_count;
} ht_schema;

ht_status ht_schema_parse(const char *text, const char *file, ht_schema **out_schema,
                          ht_error *error);
ht_status ht_schema_read(const char *path, ht_schema **out_schema, ht_error *error);
/* One of the schemas that hiptemper carries (predictor/schemas/); NULL-terminated names; text
 * borrowed, NULL when there is none. */
const char *const *ht_schema_builtin_names(void);
const char *ht_schema_builtin_text(const char *kernel);
/* Fields are the template's problem fields that are not derived (those are lets and features),
 * parameters its parameters, constraints its constraints, with problem.X as X; device.X become
 * fields device_X of the machine where constraints use them, and arguments become lets arg_X. */
ht_status ht_schema_from_template(const ht_template *template_, const char *kernel,
                                  ht_schema **out_schema, ht_error *error);
/* Prints a file that parses to the same schema. */
void ht_schema_print(const ht_schema *schema, ht_text *out);
void ht_schema_free(ht_schema *schema);

/* The meaning of a name in an expression. Parsing has made sure that every name in every expression
 * of a schema is a field, a parameter, an earlier let or an enumerator of a field or of a
 * parameter; a parameter of types stands for its ordinal, or in sizeof() for its type. */
typedef enum ht_schema_kind {
    HT_SCHEMA_UNKNOWN,
    HT_SCHEMA_FIELD,
    HT_SCHEMA_PARAM,
    HT_SCHEMA_LET,
    HT_SCHEMA_ENUMERATOR, /* `number` */
    HT_SCHEMA_AMBIGUOUS   /* more than one of these */
} ht_schema_kind;
typedef struct ht_schema_name {
    ht_schema_kind kind;
    size_t index; /* of the field, parameter or let */
    int64_t number;
} ht_schema_name;
ht_schema_name ht_schema_name_find(const ht_schema *schema, const char *name);

/* Index of a field, a parameter, or -1. */
int ht_schema_field_index(const ht_schema *schema, const char *name);
int ht_schema_param_index(const ht_schema *schema, const char *name);
/* The number that a field's text stands for: an integer, or an enumerator's ordinal. Errors name
 * the field and what it may be. Unknown names of fields of the machine are -1, not errors; their
 * case and what follows a colon do not matter. */
ht_status ht_schema_field_value(const ht_schema *schema, size_t field, const char *text,
                                int64_t *out_value, ht_error *error);
/* The name that a value of a field stands for, or NULL. */
const char *ht_schema_field_name(const ht_schema_field *field, int64_t value);
/* Fills in the fields that are not `given`; one that has no fallback is an error that names it. */
ht_status ht_schema_complete(const ht_schema *schema, int64_t *fields, const bool *given,
                             ht_error *error);
/* Parses "in_c=64 in_h=56,direction=F": every field at most once, in any order; then
 * ht_schema_complete. out_fields is [field_count]. */
ht_status ht_schema_problem_parse(const ht_schema *schema, const char *text, int64_t *out_fields,
                                  ht_error *error);
/* The schema's features for a problem: out_values[feature_count]. One that cannot be worked out (a
 * division by zero) is 0. */
void ht_schema_features(const ht_schema *schema, const int64_t *fields, int64_t *out_values);

#endif
