#include "tests/runtime/job/support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

void use_test_worker(void) {
    setenv("HIPTEMPER_WORKER", HT_TEST_WORKER, 1);
}

void bind_text(bound *bound, const char *text, const char *problem) {
    ht_error error = {0};
    memset(bound, 0, sizeof *bound);
    cr_assert_eq(ht_template_parse(text, "test.hip", &bound->templates, &bound->count, &error),
                 HT_OK, "line %d: %s", error.line, error.message);
    cr_assert_geq(bound->count, 1);
    cr_assert_eq(ht_device_find("host", &bound->device, &error), HT_OK, "%s", error.message);
    bound->binding =
        (ht_binding){.template = &bound->templates[0], .device = &bound->device.fields};
    if (problem != NULL) {
        cr_assert_eq(
            ht_problem_parse(&bound->templates[0].problem, problem, &bound->problem, &error), HT_OK,
            "%s", error.message);
        bound->has_problem = true;
        bound->binding.problem = &bound->problem;
    }
}

void unbind(bound *bound) {
    ht_template_free(bound->templates, bound->count);
    if (bound->has_problem)
        ht_problem_free(&bound->problem);
}

ht_job_options quick_options(void) {
    return (ht_job_options){.seed = 7, .compile_workers = 2, .sample_budget = 0.02};
}

ht_job *start_job(const bound *bound, const ht_job_options *options) {
    ht_error error = {0};
    ht_job *job = NULL;
    ht_status status = ht_job_start(&bound->binding, &bound->device, options, &job, &error);
    cr_assert_eq(status, HT_OK, "%s: %s", ht_status_name(status), error.message);
    return job;
}

ht_config config_of(const bound *bound, const char *text) {
    ht_error error = {0};
    ht_config config;
    cr_assert_eq(ht_config_parse(bound->binding.template, text, &config, &error), HT_OK, "%s",
                 error.message);
    return config;
}

ht_outcome evaluate(ht_job *job, const bound *bound, const char *config) {
    ht_error error = {0};
    ht_config parsed = config_of(bound, config);
    ht_outcome outcome;
    size_t done = 0;
    ht_evaluator *evaluator = ht_job_evaluator(job);
    ht_status status = evaluator->evaluate(evaluator->self, &parsed, 1, &outcome, &done, &error);
    cr_assert_eq(status, HT_OK, "%s: %s", ht_status_name(status), error.message);
    cr_assert_eq(done, 1);
    return outcome;
}
