/* Which tuned sources may be written: those that a maintainer could have written, or any. */
#ifndef HT_PIPELINE_STYLE_H
#define HT_PIPELINE_STYLE_H

#include "base/error.h"
#include "search/strategy.h"
#include "templates/bind.h"

#include <stdbool.h>

/* Reads "plain" or "any". Another word is HT_ERROR_INPUT. */
ht_status ht_style_read(const char *word, bool *out_any, ht_error *error);
/* Returns the forms of the configuration's source that nobody writes by hand, "a lambda around the
 * body (EDGE_APART)"; NULL: it is plain; free(). */
char *ht_style_forms(const ht_template *template, const ht_config *config);
/* Returns the template whose legal configurations are the plain ones; NULL: all are, or it has no
 * room for that; free with ht_template_free. */
ht_template *ht_style_plain(const ht_template *template);
/* Returns true if its source has a kernel for one size next to the general one. */
bool ht_style_is_for_size(const ht_template *template, const ht_config *config);
/* Finds the trials that a winner is chosen from: the best ones, cheapest first, at most `want`. A
 * second kernel for one size must be worth it: where the cheapest has one, and is not 1.1 times as
 * fast as the cheapest without, all that have one are left out. Returns how many there are. */
size_t ht_style_best(const ht_template *template, const ht_search_result *result, size_t want,
                     size_t *out_indices);

#endif
