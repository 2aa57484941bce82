/* Jobs time each variant next to the best so far, drop those that are clearly slower, and
 * distinguish unclear from different. */
#include "tests/runtime/job/support.h"

#include "base/file.h"
#include "base/scratch.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(pairing, .init = use_test_worker, .timeout = 250);

/* WORK passes over the same value; TWIN changes nothing. */
static const char text[] =
    "#include <hip/hip_runtime.h>\n"
    "#pragma tune kernel(k)\n"
    "#pragma tune param(WORK : 10, 200, 2000 = 200)\n"
    "#pragma tune param(TWIN : 0, 1 = 0)\n"
    "#pragma tune block(64)\n"
    "#pragma tune grid(8)\n"
    "#pragma tune arg(in : in float[512])\n"
    "#pragma tune arg(out : out float[512])\n"
    "template <int WORK, int TWIN> __global__ void k(const float *in, float *out) {\n"
    "    int i = blockIdx.x * 64 + threadIdx.x;\n"
    "    volatile float value = in[i];\n"
    "    for (int k = 0; k < WORK; ++k) value = value;\n"
    "    out[i] = value;\n"
    "}\n";

typedef struct kept {
    bool found;
    ht_evaluation evaluation;
    json_t *conditions;
} kept;

static kept get(ht_database *database, const ht_job *job, const char *config) {
    kept kept = {0};
    ht_error error = {0};
    cr_assert_eq(
        ht_database_get(database, ht_job_key(job), config, &kept.found, &kept.evaluation, &error),
        HT_OK, "%s", error.message);
    if (kept.found && kept.evaluation.conditions != NULL)
        kept.conditions = json_loads(kept.evaluation.conditions, 0, NULL);
    return kept;
}

static void release(kept *kept) {
    json_decref(kept->conditions);
    if (kept->found)
        ht_evaluation_free(&kept->evaluation);
}

static const char *stop_of(const kept *kept) {
    return json_string_value(json_object_get(kept->conditions, "stop"));
}

Test(pairing, slow_variants_are_dropped_and_the_best_is_the_control) {
    bound b;
    bind_text(&b, text, NULL);
    ht_scratch scratch = {0};
    ht_error error = {0};
    ht_database *database = NULL;
    cr_assert_eq(ht_scratch_make("pairing", &scratch, &error), HT_OK);
    char *path = ht_path_join(scratch.path, "test.sqlite");
    cr_assert_eq(ht_database_open(path, &database, &error), HT_OK, "%s", error.message);
    ht_job_options options = quick_options();
    options.database = database;
    ht_job *job = start_job(&b, &options);
    evaluate(job, &b, "WORK=10 TWIN=0");
    evaluate(job, &b, "WORK=2000 TWIN=0");
    kept fast = get(database, job, "WORK=10 TWIN=0"), slow = get(database, job, "WORK=2000 TWIN=0");
    kept original = get(database, job, "original");
    cr_assert(fast.found && slow.found && original.found);
    cr_assert_not(fast.evaluation.reduced);
    cr_assert(slow.evaluation.reduced);
    cr_assert_eq(slow.evaluation.sample_count, 3);
    cr_assert_str_eq(stop_of(&slow), "race");
    cr_assert_str_neq(stop_of(&fast), "race");
    cr_assert_str_eq(json_string_value(json_object_get(slow.conditions, "cache")), "hot");
    /* The original was the control of the first; that one is the control of the second. */
    double first = json_number_value(json_object_get(fast.conditions, "control_ms"));
    double second = json_number_value(json_object_get(slow.conditions, "control_ms"));
    cr_assert_gt(first, 2 * second, "%g %g", first, second);
    cr_assert_gt(slow.evaluation.cost, 2 * original.evaluation.cost);
    ht_job_free(job);
    /* A second job keeps the scale of the first: the original's time stays as it was. */
    job = start_job(&b, &options);
    kept again = get(database, job, "original");
    cr_assert_eq(again.evaluation.cost, original.evaluation.cost);
    release(&again);
    ht_job_free(job);
    release(&original);
    release(&slow);
    release(&fast);
    ht_database_close(database);
    free(path);
    ht_scratch_remove(&scratch);
    unbind(&b);
}

Test(pairing, finals_tell_faster_slower_and_unclear) {
    bound b;
    bind_text(&b, text, NULL);
    ht_job_options options = quick_options();
    ht_job *job = start_job(&b, &options);
    const char *names[] = {"WORK=10 TWIN=0", "WORK=2000 TWIN=0", "WORK=200 TWIN=1"};
    const ht_comparison expected[] = {HT_COMPARISON_FASTER, HT_COMPARISON_SLOWER};
    ht_config configs[3];
    for (int i = 0; i < 3; ++i)
        configs[i] = config_of(&b, names[i]);
    ht_final finals[3];
    ht_timing original;
    ht_error error = {0};
    cr_assert_eq(ht_job_finals(job, configs, 3, 0.5, &original, finals, &error), HT_OK, "%s",
                 error.message);
    for (int i = 0; i < 2; ++i)
        cr_assert_eq(ht_final_compare(&finals[i]), expected[i], "%s: %g [%g, %g]", names[i],
                     finals[i].speedup, finals[i].speedup_lo, finals[i].speedup_hi);
    cr_assert_float_eq(finals[2].speedup, 1, 0.5);
    cr_assert_eq(finals[0].over_best, 1);
    cr_assert_gt(finals[1].over_best_lo, 1);
    cr_assert_float_eq(finals[1].over_best, finals[0].speedup / finals[1].speedup,
                       0.5 * finals[1].over_best);
    ht_job_free(job);
    unbind(&b);
}

/* The samples that choose a winner are too good: the luckiest wins. Those that are reported chose
 * nothing. */
Test(pairing, a_winner_meets_the_original_in_rounds_that_chose_nothing) {
    bound b;
    bind_text(&b, text, NULL);
    ht_job_options options = quick_options();
    ht_job *job = start_job(&b, &options);
    const ht_config configs[] = {config_of(&b, "WORK=10 TWIN=0"), config_of(&b, "WORK=200 TWIN=1"),
                                 config_of(&b, "WORK=10 TWIN=1")};
    ht_finals_rule rule = {.max_seconds = 0.3, .confirm_seconds = 0.3, .min_speedup = 1.02};
    ht_final finals[3];
    ht_timing original;
    ht_confirmation made;
    ht_error error = {0};
    rule.first = 1; /* the fastest of all is not to win */
    cr_assert_eq(ht_job_finals_confirmed(job, configs, 3, &rule, &original, finals, &made, &error),
                 HT_OK, "%s", error.message);
    cr_assert(made.made);
    cr_assert_eq(made.finalist, 2);
    cr_assert_gt(made.speedup_lo, 1, "%g [%g, %g]", made.speedup, made.speedup_lo, made.speedup_hi);
    cr_assert_gt(made.timing.samples, 0);
    cr_assert(made.speedup != finals[2].speedup, "the same samples");
    rule.min_speedup = 1e6;
    cr_assert_eq(ht_job_finals_confirmed(job, configs, 3, &rule, &original, finals, &made, &error),
                 HT_OK, "%s", error.message);
    cr_assert_not(made.made, "%g is not worth it", made.speedup);
    ht_job_free(job);
    unbind(&b);
}

Test(pairing, cold_caches_are_told_and_kept_apart) {
    bound b;
    bind_text(&b, text, NULL);
    ht_job_options options = quick_options();
    ht_job *hot = start_job(&b, &options);
    options.cold_cache = true;
    ht_job *cold = start_job(&b, &options);
    cr_assert(strstr(ht_job_conditions(hot), "\"cache\":\"hot\"") != NULL);
    cr_assert(strstr(ht_job_conditions(cold), "\"cache\":\"cold\"") != NULL);
    cr_assert_str_neq(ht_job_key(hot)->method, ht_job_key(cold)->method);
    cr_assert_eq(evaluate(cold, &b, "WORK=10 TWIN=0").status, HT_OK);
    ht_job_free(cold);
    ht_job_free(hot);
    unbind(&b);
}
