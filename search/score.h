/* How good replayed searches were: the share of the optimum after N evaluations, and P, the
 * performance against random search over tuning time (Willemsen, Schoonhoven, Filipovic, Tapia, van
 * Nieuwpoort, van Werkhoven: "A methodology for comparing optimization algorithms for auto-tuning",
 * Future Generation Computer Systems 159, 2024). docs/replay.md has the formulas. */
#ifndef HT_SEARCH_SCORE_H
#define HT_SEARCH_SCORE_H

#include "search/replay_run.h"

enum { HT_SCORE_POINTS = 50 };

/* The result of random search on a recorded run, calculated. */
typedef struct ht_score {
    double *costs; /* of the configurations that succeeded, ascending; owned */
    size_t count;
    double optimum, median; /* of the costs */
    double draw_ms;         /* expected recorded time until random search has another success */
    double budget_draws;    /* successes until it is 95 % of the way from median to optimum */
    double budget_ms;
} ht_score;

void ht_score_make(const ht_replay *replay, ht_score *out_score);
void ht_score_free(ht_score *score);

/* Returns the expected cost of the best of `draws` successes of random search (a real number, at
 * least 1). */
double ht_score_baseline(const ht_score *score, double draws);
/* P of several searches together: 0 is random search, 1 the optimum at once. Only complete traces
 * count. NAN when there are none, or when the median is the optimum. */
double ht_score_performance(const ht_score *score, const ht_replay_trace *traces, size_t count);

typedef struct ht_score_share {
    double mean, median, tenth; /* over the complete traces; 0 without any; `tenth`: the 10th
                                   percentile, that of one bad search in ten */
    double error;               /* standard error of the mean; 0 for fewer than two traces */
} ht_score_share;

/* Optimum / best so far after this many evaluations (at least 1): 0 before the first success; what
 * a search had when it ended stays. */
ht_score_share ht_score_at(const ht_score *score, const ht_replay_trace *traces, size_t count,
                           uint64_t evaluations);

#endif
