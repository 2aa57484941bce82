/* The seam between the loop and whoever proposes steps from outside, such as an agent: a proposal
 * is one more action for planning. The loop itself verifies and times everything; the gate in front
 * of it (loop/agent) refuses what it can refuse before that costs anything. */
#ifndef HT_LOOP_PROPOSAL_H
#define HT_LOOP_PROPOSAL_H

#include "loop/revision.h"

typedef enum ht_proposal_kind {
    HT_PROPOSAL_NONE,       /* nothing to propose now; asked again after the next step */
    HT_PROPOSAL_SOURCE,     /* a rewritten source: refactored, then tuned */
    HT_PROPOSAL_TEMPLATE,   /* an annotated template: tuned */
    HT_PROPOSAL_PARAMETERS, /* more values for parameters of the parent's template: tuned */
    HT_PROPOSAL_SEARCH      /* more evaluations of the parent's template */
} ht_proposal_kind;

typedef struct ht_loop_proposal {
    ht_proposal_kind kind;
    uint64_t parent; /* the revision that it changes */
    /* SOURCE: the whole file. TEMPLATE: unit and annotations. PARAMETERS: lines of
     * `param(NAME : values = default)`, as in a template. Owned; NULL for SEARCH. */
    char *text;
    uint64_t evaluations; /* at most; 0: as the loop's own steps */
    char *reason;         /* why, in a sentence; owned; NULL: not given */
} ht_loop_proposal;

/* The view of a proposer. All borrowed, valid during the call. */
typedef struct ht_loop_view {
    const char *path;    /* of the source */
    const char *kernel;  /* its name, qualified */
    const char *source;  /* the original's text */
    const char *problem; /* the sizes that are tuned for, "N=1 C=16" */
    const char *device;
    const ht_history *history;
    uint64_t rounds_left; /* steps */
    double seconds_left;  /* 0: no limit */
} ht_loop_view;

typedef struct ht_proposer {
    void *context;
    /* Puts a proposal, which the caller frees. It has passed the gate. An error ends the loop with
     * what it has. */
    ht_status (*propose)(void *context, const ht_loop_view *view, ht_loop_proposal *out_proposal,
                         ht_error *error);
    /* Called with what became of a proposal: a revision of its own, whose `verdict` and `finding`
     * are the answer. May be NULL. */
    void (*settled)(void *context, const ht_loop_proposal *proposal, const ht_revision *revision);
} ht_proposer;

void ht_loop_proposal_free(ht_loop_proposal *proposal); /* what it holds */

#endif
