/* Why a search has nothing to choose from. */
#include "pipeline/search_reason.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const ht_config standard = {.count = 1}, other = {.count = 1, .choice = {1}};

static void expect(const ht_search_result *result, size_t known, uint64_t space,
                   const char *words) {
    const ht_search_want want = {
        .standard = &standard, .known = known, .space = space, .gives = "runs"};
    char *reason = ht_search_reason(result, &want);
    cr_expect_str_eq(reason, words);
    free(reason);
}

Test(search_reason, a_search_of_its_own_says_what_it_tried) {
    ht_trial trials[] = {{.config = standard},
                         {.config = other, .outcome = {.status = HT_ERROR_CRASH}}};
    const char *limit = "the limit was reached before another configuration could be tried";
    expect(&(ht_search_result){.trials = trials, .trial_count = 1}, 0, 9, limit);
    expect(&(ht_search_result){.trials = trials, .trial_count = 2}, 0, 9,
           "no other configuration runs");
    expect(&(ht_search_result){.trials = trials, .trial_count = 1, .exhausted = true}, 0, 1,
           "there is no other legal configuration");
}

/* The default and others were tried before, and may have run: a single trial is a new one. */
Test(search_reason, one_that_began_with_outcomes_says_nothing_of_those) {
    ht_trial trials[] = {{.config = other, .outcome = {.status = HT_ERROR_CRASH}},
                         {.config = other, .outcome = {.status = HT_ERROR_CRASH}}};
    expect(&(ht_search_result){.trials = trials, .trial_count = 1}, 4, 9,
           "none of the 1 that were not tried before runs");
    expect(&(ht_search_result){.trials = trials, .trial_count = 2}, 4, 9,
           "none of the 2 that were not tried before runs");
    expect(&(ht_search_result){.exhausted = true}, 9, 9,
           "every other configuration was tried before");
    expect(&(ht_search_result){0}, 4, 9,
           "the limit was reached before another configuration could be tried");
}
