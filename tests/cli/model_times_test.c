/* Times that a model predicts: each once. Skipped without ROCm. */
#include "pipeline/model_tuning.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char scaling[] =
    "#pragma tune unit\n"
    "#pragma tune kernel(scaling)\n"
    "#pragma tune problem(line : n)\n"
    "#pragma tune param(ITEMS : 1, 2, 4 = 1)\n"
    "#pragma tune param(BLOCK : 64, 256 = 64)\n"
    "#pragma tune block(BLOCK)\n"
    "#pragma tune grid(ceil_div(problem.n, BLOCK * ITEMS))\n"
    "#pragma tune arg(in : in float[problem.n])\n"
    "#pragma tune arg(out : out float[problem.n])\n"
    "#pragma tune arg(n : int = problem.n)\n"
    "#pragma tune reference(scaling_plain) block(64) grid(ceil_div(problem.n, 64))\n"
    "__global__ void scaling_plain(const float *in, float *out, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) out[i] = 2 * in[i];\n"
    "}\n"
    "template <int ITEMS, int BLOCK>\n"
    "__global__ void scaling(const float *in, float *out, int n) {\n"
    "    for (int k = 0; k < ITEMS; ++k) {\n"
    "        int i = (blockIdx.x * ITEMS + k) * BLOCK + threadIdx.x;\n"
    "        if (i < n) out[i] = 2 * in[i];\n"
    "    }\n"
    "}\n";

typedef struct fixture {
    ht_model_devices devices;
    ht_template *templates;
    size_t count;
    ht_problem problem;
    ht_model_memory *memory;
    ht_model_times times;
} fixture;

static void fixture_open_of(fixture *f, const char *text) {
    ht_error error = {0};
    *f = (fixture){0};
    ht_status status = ht_model_devices_find("model:mi250x", &f->devices, &error);
    if (status == HT_ERROR_MISSING)
        cr_skip_test("no hiprtc: %s", error.message);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    status = ht_template_parse(text, "scaling.hip", &f->templates, &f->count, &error);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    status = ht_problem_parse(&f->templates->problem, "n=100000", &f->problem, &error);
    cr_assert_eq(status, HT_OK, "%s", error.message);
    f->memory = ht_model_memory_new();
    ht_model_times_begin(&f->devices, f->templates, &f->problem, f->memory, &f->times);
}

static void fixture_open(fixture *f) {
    fixture_open_of(f, scaling);
}

static void fixture_close(fixture *f) {
    ht_model_times_end(&f->times);
    ht_model_memory_free(f->memory);
    ht_problem_free(&f->problem);
    ht_template_free(f->templates, f->count);
}

Test(model_times, a_configuration_is_predicted_once_whoever_asks) {
    fixture f;
    ht_error error = {0};
    ht_config configs[3];
    ht_outcome first[3] = {0}, again[3] = {0};
    ht_gpu_time time;
    size_t done;
    fixture_open(&f);
    for (size_t i = 0; i < 3; ++i) {
        configs[i] = ht_config_default(f.templates);
        configs[i].choice[0] = (uint16_t)i;
    }
    cr_assert_eq(ht_model_times_evaluate(&f.times, configs, 2, first, &done, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(done, 2);
    cr_expect_eq(ht_model_memory_count(f.memory), 2);
    cr_expect_not(ht_model_times_find(&f.times, &configs[2], &time));
    cr_assert_eq(ht_model_times_evaluate(&f.times, configs, 3, again, &done, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(ht_model_memory_count(f.memory), 3, "the first two are known");
    for (size_t i = 0; i < 2; ++i)
        cr_expect_eq(first[i].cost, again[i].cost);
    cr_assert(ht_model_times_find(&f.times, &configs[2], &time));
    cr_expect_float_eq(1e3 * time.seconds, again[2].cost, 1e-12);
    fixture_close(&f);
}

Test(model_times, a_search_and_the_original_share_what_was_predicted) {
    fixture f;
    ht_error error = {0};
    ht_gpu_time time;
    bool known = false;
    char *why = NULL;
    ht_model_result result;
    const ht_tuning_options options = {
        .max_evals = 6, .seed = 1, .min_speedup = 1, .check = "none"};
    fixture_open(&f);
    cr_assert_eq(ht_model_times_original(&f.times, &time, &known, &why, &error), HT_OK, "%s",
                 error.message);
    cr_expect(known);
    cr_expect_null(why);
    cr_expect_eq(ht_model_memory_count(f.memory), 1);
    const ht_model_request request = {
        .devices = &f.devices, .options = &options, .choices = 1, .memory = f.memory};
    for (size_t round = 0; round < 2; ++round) {
        cr_assert_eq(ht_model_tune(&request, f.templates, &f.problem, &result, &error), HT_OK, "%s",
                     error.message);
        cr_expect_eq(result.search.result.trial_count, 6);
        cr_expect_gt(result.predicted, 0);
        cr_expect_float_eq(result.original.seconds, time.seconds, 1e-15);
        cr_expect_eq(ht_model_memory_count(f.memory), 7, "the original, and each of six");
        ht_model_result_free(&result);
    }
    fixture_close(&f);
}

/* Of type ht_model_request.obstacle. */
static char *always_obstacle(void *context, const ht_config *config) {
    size_t *asked = context;
    (void)config;
    ++*asked;
    return ht_strdup("a launch of it cannot be written");
}

Test(model_times, a_configuration_that_no_source_can_be_written_with_is_not_chosen) {
    fixture f;
    ht_error error = {0};
    ht_model_result result;
    size_t asked = 0;
    const ht_tuning_options options = {
        .max_evals = 6, .seed = 1, .min_speedup = 1, .check = "none"};
    char *slow = ht_text_replaced(scaling, "#pragma tune reference",
                                  "#pragma tune baseline(scaling_plain) block(1) grid(problem.n)\n"
                                  "#pragma tune reference");
    fixture_open_of(&f, slow);
    free(slow);
    const ht_model_request request = {.devices = &f.devices,
                                      .options = &options,
                                      .obstacle = always_obstacle,
                                      .obstacle_context = &asked,
                                      .choices = 1,
                                      .memory = f.memory};
    cr_assert_eq(ht_model_tune(&request, f.templates, &f.problem, &result, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(result.count, 0);
    cr_expect_geq(asked, 1);
    cr_expect_eq(result.refused, asked, "the next one is asked about after each");
    cr_assert_not_null(result.reason);
    cr_expect(strstr(result.reason, "a launch of it cannot be written"), "%s", result.reason);
    ht_model_result_free(&result);
    fixture_close(&f);
}
