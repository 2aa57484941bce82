/* Inside a step of a loop. Private to step*.c. */
#ifndef HT_LOOP_STEP_INTERNAL_H
#define HT_LOOP_STEP_INTERNAL_H

#include "loop/generations.h"
#include "loop/known.h"
#include "loop/step.h"
#include "pipeline/model_search.h"
#include "pipeline/roofline.h"

enum { HT_STEP_FIRST = 64 }; /* configurations past an edge, or next to the best, tried first */

struct ht_steps {
    const ht_loop_origin *origin;
    ht_session *session;
    ht_generations sources;
    ht_roofline roofline;       /* the original's */
    double original_ms;         /* predicted; 0: it is measured */
    ht_model_memory *predicted; /* owned; the session's; NULL: all is measured */
};

/* A step under way. */
typedef struct ht_step {
    ht_steps *steps;
    const ht_history *history;
    const ht_choice *choice;
    const ht_revision *best; /* so far */
    const ht_revision *like; /* whose template it goes on with; NULL: a new one */
    ht_generation *from;     /* whose source the template is of; NULL: it is of no file */
    ht_template *template;   /* searched; owned */
    bool any;                /* forms that nobody writes by hand may win */
    bool has_incumbent;
    ht_config incumbent;            /* the best, if it is a configuration of this template */
    ht_config first[HT_STEP_FIRST]; /* to be tried first */
    size_t first_count;
    ht_known known;         /* what earlier steps measured of it */
    ht_pair_result *result; /* borrowed: the entry's, or `own` */
    ht_pair_result own;
    ht_revision *out;
} ht_step;

/* Names what takes seconds. */
void ht_steps_phase(const ht_steps *steps, const char *text);
/* Returns the analysis of a text (NULL: the original's), with the values that its parameters were
 * given since. Borrowed, as ht_generations_get. */
ht_status ht_steps_source(ht_steps *steps, const char *text, ht_generation **out_generation,
                          ht_error *error);
/* Returns true if it searches the original's own template. */
bool ht_step_is_of_original(const ht_step *step);

/* Concludes: how much faster the winner is than the best before it; then its source,
 * checked, timed, and timed at other sizes. Fills the revision. */
ht_status ht_step_conclude(ht_step *step, ht_error *error);
/* Takes the words over. */
void ht_step_finding_set(ht_revision *revision, char *words);

#endif
