/* Planning: which step a loop takes next. A pure function of the history and of what earlier loops
 * taught, so that the same history is planned on in the same way, whenever it is resumed. */
#ifndef HT_LOOP_PLAN_H
#define HT_LOOP_PLAN_H

#include "loop/revision.h"

typedef struct ht_loop_settings {
    uint64_t rounds;      /* steps at most; 0: until nothing is expected to gain anything */
    uint64_t evaluations; /* of a first search */
    uint64_t most;        /* configurations of all steps together; 0: no limit */
    bool any;             /* forms that nobody writes by hand may win, once plain ones are tuned */
    double least_gain;    /* a step that is expected to gain less is not worth its cost: 1.01 */
} ht_loop_settings;

/* Gains and costs of the steps of earlier loops, for each action. */
typedef struct ht_lesson {
    double log_gain; /* the sum over steps of log(gain over the best before); 0 for one that gained
                        nothing */
    uint64_t steps;
    double seconds; /* of all */
    uint64_t evaluations;
} ht_lesson;
typedef struct ht_lessons {
    ht_lesson of[HT_ACTION_COUNT];
} ht_lessons;
/* Adds what a loop's steps taught. */
void ht_lessons_add(ht_lessons *lessons, const ht_history *history);
/* The document of a loop keeps them, so that one that is resumed plans on as it began. */
json_t *ht_lessons_json(const ht_lessons *lessons); /* new reference */
void ht_lessons_read(const json_t *document,
                     ht_lessons *out_lessons); /* none of what is no such document */

typedef struct ht_choice {
    ht_action action;
    uint64_t parent;      /* the revision that it goes on from */
    uint64_t evaluations; /* of the search, all together */
    double predicted_gain;
    double predicted_cost; /* seconds; 0: nothing is known of what steps take */
    bool over;             /* a stop whatever is proposed */
    char *reason;          /* in a sentence; owned */
} ht_choice;

/* Chooses the step with the most expected gain for its cost (docs/loop.md); HT_ACTION_STOP when
 * none is worth it, or all rounds were made. free(out_choice->reason). */
void ht_loop_choose(const ht_loop_settings *settings, const ht_history *history,
                    const ht_lessons *lessons, ht_choice *out_choice);
/* Fills the prediction of a step that somebody proposed. */
void ht_loop_predict(const ht_loop_settings *settings, const ht_history *history,
                     const ht_lessons *lessons, ht_choice *choice);

#endif
