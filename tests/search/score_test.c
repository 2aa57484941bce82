/* Scores against their definition: counting, brute force, and searches whose score is known. */
#include "recordings.h"
#include "spaces.h"

#include "base/memory.h"
#include "search/score.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

typedef struct fixture {
    test_space space;
    ht_recording *run;
    ht_replay *replay;
    ht_score score;
} fixture;

static void fixture_make(fixture *f, const test_run_options *options) {
    test_space_parse(&f->space, test_grid);
    f->run = test_run_make(f->space.space, options);
    cr_assert_eq(ht_replay_create(f->space.space, f->run, true, &f->replay, NULL), HT_OK);
    ht_score_make(f->replay, &f->score);
}

static void fixture_free(fixture *f) {
    ht_score_free(&f->score);
    ht_replay_free(f->replay);
    ht_recording_free(f->run);
    test_space_free(&f->space);
}

/* The expected cost's rank, from the probabilities of each rank being the best of M drawn. */
Test(score, baseline_is_the_expected_best) {
    fixture f;
    fixture_make(&f, &(test_run_options){.seed = 1, .failing = 30});
    size_t n = f.score.count;
    for (size_t draws = 1; draws <= n; draws = draws * 2 + 1) {
        double at_least = 1, expected = 0; /* no draw among the best `rank` */
        for (size_t rank = 1; rank < n; ++rank) {
            double left = (double)(n - rank + 1);
            at_least *= left >= (double)draws ? (left - (double)draws) / left : 0;
            expected += at_least;
        }
        size_t below = (size_t)expected;
        double cost = f.score.costs[below];
        if (below + 1 < n)
            cost += (expected - (double)below) * (f.score.costs[below + 1] - cost);
        cr_assert_float_eq(ht_score_baseline(&f.score, (double)draws), cost, 1e-9 * cost);
    }
    cr_assert_eq(ht_score_baseline(&f.score, (double)n), f.score.optimum);
    fixture_free(&f);
}

Test(score, budget_reaches_the_cutoff) {
    for (uint64_t seed = 1; seed < 8; ++seed) {
        fixture f;
        fixture_make(&f, &(test_run_options){.seed = seed, .failing = 10 * (unsigned)seed});
        double target = f.score.optimum + 0.05 * (f.score.median - f.score.optimum);
        double reached = ht_score_baseline(&f.score, f.score.budget_draws);
        cr_assert_float_eq(reached, target, 1e-9);
        cr_assert(f.score.budget_draws > 1);
        fixture_free(&f);
    }
}

static double performance_of(const fixture *f, const char *strategy, size_t repeats,
                             const ht_config *seeds, size_t seed_count) {
    ht_replay_options options = {.strategy = strategy,
                                 .seed = 5,
                                 .repeats = repeats,
                                 .min_evaluations = 1,
                                 .min_spent = f->score.budget_ms,
                                 .batch = 1,
                                 .threads = 2,
                                 .seeds = seeds,
                                 .seed_count = seed_count};
    ht_replay_trace *traces = ht_alloc(repeats, sizeof *traces);
    cr_assert_eq(ht_replay_run(f->replay, &options, traces, NULL), HT_OK);
    double performance = ht_score_performance(&f->score, traces, repeats);
    for (size_t r = 0; r < repeats; ++r)
        ht_replay_trace_free(&traces[r]);
    free(traces);
    return performance;
}

Test(score, random_is_zero) {
    const test_run_options runs[] = {
        {.seed = 1}, {.seed = 2, .failing = 30}, {.seed = 3, .timeless = true}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        fixture f;
        fixture_make(&f, &runs[i]);
        double performance = performance_of(&f, "random", 400, NULL, 0);
        cr_assert(fabs(performance) < 0.08, "%g", performance);
        fixture_free(&f);
    }
}

/* A search that begins with the optimum has nearly 1, one that begins with the worst does worse
 * than random. */
Test(score, oracle_and_its_opposite) {
    fixture f;
    ht_config seeds[60];
    fixture_make(&f, &(test_run_options){.seed = 4, .failing = 10});
    const ht_replay *self[] = {f.replay};
    cr_assert_eq(ht_replay_rank(self, 1, false, 1, seeds), 1);
    double oracle = performance_of(&f, "random", 10, seeds, 1);
    cr_assert(oracle > 0.95 && oracle <= 1, "%g", oracle);
    cr_assert_eq(ht_replay_rank(self, 1, true, 60, seeds), 60);
    cr_assert(performance_of(&f, "random", 10, seeds, 60) < -0.5);
    fixture_free(&f);
}

/* Other units of time and cost are the same run. */
Test(score, scales_do_not_matter) {
    fixture f;
    fixture_make(&f, &(test_run_options){.seed = 7, .failing = 20});
    double before = performance_of(&f, "random", 20, NULL, 0);
    for (size_t r = 0; r < f.run->record_count; ++r) {
        f.run->records[r].cost *= 8;
        f.run->records[r].times.compile *= 4;
        f.run->records[r].times.verification *= 4;
        f.run->records[r].times.benchmark *= 4;
    }
    ht_score_free(&f.score);
    ht_replay_free(f.replay);
    cr_assert_eq(ht_replay_create(f.space.space, f.run, true, &f.replay, NULL), HT_OK);
    ht_score_make(f.replay, &f.score);
    cr_assert_float_eq(performance_of(&f, "random", 20, NULL, 0), before, 1e-9);
    fixture_free(&f);
}

static ht_replay_trace trace_of(double *best, double *spent, size_t count) {
    return (ht_replay_trace){.best = best, .spent = spent, .count = count, .complete = true};
}

Test(score, shares) {
    double a[] = {INFINITY, 4, 2}, b[] = {8, 8, 8, 2}, spent[] = {1, 2, 3, 4};
    ht_score score = {.optimum = 2};
    ht_replay_trace traces[] = {trace_of(a, spent, 3), trace_of(b, spent, 4), {0}};
    static const double means[] = {0.125, 0.375, 0.625, 1, 1};
    static const double errors[] = {0.125, 0.125, 0.375, 0, 0};
    for (uint64_t n = 1; n <= 5; ++n) {
        ht_score_share share = ht_score_at(&score, traces, 3, n);
        cr_assert_float_eq(share.mean, means[n - 1], 1e-12);
        cr_assert_float_eq(share.median, means[n - 1], 1e-12); /* of two: the same */
        cr_assert_float_eq(share.error, errors[n - 1], 1e-12); /* of two: half their difference */
    }
    ht_score_share none = ht_score_at(&score, &traces[2], 1, 10);
    cr_assert(none.mean == 0 && none.median == 0 && none.tenth == 0 && none.error == 0);
}

/* Of 21 searches two are worse than the tenth percentile. */
Test(score, the_tenth_percentile_has_a_tenth_below) {
    enum { SEARCHES = 21 };
    double best[SEARCHES], spent = 1;
    ht_replay_trace traces[SEARCHES];
    for (size_t i = 0; i < SEARCHES; ++i) {
        best[i] = 1 + (double)((i * 8) % SEARCHES);
        traces[i] = trace_of(&best[i], &spent, 1);
    }
    ht_score score = {.optimum = 1};
    ht_score_share share = ht_score_at(&score, traces, SEARCHES, 1);
    size_t below = 0;
    for (size_t i = 0; i < SEARCHES; ++i)
        below += 1 / best[i] < share.tenth;
    cr_expect_eq(below, SEARCHES / 10);
}

Test(score, undefined) {
    double costs[] = {1, 1, 1};
    ht_score flat = {.costs = costs, .count = 3, .optimum = 1, .median = 1};
    ht_replay_trace none = {0};
    cr_assert(isnan(ht_score_performance(&flat, &none, 1)));
    none.complete = true;
    cr_assert(isnan(ht_score_performance(&flat, &none, 1)));
}
