/* Trust in earlier runs: weights are at least 0, follow outcomes, and a run that misleads or says
 * nothing has none. */
#include "search/trust.h"
#include "templates/space/space.h"

#include <criterion/criterion.h>
#include <math.h>

enum { ROWS = 40, SOURCES = 3 };

/* Draws what sources say, independent of each other, and outcomes that are `truth` times that, and
 * an error. */
static void rows_draw(double *values, double *y, size_t count, const double *truth, double error,
                      uint64_t seed) {
    ht_random random;
    ht_random_seed(&random, seed);
    for (size_t i = 0; i < count; ++i) {
        y[i] = 2 + error * (ht_random_unit(&random) - 0.5);
        for (size_t s = 0; s < SOURCES; ++s) {
            values[i * SOURCES + s] = 3.4 * (ht_random_unit(&random) - 0.5);
            y[i] += truth[s] * values[i * SOURCES + s];
        }
    }
}

Test(trust, before_outcomes_every_source_has_the_same_say) {
    ht_trust trust;
    ht_trust_begin(SOURCES, &trust);
    for (size_t s = 1; s < SOURCES; ++s)
        cr_expect_eq(trust.weight[s], trust.weight[0]);
    cr_expect_gt(trust.weight[0], 0);
    const double values[2 * SOURCES] = {0, 1, 2, 3, 4, 5}, y[2] = {1, 9};
    ht_trust learnt;
    ht_trust_learn(values, y, 2, SOURCES, &learnt);
    for (size_t s = 0; s < SOURCES; ++s)
        cr_expect_eq(learnt.weight[s], trust.weight[s]);
    const double same[4] = {7, 7, 7, 7}, four[4 * SOURCES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
    ht_trust_learn(four, same, 4, SOURCES, &learnt);
    for (size_t s = 0; s < SOURCES; ++s)
        cr_expect_eq(learnt.weight[s], trust.weight[s]);
}

Test(trust, weights_are_never_negative) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        double values[ROWS * SOURCES], y[ROWS];
        const double truth[SOURCES] = {(double)(seed % 3) - 1, (double)(seed % 5) - 2, -0.3};
        ht_trust trust;
        size_t count = 3 + seed % (ROWS - 3);
        rows_draw(values, y, count, truth, 2, seed);
        ht_trust_learn(values, y, count, SOURCES, &trust);
        for (size_t s = 0; s < SOURCES; ++s)
            cr_expect(trust.weight[s] >= 0 && isfinite(trust.weight[s]));
        cr_expect(trust.any >= 0 && trust.any <= 1);
        cr_expect(trust.rest >= 0 && trust.rest <= 1);
    }
}

Test(trust, what_sources_explain_is_found) {
    static const double truth[SOURCES] = {0.8, 0, 0.3};
    double values[ROWS * SOURCES], y[ROWS];
    ht_trust trust;
    rows_draw(values, y, ROWS, truth, 0.1, 1);
    ht_trust_learn(values, y, ROWS, SOURCES, &trust);
    for (size_t s = 0; s < SOURCES; ++s)
        cr_expect_float_eq(trust.weight[s], truth[s], 0.02, "%zu: %g", s, trust.weight[s]);
    cr_expect_gt(trust.any, 0.999);
    cr_expect_lt(trust.rest, 0.01);
}

/* A source that says the opposite has exactly no weight, whatever the others are worth. */
Test(trust, a_source_that_disagrees_has_no_weight) {
    static const double truth[SOURCES] = {-0.4, 0.5, 0};
    for (uint64_t seed = 0; seed < 20; ++seed) {
        double values[ROWS * SOURCES], y[ROWS];
        ht_trust trust;
        rows_draw(values, y, ROWS, truth, 0.2, seed);
        ht_trust_learn(values, y, ROWS, SOURCES, &trust);
        cr_expect_lt(trust.weight[0], 1e-6);
        cr_expect_gt(trust.weight[1], 0.4);
    }
}

Test(trust, sources_that_say_nothing_have_next_to_no_weight) {
    static const double nothing[SOURCES] = {0};
    double sum = 0, any = 0;
    enum { DRAWS = 100 };
    for (uint64_t seed = 0; seed < DRAWS; ++seed) {
        double values[ROWS * SOURCES], y[ROWS];
        ht_trust trust;
        rows_draw(values, y, ROWS, nothing, 3.46, seed); /* a deviation of 1 */
        ht_trust_learn(values, y, ROWS, SOURCES, &trust);
        any += trust.any / DRAWS;
        for (size_t s = 0; s < SOURCES; ++s)
            sum += trust.weight[s] / DRAWS / SOURCES;
    }
    cr_expect_lt(sum, 0.02, "%g", sum);
    cr_expect_lt(any, 0.15, "%g", any);
}

/* Before outcomes sources are not in doubt; those that disagree are, those that agree are not. */
Test(trust, doubts_what_outcomes_are_against) {
    static const double against[SOURCES] = {-0.4, -0.3, -0.5}, agreeing[SOURCES] = {0, 0.5, 0};
    double values[ROWS * SOURCES], y[ROWS];
    ht_trust trust;
    ht_trust_begin(SOURCES, &trust);
    cr_expect_not(ht_trust_doubts(&trust));
    rows_draw(values, y, ROWS, against, 0.1, 1);
    ht_trust_learn(values, y, ROWS, SOURCES, &trust);
    cr_expect(ht_trust_doubts(&trust));
    rows_draw(values, y, ROWS, agreeing, 0.1, 1);
    ht_trust_learn(values, y, ROWS, SOURCES, &trust);
    cr_expect_not(ht_trust_doubts(&trust));
}

/* Two that say the same share the weight: neither is doubted because the other is enough. */
Test(trust, twins_share_the_weight) {
    static const double truth[SOURCES] = {0.8, 0, 0};
    double values[ROWS * SOURCES], y[ROWS];
    ht_trust trust;
    rows_draw(values, y, ROWS, truth, 0.1, 1);
    for (size_t i = 0; i < ROWS; ++i)
        values[i * SOURCES + 1] = values[i * SOURCES];
    ht_trust_learn(values, y, ROWS, SOURCES, &trust);
    cr_expect_float_eq(trust.weight[0] + trust.weight[1], 0.8, 0.02);
    cr_expect_float_eq(trust.weight[0], trust.weight[1], 0.01);
}
