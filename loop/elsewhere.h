/* The winner of a step at sizes that it was not tuned for, next to the original there: half the
 * extents of the problem, half as large again, and one less, which no block or vector divides. */
#ifndef HT_LOOP_ELSEWHERE_H
#define HT_LOOP_ELSEWHERE_H

#include "loop/revision.h"
#include "pipeline/tuning.h"

typedef struct ht_elsewhere {
    json_t *rows; /* [{"problem", "speedup": [ratio, lo, hi]}]; owned */
    char *slower; /* where its whole interval is below `least`, in words; owned; NULL: nowhere */
} ht_elsewhere;

/* Returns the problems, of the template's family: with those values that are sizes, 12 and above,
 * changed alike. Free each with ht_problem_free, then free(). */
size_t ht_elsewhere_problems(const ht_problem_spec *spec, const ht_problem *problem,
                             ht_problem **out_problems);

/* Times them. Sizes at which the configuration is not legal, or the two cannot be timed, have no
 * row: where a launch is written, it has the original there. Free the result in any case. */
ht_status ht_elsewhere_time(const ht_session *session, const ht_template *template,
                            const ht_config *winner, const ht_problem *problem, double least,
                            ht_elsewhere *out_elsewhere, ht_error *error);
void ht_elsewhere_free(ht_elsewhere *elsewhere);

#endif
