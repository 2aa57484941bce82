/* problem(...) directives and families. Private to templates/; the public part is problem.h. */
#ifndef HT_TEMPLATES_PROBLEM_PROBLEM_SPEC_H
#define HT_TEMPLATES_PROBLEM_PROBLEM_SPEC_H

#include "templates/expr/span.h"
#include "templates/problem/problem.h"

enum { HT_FIELD_MAX = 64 };

/* Parses the inside of problem(...). */
ht_status ht_problem_spec_parse_span(ht_span inside, ht_problem_spec *out_spec, ht_error *error);
const ht_field *ht_problem_spec_field(const ht_problem_spec *spec, const char *name);

/* The aliases that a built-in family adds to its fields. */
typedef struct ht_problem_alias {
    const char *name;      /* "pad" */
    const char *fields[2]; /* sets both */
} ht_problem_alias;
/* NULL when `name` is no alias of that built-in family. */
const ht_problem_alias *ht_problem_builtin_alias(const char *family, const char *name);
/* Checks ranges and relations of a complete instance; the error names the field. */
ht_status ht_problem_builtin_check(const char *family, const ht_problem *problem, ht_place where,
                                   ht_error *error);
/* "conv2d": the built-in families, for error messages. */
const char *ht_problem_builtin_names(void);

#endif
