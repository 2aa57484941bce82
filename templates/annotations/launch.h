/* Launches, for the files that read and write directives. Private to templates/; the public part is
 * template.h. */
#ifndef HT_TEMPLATES_ANNOTATIONS_LAUNCH_H
#define HT_TEMPLATES_ANNOTATIONS_LAUNCH_H

#include "templates/annotations/template.h"
#include "templates/expr/span.h"

ht_status ht_launch_parse_span(ht_span inside, ht_launch *out_launch, ht_error *error);
/* "k<float, TILE> : in, out" */
void ht_launch_print_call(const ht_launch *launch, ht_text *out);

/* One template argument in canonical form: a type, the name of a parameter, an integer or a
 * constant expression without < and >; free(). */
ht_status ht_template_argument_parse(ht_span span, char **out_text, ht_error *error);

char **ht_strings_copy(char *const *strings, size_t count);
bool ht_strings_equal(char *const *a, size_t a_count, char *const *b, size_t b_count);

#endif
