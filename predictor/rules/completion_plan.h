/* The part of the rules that one problem leaves, and the order in which the search works it out.
 * Private to completion. */
#ifndef HT_PREDICTOR_RULES_COMPLETION_PLAN_H
#define HT_PREDICTOR_RULES_COMPLETION_PLAN_H

#include "predictor/rules/rules.h"

/* Level 0 is known from the problem alone; level d once parameters 0..d-1 are chosen. */
enum { HT_LEVEL_MAX = HT_PARAM_MAX + 1 };

/* The instructions with the problem's numbers put in. `steps[i]` is instruction i with operands
 * that may have been exchanged for others that are equal here. */
typedef struct ht_problem_rules {
    ht_step *steps;
    uint32_t *same; /* the instruction that this one equals; itself for most */
    ht_range *ranges;
    uint8_t *levels;
    uint64_t *params;  /* what it depends on */
    ht_number *values; /* of level 0 */
    uint8_t *faults;
} ht_problem_rules;

/* One way of being legal: all requirements together, or one admitted exception. */
typedef struct ht_lookahead {
    bool impossible;
    size_t last;                      /* after this level nothing can go wrong any more */
    uint32_t step_ends[HT_LEVEL_MAX]; /* of a level; it starts where the one before ends */
    uint32_t kept_ends[HT_LEVEL_MAX];
    ht_step *steps;
    uint32_t *kept; /* what later levels read of this and earlier ones: all that the rest of the
                       search depends on */
    size_t kept_capacity;
    uint64_t chosen; /* the parameters whose numbers are read */
    ht_number *values;
    uint8_t *faults;
    uint16_t bound[HT_PARAM_MAX]; /* the prefix that `values` are about */
    size_t bound_count;
} ht_lookahead;

void ht_problem_rules_make(const ht_rules *rules, ht_problem_rules *out);
void ht_problem_rules_free(ht_problem_rules *problem);
void ht_problem_rules_start(const ht_rules *rules, const int64_t *fields,
                            ht_problem_rules *problem);

/* Room for planning; by instruction. */
typedef struct ht_lookahead_room {
    uint32_t *roots, *groups, *starts;
    uint8_t *needed, *last_use;
} ht_lookahead_room;
void ht_lookahead_room_make(const ht_rules *rules, ht_lookahead_room *out);
void ht_lookahead_room_free(ht_lookahead_room *room);

void ht_lookahead_make(const ht_rules *rules, ht_lookahead *out);
void ht_lookahead_free(ht_lookahead *plan);
/* `conditions` (HT_RULES_NONE: left out) must all hold. */
void ht_lookahead_start(const ht_rules *rules, const ht_problem_rules *problem,
                        const uint32_t *conditions, size_t condition_count, ht_lookahead_room *room,
                        ht_lookahead *plan);

#endif
