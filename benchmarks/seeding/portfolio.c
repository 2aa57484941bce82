#include "benchmarks/seeding/portfolio.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FAILED = 4; /* times the best */

/* A configuration with the logarithm of its time over the best, on each training problem. */
typedef struct candidate {
    const char *text;
    double *logs; /* owned */
    bool taken;
} candidate;

typedef struct choosing {
    const ht_database_earlier *training;
    candidate *candidates;
    size_t count;
} choosing;

static double best_of(const ht_database_earlier_run *run) {
    double best = INFINITY;
    for (size_t i = 0; i < run->count; ++i)
        best = fmin(best, run->rows[i].cost);
    return best;
}

static candidate *candidate_find(choosing *self, const char *text) {
    for (size_t c = 0; c < self->count; ++c)
        if (strcmp(self->candidates[c].text, text) == 0)
            return &self->candidates[c];
    HT_GROW(self->candidates, self->count);
    candidate *added = &self->candidates[self->count++];
    *added = (candidate){text, ht_alloc(self->training->count + 1, sizeof *added->logs), false};
    for (size_t r = 0; r < self->training->count; ++r)
        added->logs[r] = log(FAILED);
    return added;
}

static void candidates_make(choosing *self) {
    for (size_t r = 0; r < self->training->count; ++r) {
        const ht_database_earlier_run *run = &self->training->runs[r];
        double best = best_of(run);
        for (size_t i = 0; i < run->count; ++i) {
            candidate *of = candidate_find(self, run->rows[i].config);
            if (isfinite(run->rows[i].cost))
                of->logs[r] = fmin(log(FAILED), log(run->rows[i].cost / best));
        }
    }
}

/* Returns what the candidate lowers the sum over problems by; -1 where it is taken. */
static double gain_of(const choosing *self, const candidate *of, const double *so_far) {
    double gain = 0;
    for (size_t r = 0; r < self->training->count; ++r)
        gain += fmax(0, so_far[r] - of->logs[r]);
    return of->taken ? -1 : gain;
}

size_t ht_portfolio_choose(const ht_template *template, const ht_database_earlier *training,
                           size_t want, ht_config *out_configs) {
    choosing self = {.training = training};
    double *so_far = ht_alloc(training->count + 1, sizeof *so_far);
    size_t found = 0;
    candidates_make(&self);
    for (size_t r = 0; r < training->count; ++r)
        so_far[r] = log(FAILED);
    for (size_t tries = 0; found < want && tries < self.count; ++tries) {
        candidate *best = &self.candidates[0];
        for (size_t c = 1; c < self.count; ++c)
            if (gain_of(&self, &self.candidates[c], so_far) > gain_of(&self, best, so_far))
                best = &self.candidates[c];
        best->taken = true;
        if (ht_config_parse(template, best->text, &out_configs[found], NULL) != HT_OK)
            continue;
        ++found;
        for (size_t r = 0; r < training->count; ++r)
            so_far[r] = fmin(so_far[r], best->logs[r]);
    }
    for (size_t c = 0; c < self.count; ++c)
        free(self.candidates[c].logs);
    free(self.candidates);
    free(so_far);
    return found;
}
