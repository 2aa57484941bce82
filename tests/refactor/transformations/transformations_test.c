/* Transformations beyond block and unrolling: what they make computes bit for bit what the original
 * does, on the host provider; where something is not proved they say so. */
#include "tests/refactor/support.h"

#include "base/memory.h"
#include "runtime/job.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "#include <hip/hip_runtime.h>\n"

static const char *const blur_problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"blur\", "
    "\"problem\": \"blur : W, H, R\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[(problem.W + problem.R) * problem.H] integers(-8, 8)\", "
    "\"w : in float[problem.R] integers(-8, 8)\", \"out : out float[problem.W * problem.H]\", "
    "\"W : int = problem.W\", \"H : int = problem.H\", \"R : int = problem.R\"], "
    "\"instances\": [{\"fields\": {\"W\": 77, \"H\": 19, \"R\": 5}}]}]}";

#define BLUR                                                                                       \
    HEAD "__global__ void blur(float *in, const float *w, float *out, int W, int H, int R) {\n"    \
         "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"                                    \
         "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"                                    \
         "    if (x >= W || y >= H)\n"                                                             \
         "        return;\n"                                                                       \
         "    float sum = 0.0f;\n"                                                                 \
         "    for (int r = 0; r < R; ++r)\n"                                                       \
         "        sum += w[r] * in[y * (W + R) + x + r];\n"                                        \
         "    out[y * W + x] = sum;\n"                                                             \
         "}\n"

static const char *const blur_source =
    BLUR "void run(int W, int H, int R) {\n"
         "    float *d_in = nullptr, *d_w, *d_out;\n"
         "    if (hipMalloc(&d_in, 4 * (W + R) * H) != hipSuccess) return;\n"
         "    (void)hipMalloc((void **)&d_w, 4 * R);\n"
         "    (void)hipMalloc(&d_out, 4 * W * H);\n"
         "    dim3 block(16, 16), grid((W + 15) / 16, (H + 15) / 16);\n"
         "    blur<<<grid, block>>>(d_in, d_w, d_out, W, H, R);\n"
         "}\n";

static const char *const volume_problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"volume\", "
    "\"problem\": \"volume : X, Y, Z\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.X * problem.Y * problem.Z] integers(-8, 8)\", "
    "\"out : out float[problem.X * problem.Y * problem.Z]\", "
    "\"X : int = problem.X\", \"Y : int = problem.Y\", \"Z : int = problem.Z\"], "
    "\"instances\": [{\"fields\": {\"X\": 21, \"Y\": 11, \"Z\": 13}}]}]}";

static const char *const volume_source =
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

typedef struct subject {
    ht_refactor *refactor;
    ht_problem_file *problems;
    const ht_kernel *kernel;
    size_t index;
} subject;

static subject subject_open(const char *text, const char *problems, const char *name) {
    subject of;
    of.refactor = refactor_text(text, problems, &of.problems);
    of.kernel = kernel_named(of.refactor, name, &of.index);
    cr_assert_not_null(of.kernel->template, "%s", of.kernel->reason);
    return of;
}

static void subject_close(subject *of) {
    ht_refactor_free(of->refactor);
    ht_problem_file_free(of->problems);
}

static bool applied(const subject *of, const char *transformation) {
    for (size_t i = 0; i < of->kernel->transformation_count; ++i)
        if (strcmp(of->kernel->transformations[i], transformation) == 0)
            return true;
    return false;
}

static bool remarked(const subject *of, const char *words) {
    for (size_t i = 0; i < of->kernel->remark_count; ++i)
        if (strstr(of->kernel->remarks[i].message, words))
            return true;
    return false;
}

/* Runs every configuration on the host provider; outputs must equal the original's. */
static void expect_equal(const subject *of, const char *name, const char *const *texts) {
    ht_error error = {0};
    ht_device device;
    ht_job *job = NULL;
    setenv("HIPTEMPER_WORKER", HT_TEST_WORKER, 1);
    cr_assert_eq(ht_device_find("host", &device, &error), HT_OK, "%s", error.message);
    const ht_problem_entry *entry = ht_problem_file_entry(of->problems, name);
    ht_binding binding = {of->kernel->template, &entry->instances[0], &device.fields};
    ht_job_options options = {
        .seed = 7, .compile_workers = 1, .sample_budget = 0.01, .compile_limit = 250};
    cr_assert_eq(ht_job_start(&binding, &device, &options, &job, &error), HT_OK, "%s",
                 error.message);
    ht_evaluator *evaluator = ht_job_evaluator(job);
    ht_config configs[8];
    ht_outcome outcomes[8];
    size_t count = 0, done = 0;
    for (; texts[count]; ++count) {
        bool legal = false;
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

static char *apply_config(const subject *of, const char *config) {
    ht_refactor_choice choice = {.kernel = of->index};
    ht_error error;
    char *text = NULL;
    cr_assert_eq(ht_config_parse(of->kernel->template, config, &choice.config, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_refactor_apply(of->refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    return text;
}

/* The applied source compiles, for the GPU and its host, and holds the pieces in order. */
static void expect_pieces(const subject *of, const char *config, const char *const *pieces) {
    char *text = apply_config(of, config), *output;
    const char *at = text;
    for (size_t i = 0; pieces[i]; ++i) {
        const char *found = strstr(at, pieces[i]);
        cr_expect_not_null(found, "'%s' is not (or not there) in\n%s", pieces[i], text);
        at = found ? found + strlen(pieces[i]) : at;
    }
    cr_expect_eq(clang_run(text, "-fsyntax-only", &output), 0, "%s\n%s", output, text);
    free(output);
    free(text);
}

Test(transformations, an_image_kernel_has_them_all_and_stays_equal) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    cr_expect(applied(&of, "restrict"));
    cr_expect(applied(&of, "waves-per-eu"));
    cr_expect(applied(&of, "fixed-sizes"));
    cr_expect(applied(&of, "coarsen-x"));
    cr_expect(applied(&of, "coarsen-yz"));
    expect_equal(&of, "blur",
                 (const char *const[]){
                     "", "RESTRICT=true WAVES_PER_EU=2 LAUNCH_BOUNDS=true",
                     "COARSEN_X=4 COARSEN_X_STRIDED=true COARSEN_Y=2 COARSEN_Y_STRIDED=true",
                     "R_SIZE=5 COARSEN_X=2 COARSEN_Y=4 RESTRICT=true BLOCK_X=32 BLOCK_Y=2",
                     "COARSEN_X=8 COARSEN_X_STRIDED=true BLOCK_X=4 R_SIZE=5", NULL});
    subject_close(&of);
}

Test(transformations, three_dimensions_blocked_and_strided) {
    subject of = subject_open(volume_source, volume_problem, "volume");
    cr_expect(applied(&of, "coarsen-yz"));
    expect_equal(&of, "volume",
                 (const char *const[]){"COARSEN_Z=4 COARSEN_Z_STRIDED=true COARSEN_Y=2",
                                       "COARSEN_Z=2 COARSEN_Y=8 COARSEN_Y_STRIDED=true",
                                       "COARSEN_X=2 COARSEN_X_STRIDED=true COARSEN_Y=2 COARSEN_Z=2",
                                       NULL});
    subject_close(&of);
}

Test(transformations, tuned_sources_read_like_sources) {
    subject of = subject_open(blur_source, blur_problem, "blur");
    expect_pieces(
        &of, "RESTRICT=true WAVES_PER_EU=2",
        (const char *const[]){"#ifdef __AMDGCN__\n__attribute__((amdgpu_waves_per_eu(2)))",
                              "blur(const float *__restrict__ in, ",
                              "const float *__restrict__ w, float *__restrict__ out", NULL});
    expect_pieces(&of, "R_SIZE=5",
                  (const char *const[]){"template <int R_SIZE = 0>\n__global__ void blur(",
                                        "R_given", "const int R = R_SIZE > 0 ? R_SIZE : R_given;",
                                        "(R == 5 ? blur<5> : blur<0>)<<<grid, block>>>", NULL});
    expect_pieces(
        &of, "COARSEN_X=4 COARSEN_X_STRIDED=true",
        (const char *const[]){"* 4 - 3 * threadIdx.x;", "x0 + 3 * 16 < W", "cx * 16", NULL});
    expect_pieces(&of, "COARSEN_Y=2",
                  (const char *const[]){"for (int cy = 0; cy < 2; ++cy)", "* 2 + cy)", NULL});
    char *text = apply_config(&of, "");
    cr_expect_str_eq(text, blur_source);
    free(text);
    subject_close(&of);
}

/* ---- __restrict__ only where it is proved */

static void expect_restrict(const char *host, bool offered, const char *words) {
    char *text = ht_format("%s%s", BLUR, host);
    subject of = subject_open(text, blur_problem, "blur");
    cr_expect_eq(applied(&of, "restrict"), offered, "%s", host);
    cr_expect(!words || remarked(&of, words), "%s", host);
    subject_close(&of);
    free(text);
}

#define LAUNCH(in, w, out)                                                                         \
    "    blur<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16)>>>(" in ", " w ", " out           \
    ", W, H, R);\n"
#define BUFFERS                                                                                    \
    "    float *a, *b, *c;\n"                                                                      \
    "    (void)hipMalloc(&a, 64);\n    (void)hipMalloc(&b, 64);\n    (void)hipMalloc(&c, 64);\n"

Test(transformations, what_callers_pass_may_be_the_same) {
    expect_restrict("void run(float *a, float *b, float *c, int W, int H, int R) {\n" LAUNCH(
                        "a", "b", "c") "}\n",
                    false, "is other memory");
}

Test(transformations, allocations_are_distinct_and_stay_so_when_swapped) {
    expect_restrict("namespace std { template <class T> void swap(T &, T &); }\n"
                    "void run(int W, int H, int R) {\n" BUFFERS
                    "    for (int i = 0; i < 2; ++i) {\n" LAUNCH(
                        "a", "b", "c + 4") "        std::swap(a, c);\n    }\n}\n",
                    true, NULL);
}

Test(transformations, a_changed_pointer_proves_nothing) {
    expect_restrict("void run(int W, int H, int R) {\n" BUFFERS
                    "    c = a;\n" LAUNCH("a", "b", "c") "}\n",
                    false, "is other memory");
    expect_restrict("void take(float *&);\nvoid run(int W, int H, int R) {\n" BUFFERS
                    "    take(c);\n" LAUNCH("a", "b", "c") "}\n",
                    false, "is other memory");
}

/* The weights are other memory than both, the image and the result are not. */
Test(transformations, one_buffer_twice_leaves_the_promise_to_the_others) {
    static const char *const hosts[] = {
        BLUR "void run(int W, int H, int R) {\n" BUFFERS LAUNCH("a", "b", "a + 4") "}\n",
        BLUR "void run(int W, int H, int R) {\n" BUFFERS LAUNCH("a", "b", "c")
            LAUNCH("c", "b", "c") "}\n"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        subject of = subject_open(hosts[i], blur_problem, "blur");
        char *text = apply_config(&of, "RESTRICT=true");
        cr_expect(strstr(text, "const float *__restrict__ w"), "%s", text);
        cr_expect_not(strstr(text, "__restrict__ in") || strstr(text, "__restrict__ out"), "%s",
                      text);
        cr_expect(remarked(&of, "is other memory"));
        free(text);
        subject_close(&of);
    }
}

/* ---- literals that may be the tile in disguise: promoted with it, or not at all */

static bool tile_is_free(const char *work) {
    static const char *const problem =
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
        "\"problem\": \"line : n\", \"args\": [\"in : in float[problem.n]\", "
        "\"out : out float[problem.n]\", \"n : int = problem.n\"], "
        "\"instances\": [{\"fields\": {\"n\": 4096}}]}]}";
    char *text = ht_format(HEAD "#define TILE 16\n"
                                "__global__ void k(const float *in, float *out, int n) {\n"
                                "    __shared__ float row[TILE];\n"
                                "    int i = blockIdx.x * TILE + threadIdx.x;\n"
                                "    row[threadIdx.x] = i < n ? in[i] : 0.0f;\n"
                                "    __syncthreads();\n"
                                "    if (i < n) out[i] = %s;\n"
                                "}\n"
                                "void run(const float *in, float *out, int n) {\n"
                                "    k<<<(n + TILE - 1) / TILE, TILE>>>(in, out, n);\n"
                                "}\n",
                           work);
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    bool is = kernel->template && ht_template_param(kernel->template, "TILE");
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    free(text);
    return is;
}

Test(transformations, a_tile_is_promoted_with_all_that_may_derive_from_it_or_not_at_all) {
    cr_expect(tile_is_free("row[threadIdx.x] * 2.0f"));
    cr_expect(tile_is_free("row[threadIdx.x] / TILE"));
    static const char *const tied[] = {"row[i & 15]",       "row[i % 16]",      "row[0] * (i >> 4)",
                                       "row[0] + (i >> 8)", "row[0] + i % 255", "row[0] / 16.0f",
                                       "row[0] / 256.0f",   "row[0] * 0.0625f"};
    for (size_t i = 0; i < sizeof tied / sizeof *tied; ++i)
        cr_expect_not(tile_is_free(tied[i]), "%s", tied[i]);
}

/* ---- sizes */

Test(transformations, a_kernel_that_is_declared_ahead_keeps_its_sizes) {
    char *text =
        ht_format("%s__global__ void blur(float *in, const float *w, float *out, int W, int "
                  "H, int R);\n%s",
                  HEAD, blur_source);
    subject of = subject_open(text, blur_problem, "blur");
    cr_expect_not(applied(&of, "fixed-sizes"));
    cr_expect(remarked(&of, "declared ahead"));
    subject_close(&of);
    free(text);
}

Test(transformations, a_launch_whose_size_is_a_call_is_not_asked_twice) {
    char *text =
        ht_format("%sint next();\nvoid run(float *a, float *b, float *c, int W, int H, int R) "
                  "{\n    blur<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16)>>>(a, b, "
                  "c, W, H, next());\n}\n",
                  BLUR);
    subject of = subject_open(text, blur_problem, "blur");
    cr_expect_not(applied(&of, "fixed-sizes"));
    cr_expect(remarked(&of, "cannot ask for its value"));
    subject_close(&of);
    free(text);
}
