/* The findings of a search, taken into a revision. */
#ifndef HT_LOOP_STEP_NOTES_H
#define HT_LOOP_STEP_NOTES_H

#include "loop/revision.h"
#include "pipeline/tuning.h"
#include "refactor/refactor.h"

/* Fills the verdict's reason, evaluations, what the next step may go by, and the profile: numbers
 * that are at hand. `kernel` is that which the template was made of; NULL: none. */
void ht_notes_take(const ht_pair_result *result, const ht_template *template,
                   const ht_kernel *kernel, ht_revision *revision);
/* Fills configuration and times of the winner, also in the place of an earlier one's. */
void ht_notes_winner_take(const ht_pair_result *result, const ht_template *template,
                          ht_revision *revision);

#endif
