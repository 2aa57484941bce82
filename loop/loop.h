/* The loop itself: plans a step, has it done, keeps the revision, and so on until nothing more is
 * expected. docs/loop.md explains it. */
#ifndef HT_LOOP_LOOP_H
#define HT_LOOP_LOOP_H

#include "loop/plan.h"
#include "loop/proposal.h"

/* Those who do what the loop decides; tests have hands of their own. */
typedef struct ht_loop_hands {
    void *context;
    /* Does a step: fills what became of it, but for its number and what the choice says.
     * `proposal` is what to do for those actions that were proposed; NULL for all others. A step
     * that comes to nothing has not failed: its finding says why. HT_ERROR_INTERRUPTED: it was not
     * done to its end, and is done again when the loop is resumed. */
    ht_status (*perform)(void *context, const ht_history *history, const ht_choice *choice,
                         const ht_loop_proposal *proposal, ht_revision *out_revision,
                         ht_error *error);
    /* Keeps a revision, before the next is planned; may be NULL. */
    ht_status (*keep)(void *context, const ht_revision *revision, ht_error *error);
    /* Fills what a proposer may see, but for history and rounds. NULL: there is no proposer. */
    void (*view)(void *context, ht_loop_view *out_view);
    /* Shows a choice before it is done, and a revision after it; may be NULL. */
    void (*chosen)(void *context, const ht_choice *choice, uint64_t number);
    void (*done)(void *context, const ht_revision *revision);
} ht_loop_hands;

typedef struct ht_loop {
    ht_loop_settings settings;
    ht_lessons lessons; /* as they were when it began */
    ht_loop_hands hands;
    const ht_proposer *proposer; /* borrowed; NULL: there is none */
    ht_history history;          /* with what was kept so far; its first is the original */
    char *ended;                 /* why, in a sentence; NULL: it has not; owned */
} ht_loop;

/* Goes on until it stops by itself (`ended` is set), or a step is interrupted or fails as a whole:
 * then the history has what was kept, and the same call goes on from there. */
ht_status ht_loop_run(ht_loop *loop, ht_error *error);
void ht_loop_free(ht_loop *loop);

#endif
