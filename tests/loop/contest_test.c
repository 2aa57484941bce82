/* A template of a later source against the loop's original. */
#include "base/memory.h"
#include "runtime/job/job.h"
#include "templates/annotations/contest.h"
#include "templates/annotations/template.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(contest, .timeout = 120);

#define ARGS                                                                                       \
    "#pragma tune arg(out : out float[problem.n])\n"                                               \
    "#pragma tune arg(in : in float[problem.n])\n"                                                 \
    "#pragma tune arg(n : int = problem.n)\n"

static const char original_unit[] =
    "#include <hip/hip_runtime.h>\n"
    "#ifndef TILE\n#define TILE 64\n#endif\n"
    "__device__ float factor() { return 2.0f; }\n"
    "#pragma tune kernel(scale<BLOCK_X>) param(BLOCK_X : 64, 128 = 64) \\\n"
    "    problem(line : n)\n"
    "#pragma tune block(BLOCK_X) grid(ceil_div(problem.n, BLOCK_X))\n" ARGS
    "#pragma tune reference(scale__original) block(64) grid(ceil_div(problem.n, 64))\n"
    "#pragma tune baseline(scale__original) block(64) grid(ceil_div(problem.n, 64))\n"
    "__global__ void scale__original(float *out, const float *in, int n) {\n"
    "    int i = blockIdx.x * TILE + threadIdx.x;\n"
    "    if (i < n) out[i] = factor() * in[i];\n"
    "}\n"
    "template <int BLOCK_X> __global__ void scale(float *out, const float *in, int n) {\n"
    "    int i = blockIdx.x * BLOCK_X + threadIdx.x;\n"
    "    if (i < n) out[i] = factor() * in[i];\n"
    "}\n";

/* The later source: other names in the unit mean something else, and TILE is a parameter. */
#define LATER(factor)                                                                              \
    "#include <hip/hip_runtime.h>\n"                                                               \
    "#ifndef TILE\n#define TILE 128\n#endif\n"                                                     \
    "__device__ float factor() { return " factor "; }\n"                                           \
    "#pragma tune kernel(scale) param(TILE : 128, 256 = 128) problem(line : n)\n"                  \
    "#pragma tune block(TILE) grid(ceil_div(problem.n, TILE))\n" ARGS                              \
    "#pragma tune reference(scale__original) block(128) grid(ceil_div(problem.n, 128))\n"          \
    "__global__ void scale__original(float *out, const float *in, int n) {\n"                      \
    "    int i = blockIdx.x * TILE + threadIdx.x;\n"                                               \
    "    if (i < n) out[i] = factor() * in[i];\n"                                                  \
    "}\n"                                                                                          \
    "__global__ void scale(float *out, const float *in, int n) {\n"                                \
    "    int i = blockIdx.x * TILE + threadIdx.x;\n"                                               \
    "    if (i < n) out[i] = factor() * in[i];\n"                                                  \
    "}\n"

static ht_template *template_read(const char *unit) {
    ht_template *templates = NULL;
    size_t count = 0;
    ht_error error = {0};
    cr_assert_eq(ht_template_parse(unit, "k.hip", &templates, &count, &error), HT_OK, "%d: %s",
                 error.line, error.message);
    cr_assert_eq(count, 1);
    return templates;
}

static ht_template *contest_make(const char *later_unit) {
    ht_template *original = template_read(original_unit), *later = template_read(later_unit);
    ht_template *contest = NULL;
    ht_error error = {0};
    cr_assert_eq(ht_contest_make(original, later, &contest, &error), HT_OK, "%s", error.message);
    ht_template_free(original, 1);
    ht_template_free(later, 1);
    return contest;
}

/* Starts a job of the contest: it compiles and runs the reference, then the defaults against it. */
static ht_status job_start(const ht_template *contest, ht_error *error) {
    ht_device host;
    ht_problem problem;
    ht_job *job = NULL;
    setenv("HIPTEMPER_WORKER", HT_TEST_WORKER, 1);
    cr_assert_eq(ht_device_find("host", &host, error), HT_OK);
    cr_assert_eq(ht_problem_parse(&contest->problem, "n=1000", &problem, error), HT_OK);
    const ht_binding binding = {contest, &problem, &host.fields};
    const ht_job_options options = {.seed = 1, .compile_workers = 1, .sample_budget = 0.01};
    ht_status status = ht_job_start(&binding, &host, &options, &job, error);
    ht_outcome outcome = {0};
    size_t done = 0;
    const ht_config standard = ht_config_default(contest);
    if (status == HT_OK) {
        ht_evaluator *evaluator = ht_job_evaluator(job);
        status = evaluator->evaluate(evaluator->self, &standard, 1, &outcome, &done, error);
    }
    if (status == HT_OK)
        status = outcome.status;
    ht_job_free(job);
    ht_problem_free(&problem);
    return status;
}

Test(contest, the_reference_and_the_baseline_are_the_originals) {
    ht_template *contest = contest_make(LATER("2.0f"));
    cr_expect_eq(contest->reference_kind, HT_REFERENCE_KERNEL);
    cr_expect_eq(contest->reference_launch_count, 1);
    cr_expect_eq(contest->baseline_launch_count, 1);
    cr_expect_str_eq(contest->reference_launches[0].kernel, "scale__original");
    cr_expect_eq(contest->param_count, 1);
    cr_expect_str_eq(contest->params[0].name, "TILE");
    cr_expect_eq(contest->params[0].binding, HT_BIND_MACRO);
    ht_template_free(contest, 1);
}

/* Each half has a factor() and a TILE of its own: the original's threads are 64 a block. */
Test(contest, both_texts_are_compiled_apart_and_agree) {
    ht_template *contest = contest_make(LATER("2.0f"));
    ht_error error = {0};
    cr_expect_eq(job_start(contest, &error), HT_OK, "%s", error.message);
    ht_template_free(contest, 1);
}

/* The later source agrees with its own original, so that only a comparison with the first finds
 * it. */
Test(contest, a_later_source_that_computes_something_else_is_rejected) {
    ht_template *contest = contest_make(LATER("2.5f"));
    ht_error error = {0};
    cr_expect_eq(job_start(contest, &error), HT_ERROR_MISMATCH, "%s", error.message);
    ht_template_free(contest, 1);
}

Test(contest, another_signature_is_refused) {
    ht_template *original = template_read(original_unit), *contest = NULL;
    ht_error error = {0};
    ht_template *later = template_read(LATER("2.0f"));
    free(later->args[2].name);
    later->args[2].name = ht_strdup("m");
    cr_expect_eq(ht_contest_make(original, later, &contest, &error), HT_ERROR_UNSUPPORTED);
    cr_expect(strstr(error.message, "'m'"), "%s", error.message);
    ht_template_free(later, 1);
    ht_template_free(original, 1);
}
