/* param(...) directives. For templates/, predictor/'s schemas and refactor/'s recipes. */
#ifndef HT_TEMPLATES_ANNOTATIONS_PARAM_PARSE_H
#define HT_TEMPLATES_ANNOTATIONS_PARAM_PARSE_H

#include "templates/annotations/param.h"
#include "templates/expr/span.h"

/* Parses the inside of param(...). On success the caller owns what *out_param holds:
 * ht_param_clear. */
ht_status ht_param_parse(ht_span inside, ht_param *out_param, ht_error *error);
/* The same where "= DEFAULT" may be left out: the first value is it then. */
ht_status ht_param_parse_open(ht_span inside, ht_param *out_param, ht_error *error);
void ht_param_clear(ht_param *param);
void ht_param_copy(const ht_param *param, ht_param *out_copy);
bool ht_param_equal(const ht_param *a, const ht_param *b);
/* The inside of param(...). */
void ht_param_print(const ht_param *param, ht_text *out);

#endif
