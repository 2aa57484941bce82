/* Whether an inferred problem holds. The original says so, with every access looked at. */
#ifndef HT_PIPELINE_INFER_CHECK_H
#define HT_PIPELINE_INFER_CHECK_H

#include "runtime/provider/provider.h"

#include <jansson.h>

/* Runs the template's original in the host provider's checking mode. *out_reason (free())
 * says what is wrong with the problem: an access outside of a buffer, a write to an input, an
 * output that is read before anything wrote it, an original that crashes; NULL: nothing is. Races
 * and the like are the original's own and say nothing of the problem. Buffers whose elements are
 * left to a run (NAME_elements) are made larger in `problem` until they hold all that is accessed.
 * An error: it could not be found out. */
ht_status ht_inferred_check(const ht_template *template, ht_problem *problem, char **out_reason,
                            ht_error *error);
/* Returns true if the elements of a buffer are left to a run. For templates with an inferred
 * problem. */
bool ht_inferred_tries(const ht_template *template);
/* Returns these fields with their values, as a new reference; NULL: there are none. */
json_t *ht_inferred_elements(const ht_template *template, const ht_problem *problem);
/* Returns an inferred problem's file with these fields; free(). NULL: it is no such file. */
char *ht_inferred_text(const char *text, json_t *elements);

#endif
