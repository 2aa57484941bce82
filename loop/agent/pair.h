/* Templates in which a rewrite stands next to the original, changed so that running both once more
 * shows what one launch does not. The pair (ht_written_launch) has the original as its reference,
 * under the macro HT_REFERENCE_MACRO. */
#ifndef HT_LOOP_AGENT_PAIR_H
#define HT_LOOP_AGENT_PAIR_H

#include "templates/annotations/template.h"

/* Launches everything twice, into the same buffers, the second time with each input turned round.
 * State that the first launch left then shows in the outputs of the second. Free with
 * ht_template_free. */
ht_status ht_pair_twice(const ht_template *pair, ht_template **out_template, ht_error *error);

/* Compares a kernel with itself on its inputs turned round: outputs that agree do not depend on
 * where the inputs' numbers stand. `original`: the original, else the rewrite. */
ht_status ht_pair_blind(const ht_template *pair, bool original, ht_template **out_template,
                        ht_error *error);

/* Makes the original the baseline too: what the rewrite is timed next to. */
ht_status ht_pair_timed(const ht_template *pair, ht_template **out_template, ht_error *error);

/* Puts an annotated rewrite next to the original of a pair: with its own parameters and launches,
 * and the pair's reference. */
ht_status ht_pair_join(const ht_template *rewrite, const ht_template *pair,
                       ht_template **out_template, ht_error *error);

#endif
