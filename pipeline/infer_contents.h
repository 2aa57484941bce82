/* Contents of an inferred problem's buffers, where those that were inferred do not hold: small
 * whole numbers, which are in bounds as subscripts of most arrays, or 0, 1, 2, ..., which are
 * sorted, all different, and the beginnings of rows that fit each other. */
#ifndef HT_PIPELINE_INFER_CONTENTS_H
#define HT_PIPELINE_INFER_CONTENTS_H

#include <stdint.h>

/* In place of the largest number: 0, 1, 2, ...; the letters a to z in buffers of char, of which
 * there must be one, and no more than 7 in others. */
#define HT_CONTENTS_COUNTED INT64_MAX
#define HT_CONTENTS_LETTERS (INT64_MAX - 1)

/* Returns a template's text with integers(0, `most`) in each buffer of integers that is set up
 * before a launch; free(). NULL: it has none, or they hold no more already. */
char *ht_inferred_contents_template(const char *text, int64_t most);
/* Does the same for the text of an inferred problem's file. */
char *ht_inferred_contents_problem(const char *text, int64_t most);

#endif
