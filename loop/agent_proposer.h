/* An agent (loop/agent) as a proposer of steps: each question has the history, each answer has
 * passed the gate. */
#ifndef HT_LOOP_AGENT_PROPOSER_H
#define HT_LOOP_AGENT_PROPOSER_H

#include "loop/agent/seat.h"
#include "loop/generation.h"
#include "loop/proposal.h"

typedef struct ht_agent_proposer ht_agent_proposer;

typedef struct ht_agent_proposer_options {
    const char *command; /* borrowed */
    double seconds;      /* that an answer may take */
    const ht_loop_origin *origin;
    const ht_generation *original;
    /* Those of ht_seat. */
    void (*begun)(void *context, const char *phase);
    void (*refused)(void *context, const ht_answer *answer, const ht_refused *refused);
    void *context;
} ht_agent_proposer_options;

/* Opens the gate. The options' origin and original must outlive the result. */
ht_status ht_agent_proposer_open(const ht_agent_proposer_options *options,
                                 ht_agent_proposer **out_proposer, ht_error *error);
void ht_agent_proposer_close(ht_agent_proposer *proposer);
/* Borrowed. */
const ht_proposer *ht_agent_proposer_get(const ht_agent_proposer *proposer);

#endif
