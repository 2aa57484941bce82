/* Names of a template and what its expressions may use. Private to templates/ and
 * predictor/'s schemas. */
#ifndef HT_TEMPLATES_ANNOTATIONS_TEMPLATE_NAMES_H
#define HT_TEMPLATES_ANNOTATIONS_TEMPLATE_NAMES_H

#include "templates/annotations/template.h"

/* Parameters, arguments and enumerators share one namespace; functions and types are taken. */
ht_status ht_template_check_namespace(const ht_template *template, ht_error *error);
/* Every name in every expression is known there. */
ht_status ht_template_check_expressions(const ht_template *template, ht_error *error);
/* The same for one expression, which may name the first `arg_count` arguments, and parameters when
 * `params`. */
ht_status ht_template_check_expr(const ht_template *template, const ht_expr *expr, bool params,
                                 size_t arg_count, ht_error *error);
/* Returns true if the argument is a name in expressions: one integer passed by value. */
bool ht_arg_is_name(const ht_arg *arg);
/* The ordinal of an enumerator of any parameter; false when there is none of that name. */
bool ht_template_enumerator(const ht_template *template, const char *name, int64_t *out_ordinal);

#endif
