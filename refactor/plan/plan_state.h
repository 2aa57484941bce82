/* Saves a plan's state, to return to it when a transformation gives up. */
#ifndef HT_REFACTOR_PLAN_PLAN_STATE_H
#define HT_REFACTOR_PLAN_PLAN_STATE_H

#include "refactor/plan/plan.h"

/* The lengths of a plan's lists, which forms it had, and its axes. */
typedef struct ht_plan_state {
    size_t edits, params, requires, covers, followed, functions, help;
    const char *row_blocks, *block_rows; /* the plan's */
    bool tiles;                          /* blocks are joined */
    bool lds_times, renumbered, stacked, wide, tiled;
    ht_planned_axis axes[3];
} ht_plan_state;

ht_plan_state ht_plan_save(const ht_plan *plan);
/* Takes back all additions since the state was saved, except remarks. */
void ht_plan_restore(ht_plan *plan, ht_plan_state *to);
void ht_plan_state_free(ht_plan_state *state);

#endif
