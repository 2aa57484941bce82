/* The other side of a search: an evaluator turns configurations into outcomes. The search knows
 * nothing of how: the runtime compiles and times kernels, a replay answers from a recording. */
#ifndef HT_SEARCH_EVALUATOR_H
#define HT_SEARCH_EVALUATOR_H

#include "templates/space/space.h"

typedef struct ht_outcome {
    ht_status status; /* HT_OK: `cost` is valid; else why this configuration failed */
    double cost;      /* the objective, smaller is better: median milliseconds */
    bool reused;      /* answered from the database, not measured now */
    char reason[160]; /* short text of a failure, for reports: "compile: LDS overflow" */
} ht_outcome;

typedef struct ht_evaluator {
    void *self;
    /* Evaluates `count` configurations, filling `outcomes` in the same order. Failures of single
     * configurations are outcomes; a returned error (interruption, a dead device) ends the search,
     * with the outcomes so far valid up to *out_done. */
    ht_status (*evaluate)(void *self, const ht_config *configs, size_t count, ht_outcome *outcomes,
                          size_t *out_done, ht_error *error);
    size_t batch; /* configurations worth asking for at once; at least 1 */
} ht_evaluator;

#endif
