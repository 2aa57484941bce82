/* The part of a configuration that a model sees. */
#include "search/features.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define PARAMETER(name, values)                                                                    \
    "{\"Name\": \"" name "\", \"Type\": \"int\", \"Values\": \"" values "\"}"
static const char t1[] =
    "{\"General\": {\"BenchmarkName\": \"k\"}, \"ConfigurationSpace\": {\"TuningParameters\": "
    "[" PARAMETER("fixed", "[7]") "," PARAMETER("x", "[16, 32, 48, 64, 96, 128]") "," PARAMETER(
        "y",
        "[1, 2, 4, 8, 16]") "," PARAMETER("flag",
                                          "[0, 1]") "," PARAMETER("unroll",
                                                                  "[0, 1, 3, 7]") "],"
                                                                                  "\"Conditions\": "
                                                                                  "[{"
                                                                                  "\"Expression\": "
                                                                                  "\"x * y <= "
                                                                                  "1024\", "
                                                                                  "\"Parameters\": "
                                                                                  "[\"x\", "
                                                                                  "\"y\"]}]}}";

typedef struct fixture {
    ht_space *space;
    ht_config *configs;
    size_t count;
    ht_features *features;
} fixture;

static fixture fixture_make(unsigned kinds) {
    fixture made = {0};
    ht_error error = {0};
    cr_assert_eq(ht_space_parse_t1(t1, "t1", 0, &made.space, &error), HT_OK, "%s", error.message);
    made.count = (size_t)ht_space_count(made.space);
    made.configs = calloc(made.count, sizeof *made.configs);
    ht_space_list(made.space, 0, made.configs, made.count);
    made.features = ht_features_create(made.space, made.configs, made.count, kinds);
    return made;
}

static void fixture_free(fixture *fixture) {
    ht_features_free(fixture->features);
    free(fixture->configs);
    ht_space_free(fixture->space);
}

static size_t of_kind(const ht_features *features, ht_feature_kind kind) {
    size_t count = 0;
    for (size_t k = 0; k < ht_features_count(features); ++k)
        count += ht_features_kind(features, k) == kind;
    return count;
}

Test(features, say_each_thing_once) {
    fixture all = fixture_make(~0U);
    cr_assert_eq(of_kind(all.features, HT_FEATURE_SIZE),
                 3); /* x, y, unroll; `fixed` never changes */
    /* The number of times that 2 divides y is its size. */
    cr_assert_eq(of_kind(all.features, HT_FEATURE_DIVISIBILITY), 1);
    cr_assert_eq(of_kind(all.features, HT_FEATURE_CHOICE), 1);
    cr_assert_eq(of_kind(all.features, HT_FEATURE_TERM), 1); /* x * y */
    cr_assert_eq(of_kind(all.features, HT_FEATURE_TERM_DIVISIBILITY), 1);
    fixture sizes = fixture_make(1U << HT_FEATURE_SIZE);
    cr_assert_eq(ht_features_count(sizes.features), 3);
    fixture_free(&all);
    fixture_free(&sizes);
}

Test(features, lie_between_0_and_1_and_tell_configurations_apart) {
    fixture all = fixture_make(~0U);
    size_t d = ht_features_count(all.features);
    double *values = calloc(all.count * HT_FEATURES_MAX, sizeof *values);
    for (size_t i = 0; i < all.count; ++i) {
        double *own = values + i * HT_FEATURES_MAX;
        ht_features_of(all.features, &all.configs[i], own);
        for (size_t k = 0; k < d; ++k)
            cr_assert(own[k] >= 0 && own[k] <= 1);
        for (size_t j = 0; j < i; ++j) {
            double distance = 0;
            for (size_t k = 0; k < d; ++k)
                distance += fabs(own[k] - values[j * HT_FEATURES_MAX + k]);
            cr_assert_gt(distance, 1e-3);
        }
    }
    free(values);
    fixture_free(&all);
}

Test(features, sizes_are_logarithms) {
    fixture sizes = fixture_make(1U << HT_FEATURE_SIZE);
    for (size_t i = 0; i < sizes.count; ++i) {
        const ht_dimension *x = ht_space_dimension(sizes.space, 1);
        double values[HT_FEATURES_MAX];
        ht_features_of(sizes.features, &sizes.configs[i], values);
        double expected = (log2(x->numbers[sizes.configs[i].choice[1]]) - 4) / 3;
        cr_assert_float_eq(values[0], expected, 1e-12);
    }
    fixture_free(&sizes);
}
