/* Points that stand for a sample: the middle first, then where those taken are not. */
#include "search/herding.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { COUNT = 40, FEATURES = 3, TAKEN = 6 };

/* The worth of a sample, as its definition has it. */
static double worth_of(const double *rows, size_t taken, size_t which) {
    double scale = 0, stands = 0, known = 0;
    for (size_t i = 0; i < COUNT; ++i)
        for (size_t j = 0; j < COUNT; ++j)
            for (size_t k = 0; k < FEATURES; ++k)
                scale += pow(rows[i * FEATURES + k] - rows[j * FEATURES + k], 2) / COUNT / COUNT;
    for (size_t j = 0; j < COUNT + taken; ++j) {
        double apart = 0;
        for (size_t k = 0; k < FEATURES; ++k)
            apart += pow(rows[which * FEATURES + k] - rows[j * FEATURES + k], 2);
        *(j < COUNT ? &stands : &known) += exp(-apart / scale);
    }
    return stands / COUNT - known / (double)(taken + 1);
}

Test(herding, takes_the_best_by_definition) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        double rows[(COUNT + TAKEN) * FEATURES];
        ht_random random;
        ht_random_seed(&random, seed);
        for (size_t i = 0; i < (COUNT + TAKEN) * FEATURES; ++i)
            rows[i] = ht_random_unit(&random);
        for (size_t taken = 0; taken <= TAKEN; taken += 3) {
            size_t next = ht_herding_next(rows, COUNT, taken, FEATURES);
            cr_assert_lt(next, COUNT);
            for (size_t i = 0; i < COUNT; ++i)
                cr_expect_leq(worth_of(rows, taken, i), worth_of(rows, taken, next) + 1e-12);
        }
    }
}

/* Of a line of points the middle one, where the farthest from all would be an end; then one on
 * either side, not at an end either. */
Test(herding, stands_for_all_and_keeps_from_the_edge) {
    enum { POINTS = 21 };
    double rows[POINTS + 2];
    for (size_t i = 0; i < POINTS; ++i)
        rows[i] = (double)i / (POINTS - 1);
    size_t first = ht_herding_next(rows, POINTS, 0, 1);
    cr_expect_eq(first, POINTS / 2);
    rows[POINTS] = rows[first];
    size_t second = ht_herding_next(rows, POINTS, 1, 1);
    cr_expect(second != first && second > 0 && second < POINTS - 1, "%zu", second);
    rows[POINTS + 1] = rows[second];
    size_t third = ht_herding_next(rows, POINTS, 2, 1);
    cr_expect((third < first) != (second < first), "%zu, after %zu and %zu", third, first, second);
}

Test(herding, takes_one_of_samples_that_are_all_the_same) {
    const double rows[] = {0.5, 0.5, 0.5, 0.5};
    cr_expect_lt(ht_herding_next(rows, 3, 1, 1), 3);
    cr_expect_eq(ht_herding_next(rows, 1, 0, 0), 0);
}
