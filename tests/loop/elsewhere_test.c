/* Sizes that nothing was tuned for. */
#include "pipeline/elsewhere.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(elsewhere, .timeout = 60);

static void expect_problems(const char *family, const char *given, const char *const *expected,
                            size_t expected_count) {
    ht_problem_spec spec;
    ht_problem problem, *others;
    ht_error error = {0};
    cr_assert_eq(ht_problem_spec_parse(family, (ht_place){0}, &spec, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_problem_parse(&spec, given, &problem, &error), HT_OK, "%s", error.message);
    size_t count = ht_elsewhere_problems(&spec, &problem, &others);
    cr_assert_eq(count, expected_count, "%s: %zu", given, count);
    for (size_t i = 0; i < count; ++i) {
        char *text = ht_problem_string(&spec, &others[i]);
        cr_expect_str_eq(text, expected[i]);
        free(text);
        ht_problem_free(&others[i]);
    }
    free(others);
    ht_problem_free(&problem);
    ht_problem_spec_free(&spec);
}

Test(elsewhere, extents_are_halved_enlarged_and_made_odd_and_filters_stay) {
    const char *const sizes[] = {"W=480 H=270 radius=4", "W=1440 H=810 radius=4",
                                 "W=959 H=539 radius=4"};
    expect_problems("blur : W, H, radius = 4, n := W * H", "W=960 H=540", sizes, 3);
}

Test(elsewhere, equal_extents_stay_equal) {
    const char *const sizes[] = {
        "N=1 C=32 H=28 W=28 K=32 R=3 S=3 pad_h=1 pad_w=1 stride_h=1 stride_w=1 dilation_h=1 "
        "dilation_w=1 groups=32",
        "N=1 C=96 H=84 W=84 K=96 R=3 S=3 pad_h=1 pad_w=1 stride_h=1 stride_w=1 dilation_h=1 "
        "dilation_w=1 groups=96",
        "N=1 C=63 H=55 W=55 K=63 R=3 S=3 pad_h=1 pad_w=1 stride_h=1 stride_w=1 dilation_h=1 "
        "dilation_w=1 groups=63"};
    expect_problems("conv2d", "N=1 C=64 H=56 W=56 K=64 R=3 S=3 pad=1 groups=64", sizes, 3);
}

Test(elsewhere, a_problem_without_extents_has_no_others) {
    expect_problems("few : N", "N=8", NULL, 0);
}
