/* The trials that a winner is chosen from: a second kernel, for one size, must be worth it. */
#include "../templates/support.h"
#include "pipeline/style.h"

#include <criterion/criterion.h>
#include <string.h>

static const char annotated[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(k)\n"
    "#pragma tune param(BLOCK : 32, 64, 128 = 64)\n"
    "#pragma tune param(R_SIZE : 0, 3 = 0)\n"
    "#pragma tune from(fixed-sizes : R_SIZE)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(1)\n"
    "#pragma tune arg(out : out float[1])\n"
    "template <int BLOCK, int R_SIZE> __global__ void k(float *out) {}\n";

enum { TRIALS = 4 };

/* Two trials without, then two with the kernel for one size. Fills the numbers of those that may
 * win; returns how many there are. */
static size_t best_of(const double costs[TRIALS], size_t out[TRIALS]) {
    ht_template *template = test_template(annotated);
    ht_trial trials[TRIALS];
    memset(trials, 0, sizeof trials);
    const ht_search_result result = {.trials = trials, .trial_count = TRIALS};
    for (size_t i = 0; i < TRIALS; ++i) {
        trials[i].config = ht_config_default(template);
        trials[i].config.choice[0] = (uint16_t)(i % 2);
        trials[i].config.choice[1] = i >= 2;
        trials[i].outcome = (ht_outcome){.status = HT_OK, .cost = costs[i]};
        cr_expect_eq(ht_style_is_for_size(template, &trials[i].config), i >= 2);
    }
    size_t count = ht_style_best(template, &result, TRIALS, out);
    ht_template_free(template, 1);
    return count;
}

Test(style, a_kernel_for_one_size_wins_by_a_tenth_or_not_at_all) {
    size_t best[TRIALS];
    cr_expect_eq(best_of((double[]){2, 1.05, 1, 3}, best), 2, "1.05 times as fast is too little");
    cr_expect_eq(best[0], 1);
    cr_expect_eq(best[1], 0);
    cr_expect_eq(best_of((double[]){2, 1.2, 1, 3}, best), TRIALS);
    cr_expect_eq(best[0], 2);
    cr_expect_eq(best[1], 1);
    cr_expect_eq(best_of((double[]){1, 2, 1.01, 3}, best), TRIALS, "one without is ahead");
    cr_expect_eq(best[0], 0);
}

Test(style, a_kernel_for_one_size_wins_where_nothing_else_ran) {
    ht_template *template = test_template(annotated);
    ht_trial trials[2] = {{.config = ht_config_default(template)},
                          {.config = ht_config_default(template)}};
    trials[0].outcome = (ht_outcome){.status = HT_ERROR_MISMATCH};
    trials[1].config.choice[1] = 1;
    trials[1].outcome = (ht_outcome){.status = HT_OK, .cost = 1};
    const ht_search_result result = {.trials = trials, .trial_count = 2};
    size_t best[2];
    cr_expect_eq(ht_style_best(template, &result, 2, best), 1);
    cr_expect_eq(best[0], 1);
    ht_template_free(template, 1);
}
