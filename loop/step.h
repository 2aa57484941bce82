/* The loop's own hands: steps done with what the pipeline has, on a device. */
#ifndef HT_LOOP_STEP_H
#define HT_LOOP_STEP_H

#include "loop/generation.h"
#include "loop/loop.h"

typedef struct ht_steps ht_steps;

/* Analyses the source. `origin` and `session`, whose options are those of each step but for what
 * the step is about, are borrowed. HT_ERROR_INPUT as for ht_generation_original; an inferred
 * problem that does not hold is one, too. */
ht_status ht_steps_open(const ht_loop_origin *origin, ht_session *session, ht_steps **out_steps,
                        ht_error *error);
void ht_steps_close(ht_steps *steps);
/* Fills revision 0: the original, with what is known of it before anything is tuned. */
void ht_steps_first(const ht_steps *steps, ht_revision *out_revision);
/* Borrowed. */
const ht_generation *ht_steps_original(const ht_steps *steps);
/* Of type ht_loop_hands.perform and .view; their context is the ht_steps. */
ht_status ht_steps_perform(void *context, const ht_history *history, const ht_choice *choice,
                           const ht_loop_proposal *proposal, ht_revision *out_revision,
                           ht_error *error);
void ht_steps_view(void *context, ht_loop_view *out_view);

#endif
