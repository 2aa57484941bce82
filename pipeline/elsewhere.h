/* A winner at sizes that it was not tuned for, next to the original there: half the extents of the
 * problem, half as large again, and one less, which no block or vector divides. */
#ifndef HT_PIPELINE_ELSEWHERE_H
#define HT_PIPELINE_ELSEWHERE_H

#include "pipeline/paired.h"
#include "refactor/rewrite/apply.h"

#include <jansson.h>

typedef struct ht_elsewhere_size {
    ht_problem problem; /* owned, as the next */
    char *fields;
    ht_gain_interval speedup;
    bool slower; /* its whole interval is below `least` */
} ht_elsewhere_size;

typedef struct ht_elsewhere {
    double least; /* of the original's speed */
    ht_elsewhere_size *items;
    size_t count, slower_count;
    bool dispatched; /* the tuned file's launch takes the original where it is slower; verified */
    char *refused;   /* why it cannot; owned; NULL: it does, or need not */
} ht_elsewhere;

/* Returns the problems, of the template's family: with those values that are sizes, 12 and above,
 * changed alike. Free each with ht_problem_free, then free(). */
size_t ht_elsewhere_problems(const ht_problem_spec *spec, const ht_problem *problem,
                             ht_problem **out_problems);

/* Times them; where the winner is slower, also with each of up to four sizes changed alone, which
 * says which of them it hangs on. Sizes at which the configuration is not legal, or the two cannot
 * be timed, have no item. Free the result in any case. */
ht_status ht_elsewhere_time(const ht_session *session, const ht_template *template,
                            const ht_config *winner, const ht_problem *problem, double least,
                            ht_elsewhere *out_elsewhere, ht_error *error);
void ht_elsewhere_free(ht_elsewhere *elsewhere);

/* The sizes as samples to tell apart, `tuned` the first that is kept. Its texts are borrowed; free
 * with ht_elsewhere_samples_free. */
void ht_elsewhere_samples(const ht_elsewhere *elsewhere, const ht_problem *tuned,
                          ht_size_samples *out_samples);
void ht_elsewhere_samples_free(ht_size_samples *samples);

/* "N=5: 0.81x [0.78, 0.84]; ...", where it is slower; free(). NULL: nowhere. */
char *ht_elsewhere_slower(const ht_elsewhere *elsewhere);
/* [{"problem", "speedup": [ratio, lo, hi], "original"}]; the last: a launch there takes the
 * original. New reference. */
json_t *ht_elsewhere_json(const ht_elsewhere *elsewhere);

#endif
