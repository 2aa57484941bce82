/* Whether an inferred problem holds. The original says so, with every access looked at. */
#ifndef HT_PIPELINE_INFER_CHECK_H
#define HT_PIPELINE_INFER_CHECK_H

#include "runtime/provider/provider.h"

/* Runs the template's original once in the host provider's checking mode. *out_reason (free())
 * says what is wrong with the problem: an access outside of a buffer, a write to an input, an
 * output that is read before anything wrote it, an original that crashes; NULL: nothing is. Races
 * and the like are the original's own and say nothing of the problem. An error: it could not be
 * found out. */
ht_status ht_inferred_check(const ht_template *template, const ht_problem *problem,
                            char **out_reason, ht_error *error);

#endif
