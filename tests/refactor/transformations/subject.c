#include "subject.h"

#include "base/file.h"
#include "base/memory.h"
#include "refactor/rewrite/apply.h"
#include "runtime/job/job.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

const char *const blur_problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"blur\", "
    "\"problem\": \"blur : W, H, R\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[(problem.W + problem.R) * problem.H] integers(-8, 8)\", "
    "\"w : in float[problem.R] integers(-8, 8)\", \"out : out float[problem.W * problem.H]\", "
    "\"W : int = problem.W\", \"H : int = problem.H\", \"R : int = problem.R\"], "
    "\"instances\": [{\"fields\": {\"W\": 77, \"H\": 19, \"R\": 5}}]}]}";

const char *const blur_source =
    BLUR "void run(int W, int H, int R) {\n"
         "    float *d_in = nullptr, *d_w, *d_out;\n"
         "    if (hipMalloc(&d_in, 4 * (W + R) * H) != hipSuccess) return;\n"
         "    (void)hipMalloc((void **)&d_w, 4 * R);\n"
         "    (void)hipMalloc(&d_out, 4 * W * H);\n"
         "    dim3 block(16, 16), grid((W + 15) / 16, (H + 15) / 16);\n"
         "    blur<<<grid, block>>>(d_in, d_w, d_out, W, H, R);\n"
         "}\n";

const char *const volume_problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"volume\", "
    "\"problem\": \"volume : X, Y, Z\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.X * problem.Y * problem.Z] integers(-8, 8)\", "
    "\"out : out float[problem.X * problem.Y * problem.Z]\", "
    "\"X : int = problem.X\", \"Y : int = problem.Y\", \"Z : int = problem.Z\"], "
    "\"instances\": [{\"fields\": {\"X\": 21, \"Y\": 11, \"Z\": 13}}]}]}";

const char *const volume_source =
    HEAD "__global__ void volume(const float *in, float *out, int X, int Y, int Z) {\n"
         "    const int x = threadIdx.x + blockIdx.x * blockDim.x;\n"
         "    const int y = threadIdx.y + blockIdx.y * blockDim.y;\n"
         "    const int z = threadIdx.z + blockIdx.z * blockDim.z;\n"
         "    if (x >= X || y >= Y || z >= Z) return;\n"
         "    const int at = (z * Y + y) * X + x;\n"
         "    out[at] = z > 0 ? in[at] * 2.0f - in[at - X * Y] : in[at];\n"
         "}\n"
         "void run(const float *in, float *out, int X, int Y, int Z) {\n"
         "    dim3 block(8, 8, 4), grid((X + 7) / 8, (Y + 7) / 8, (Z + 3) / 4);\n"
         "    volume<<<grid, block>>>(in, out, X, Y, Z);\n"
         "}\n";

subject subject_open(const char *text, const char *problems, const char *name) {
    subject of;
    of.refactor = refactor_text_of(text, problems, name, &of.problems);
    of.kernel = kernel_named(of.refactor, name, &of.index);
    cr_assert_not_null(of.kernel->template, "%s", of.kernel->reason);
    return of;
}

subject subject_open_file(const char *name, const char *problems, const char *kernel) {
    char *path = ht_format("%s/tests/refactor/sources/%s", HT_SOURCE_DIR, name), *text = NULL;
    ht_error error;
    cr_assert_eq(ht_file_read_text(path, "source", &text, &error), HT_OK);
    subject of = subject_open(text, problems, kernel);
    free(path);
    free(text);
    return of;
}

void subject_close(subject *of) {
    ht_refactor_free(of->refactor);
    ht_problem_file_free(of->problems);
}

bool applied(const subject *of, const char *transformation) {
    for (size_t i = 0; i < of->kernel->transformation_count; ++i)
        if (strcmp(of->kernel->transformations[i], transformation) == 0)
            return true;
    return false;
}

bool remarked(const subject *of, const char *words) {
    for (size_t i = 0; i < of->kernel->remark_count; ++i)
        if (strstr(of->kernel->remarks[i].message, words))
            return true;
    return false;
}

enum { CONFIGS_MAX = 8 };

/* `shared`: bytes of shared arrays in a block; 0: as the host has it. */
static void expect_equal_with(const subject *of, const char *name, int64_t shared,
                              const char *const *texts) {
    ht_error error = {0};
    ht_device device;
    ht_job *job = NULL;
    setenv("HIPTEMPER_WORKER", HT_TEST_WORKER, 1);
    cr_assert_eq(ht_device_find("host", &device, &error), HT_OK, "%s", error.message);
    device.fields.max_static_lds = shared ? shared : device.fields.max_static_lds;
    const ht_problem_entry *entry = ht_problem_file_entry(of->problems, name);
    ht_binding binding = {of->kernel->template, &entry->instances[0], &device.fields};
    /* all in one program; nobody asks for their times */
    ht_job_options options = {.seed = 7,
                              .compile_workers = 1,
                              .program_size = CONFIGS_MAX,
                              .sample_budget = 1e-6,
                              .unpaired = true,
                              .compile_limit = 250};
    cr_assert_eq(ht_job_start(&binding, &device, &options, &job, &error), HT_OK, "%s",
                 error.message);
    ht_evaluator *evaluator = ht_job_evaluator(job);
    ht_config configs[CONFIGS_MAX];
    ht_outcome outcomes[CONFIGS_MAX];
    size_t count = 0, done = 0;
    for (; texts[count]; ++count) {
        bool legal = false;
        cr_assert_lt(count, CONFIGS_MAX);
        cr_assert_eq(ht_config_parse(binding.template, texts[count], &configs[count], &error),
                     HT_OK, "%s: %s", texts[count], error.message);
        cr_assert_eq(ht_binding_legal(&binding, &configs[count], &legal, NULL, &error), HT_OK);
        cr_assert(legal, "%s", texts[count]);
    }
    cr_assert_eq(evaluator->evaluate(evaluator->self, configs, count, outcomes, &done, &error),
                 HT_OK, "%s", error.message);
    cr_expect_eq(done, count);
    for (size_t i = 0; i < done; ++i)
        cr_expect_eq(outcomes[i].status, HT_OK, "%s: %s", texts[i],
                     ht_status_name(outcomes[i].status));
    ht_job_free(job);
}

void expect_equal(const subject *of, const char *name, const char *const *texts) {
    expect_equal_with(of, name, 0, texts);
}

void expect_equal_aligned(const subject *of, const char *name, const char *const *texts) {
    enum { SHARED = 49152 };
    expect_equal_with(of, name, SHARED, texts);
}

bool is_legal(const subject *of, const char *name, const char *config) {
    ht_error error = {0};
    ht_device device;
    ht_config parsed;
    bool legal = false;
    cr_assert_eq(ht_device_find("host", &device, &error), HT_OK, "%s", error.message);
    const ht_problem_entry *entry = ht_problem_file_entry(of->problems, name);
    ht_binding binding = {of->kernel->template, &entry->instances[0], &device.fields};
    cr_assert_eq(ht_config_parse(binding.template, config, &parsed, &error), HT_OK, "%s: %s",
                 config, error.message);
    cr_assert_eq(ht_binding_legal(&binding, &parsed, &legal, NULL, &error), HT_OK);
    return legal;
}

char *apply_config(const subject *of, const char *config) {
    ht_refactor_choice choice = {.kernel = of->index};
    ht_error error;
    char *text = NULL;
    cr_assert_eq(ht_config_parse(of->kernel->template, config, &choice.config, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_refactor_apply(of->refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    return text;
}

void expect_pieces(const subject *of, const char *config, const char *const *pieces) {
    char *text = apply_config(of, config), *output;
    const char *at = text;
    for (size_t i = 0; pieces[i]; ++i) {
        const char *found = strstr(at, pieces[i]);
        cr_expect_not_null(found, "'%s' is not (or not there) in\n%s", pieces[i], text);
        at = found ? found + strlen(pieces[i]) : at;
    }
    cr_expect(clang_parses(text, &output), "%s\n%s", output, text);
    free(output);
    free(text);
}
