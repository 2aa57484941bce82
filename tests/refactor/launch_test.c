/* Launches as programs write them: blocks chosen at run time, overloads, std::min. */
#include "refactor/rewrite/apply.h"
#include "support.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "#include <hip/hip_runtime.h>\n"
#define MAP(name, type)                                                                            \
    "__global__ void " name "(const " type " *in, " type " *out, int n) {\n"                       \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n"

static const char problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : N\", \"args\": [\"in : in float[problem.N]\", "
    "\"out : out float[problem.N]\", \"n : int = problem.N\"], \"host\": {\"n\": \"problem.N\"}, "
    "\"instances\": [{\"name\": \"a\", \"fields\": {\"N\": 1000}}]}]}";

typedef struct run_time_case {
    const char *what;
    const char *host;  /* with the launch */
    const char *lines; /* in the template; NULL: the block must stay unknown */
} run_time_case;

static const run_time_case cases[] = {
    {"a function's argument",
     "void f(const float *a, float *b, int n, int threads) {\n"
     "  k<<<(n + threads - 1) / threads, threads>>>(a, b, n);\n}\n",
     "param(BLOCK_X : 32, 64, 128, 256, 512, 1024 = 256)"},
    {"what an option says, from a number on",
     "int main(int argc, char **argv) {\n  const float *a = 0; float *b = 0; int n = "
     "atoi(argv[1]);\n"
     "  int threads = 128;\n  if (argc > 2) threads = atoi(argv[2]);\n"
     "  k<<<(n + threads - 1) / threads, threads>>>(a, b, n);\n}\n",
     "param(BLOCK_X : 32, 64, 128, 256, 512, 1024 = 128)"},
    {"an option read before the grid is computed",
     "int main(int argc, char **argv) {\n  const float *a = 0; float *b = 0; int n = "
     "atoi(argv[1]);\n"
     "  int threads = 512;\n  if (argc > 2) threads = atoi(argv[2]);\n"
     "  int blocks = (n + threads - 1) / threads;\n  k<<<blocks, threads>>>(a, b, n);\n}\n",
     "param(BLOCK_X : 32, 64, 128, 256, 512, 1024 = 512)"},
    {"an option read after the grid is computed",
     "int main(int argc, char **argv) {\n  const float *a = 0; float *b = 0; int n = "
     "atoi(argv[1]);\n"
     "  int threads = 512;\n  int blocks = (n + threads - 1) / threads;\n"
     "  if (argc > 2) threads = atoi(argv[2]);\n  k<<<blocks, threads>>>(a, b, n);\n}\n",
     NULL},
    {"variables on the way",
     "void f(const float *a, float *b, int n, char **argv) {\n  const int threads = "
     "atoi(argv[2]);\n"
     "  dim3 block(threads);\n  int blocks = (n + threads - 1) / threads;\n  dim3 grid(blocks);\n"
     "  k<<<grid, block>>>(a, b, n);\n}\n",
     "grid(ceil_div(n, BLOCK_X * COARSEN_X))"},
    {"a loop over blocks, everything inside",
     "void f(const float *a, float *b, int n) {\n"
     "  for (int threads = 64; threads <= 1024; threads *= 2) {\n"
     "    int blocks = (n + threads - 1) / threads;\n    k<<<blocks, threads>>>(a, b, n);\n  "
     "}\n}\n",
     "param(BLOCK_X"},
    {"a field",
     "struct Options { int block; };\n"
     "void f(const float *a, float *b, int n, const Options &options) {\n"
     "  k<<<(n + options.block - 1) / options.block, options.block>>>(a, b, n);\n}\n",
     "param(BLOCK_X"},
    {"a dim3 that is passed on",
     "void f(const float *a, float *b, int n, dim3 block) {\n"
     "  dim3 grid((n + block.x - 1) / block.x);\n  k<<<grid, block>>>(a, b, n);\n}\n",
     "grid(ceil_div(n, BLOCK_X * COARSEN_X))"},
    {"a dim3 that a function sets",
     "void pick(int n, dim3 &block) { block.x = n > 1000 ? 256 : 64; block.y = block.z = 1; }\n"
     "void f(const float *a, float *b, int n) {\n  dim3 block;\n  pick(n, block);\n"
     "  dim3 grid((n - 1) / block.x + 1);\n  k<<<grid, block>>>(a, b, n);\n}\n",
     "param(BLOCK_X : 32, 64, 128, 256, 512, 1024 = 256)"},
    {"a dim3 that is changed before it is launched, with a grid that does not hang on it",
     "void f(const float *a, float *b, int n) {\n  dim3 block(256);\n  if (n < 9) block.x = 32;\n"
     "  k<<<n, block>>>(a, b, n);\n}\n",
     "grid(ceil_div(n * 256, BLOCK_X * COARSEN_X))"},
    {"a dim3 that a function sets behind the grid",
     "void pick(int n, dim3 &block);\n"
     "void f(const float *a, float *b, int n) {\n  dim3 block;\n"
     "  dim3 grid((n - 1) / block.x + 1);\n  pick(n, block);\n  k<<<grid, block>>>(a, b, n);\n}\n",
     NULL},
    {"a dim3 that is passed on with a field that the kernel is told",
     "void f(const float *a, float *b, dim3 block) {\n"
     "  dim3 grid((1000 + block.x - 1) / block.x);\n  k<<<grid, block>>>(a, b, block.x);\n}\n",
     NULL},
    {"a grid from another block than the launch's",
     "void f(const float *a, float *b, int n, int threads) {\n"
     "  int blocks = (n + threads - 1) / threads;\n  while (threads > 32) {\n"
     "    k<<<blocks, threads>>>(a, b, n);\n    threads /= 2;\n  }\n}\n",
     NULL},
    {"an argument that follows the block",
     "void f(const float *a, float *b, int n, int threads) {\n"
     "  k<<<(n + threads - 1) / threads, threads>>>(a, b, threads);\n}\n",
     NULL},
};

Test(launch, a_block_chosen_at_run_time_becomes_the_launchs) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char source[2048];
        snprintf(source, sizeof source, "%s", HEAD "#include <cstdlib>\n" MAP("k", "float"));
        strcat(source, cases[i].host);
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(source, problem, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        cr_expect_eq(kernel->status == HT_KERNEL_TEMPLATED, cases[i].lines != NULL, "%s: %s",
                     cases[i].what, kernel->reason ? kernel->reason : "templated");
        if (cases[i].lines && kernel->template)
            cr_expect(strstr(kernel->template->unit, cases[i].lines), "%s: %s", cases[i].what,
                      kernel->template->unit);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}

Test(launch, the_launch_is_rewritten_with_the_block_that_won) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(
        HEAD MAP("k", "float") "void f(const float *a, float *b, int n, int threads) {\n"
                               "  k<<<(n + threads - 1) / threads, threads>>>(a, b, n);\n}\n",
        problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    ht_refactor_choice choice = {.kernel = 0, .config = ht_config_default(kernel->template)};
    char *text;
    ht_error error = {0};
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    cr_assert(strstr(text, "k<<<(n + threads - 1) / threads, threads>>>(a, b, n)"), "%s", text);
    free(text);
    for (size_t i = 0; i < kernel->template->param_count; ++i)
        if (strcmp(kernel->template->params[i].name, "BLOCK_X") == 0)
            choice.config.choice[i] = 1; /* 64 */
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    cr_assert(strstr(text, "k<<<n / 64 + (n % 64 != 0), 64>>>(a, b, n)"), "%s", text);
    free(text);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(launch, overloads_are_kernels_of_their_own) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(
        HEAD MAP("k", "float") MAP("k", "double") MAP("k2", "int") "namespace other {\n" MAP(
            "k2", "float") "}\n"
                           "void f(const float *a, float *b, const double *c, double *d, int n) {\n"
                           "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n  k<<<(n + 63) / 64, 64>>>(c, "
                           "d, n);\n"
                           "  other::k2<<<(n + 31) / 32, 32>>>(a, b, n);\n}\n",
        problem, &problems);
    cr_assert_eq(ht_refactor_kernel_count(refactor), 4);
    const ht_kernel *first = ht_refactor_kernel(refactor, 0);
    cr_assert_eq(first->status, HT_KERNEL_TEMPLATED, "%s", first->reason);
    cr_assert(strstr(first->template->unit, "= 256)"), "%s", first->template->unit);
    cr_assert_eq(ht_refactor_kernel(refactor, 1)->launch_line, 22);
    cr_assert_eq(ht_refactor_kernel(refactor, 2)->launch_line, 0);
    cr_assert_eq(ht_refactor_kernel(refactor, 3)->launch_line, 23);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

/* Programs check what each call of the run-time library returns by a macro. */
Test(launch, questions_about_a_kernel_are_no_other_use_of_it) {
    static const char *const questions[] = {
        "  CHECK(hipFuncSetCacheConfig((const void *)k, hipFuncCachePreferL1));\n",
        "  int c;\n  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&c, k, 256, 0));\n",
        "  CHECK(ask((const void *)k));\n",
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; ++i) {
        char *text =
            ht_format(HEAD "#define CHECK(call) do { if (call) abort(); } while (0)\n"
                           "int ask(const void *);\n" MAP(
                               "k", "float") "void f(const float *a, float *b, int n) {\n%s"
                                             "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n",
                      questions[i]);
        cr_expect_eq(has_parameter(text, problem, "BLOCK_X"), i < 2, "%s", questions[i]);
        free(text);
    }
}

Test(launch, std_min_and_max_are_understood) {
    ht_problem_file *problems;
    ht_refactor *refactor =
        refactor_text(HEAD "#include <algorithm>\n"
                           "__global__ void k(const float *in, float *out, int n) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i < n) out[i] = std::max(in[i], in[std::min(i + 1, n - 1)]);\n}\n"
                           "void f(const float *a, float *b, int n) {\n"
                           "  k<<<std::max(1, (n + 255) / 256), 256>>>(a, b, n);\n}\n",
                      problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert(strstr(kernel->template->unit, "#include <algorithm>"));
    cr_assert(strstr(kernel->template->unit, "max(1, "), "%s", kernel->template->unit);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

Test(launch, macros_under_ifndef_are_parameters_already) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open("tests/refactor/sources/macro_parameters.cu", &problems);
    const ht_kernel *tuned = kernel_named(refactor, "tuned_convolution", NULL);
    cr_assert_eq(tuned->status, HT_KERNEL_REFUSED);
    cr_assert(strstr(tuned->reason, "parameterized already") &&
                  strstr(tuned->reason, "block_w (16)") &&
                  strstr(tuned->reason, "per_thread_x (1)") && strstr(tuned->reason, "fw (5)") &&
                  !strstr(tuned->reason, "fh"),
              "%s", tuned->reason);
    ht_refactor_free(refactor);
}

static bool has_transformation(const ht_kernel *kernel, const char *name) {
    for (size_t i = 0; i < kernel->transformation_count; ++i)
        if (strcmp(kernel->transformations[i], name) == 0)
            return true;
    return false;
}

Test(launch, the_forms_that_programs_have_are_understood) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_open("tests/refactor/sources/host_forms.hip", &problems);
    cr_assert_eq(ht_refactor_kernel_count(refactor), 6);
    for (size_t i = 0; i < ht_refactor_kernel_count(refactor); ++i) {
        const ht_kernel *kernel = ht_refactor_kernel(refactor, i);
        cr_expect_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s: %s", kernel->name, kernel->reason);
        cr_expect(has_transformation(kernel, "block-size"), "%s", kernel->name);
    }
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

/* Returns the applied source of kernel k. */
static char *tuned_with(const char *source, const char *problems_text, const char *config) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(source, problems_text, &problems);
    ht_refactor_choice choice = {0};
    const ht_kernel *kernel = kernel_named(refactor, "k", &choice.kernel);
    char *text, *output;
    ht_error error = {0};
    cr_assert_eq(kernel->status, HT_KERNEL_TEMPLATED, "%s", kernel->reason);
    cr_assert_eq(ht_config_parse(kernel->template, config, &choice.config, &error), HT_OK, "%s",
                 error.message);
    cr_assert_eq(ht_refactor_apply(refactor, &choice, 1, &text, &error), HT_OK, "%s",
                 error.message);
    cr_expect_eq(clang_run(text, "-fsyntax-only", &output), 0, "%s\n%s", output, text);
    free(output);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    return text;
}

static char *tuned(const char *source, const char *config) {
    return tuned_with(source, problem, config);
}

Test(launch, a_grid_told_at_run_time_is_rescaled_by_the_block_told_at_run_time) {
    char *text = tuned(HEAD MAP("k", "float") "void f(const float *a, float *b, int n, int t) {\n"
                                              "  int local[2] = {t, 1}, blocks = (n + t - 1) / t;\n"
                                              "  int all[1] = {blocks * t};\n"
                                              "  k<<<all[0] / local[0], local[0]>>>(a, b, n);\n}\n",
                       "BLOCK_X=64");
    cr_expect(strstr(text, "k<<<(1LL * (all[0] / local[0]) * local[0] + 63) / 64, 64>>>"), "%s",
              text);
    free(text);
}

Test(launch, without_a_guard_a_new_block_is_launched_where_it_divides) {
    char *text =
        tuned(HEAD "__global__ void k(const float *in, float *out, int n) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = 2 * in[i];\n}\n"
                   "void f(const float *a, float *b, int n, int t) {\n"
                   "  dim3 block(t), grid(n / t);\n  k<<<grid, block>>>(a, b, n);\n}\n",
              "BLOCK_X=64");
    cr_expect(strstr(text, "dim3(1LL * grid.x * block.x % 64 == 0 ? 64 : block.x)"), "%s", text);
    cr_expect(
        strstr(text, "1LL * grid.x * block.x % 64 == 0 ? 1LL * grid.x * block.x / 64 : grid.x"),
        "%s", text);
    cr_expect(!strstr(text, "__launch_bounds__"), "%s", text);
    free(text);
}

Test(launch, blocks_counted_over_two_axes_serve_nothing_else) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(
        HEAD "__global__ void k(const float *in, float *out, int n) {\n"
             "  int i = (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + threadIdx.x;\n"
             "  if (i < n) out[i] = in[i] + blockIdx.y;\n}\n"
             "void f(const float *a, float *b, int n) {\n"
             "  k<<<dim3((n + 127) / 128, 2), 64>>>(a, b, n);\n}\n",
        problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect(!frees_block(kernel));
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

/* ---- arrays whose elements are assigned ---- */

typedef struct host_case {
    const char *what, *host;
    bool known; /* a block of 64 threads */
} host_case;

static const host_case element_cases[] = {
    {"each once",
     "  size_t block[2], grid[1];\n  block[0] = 64;\n  block[1] = 1;\n"
     "  grid[0] = (n + 63) / block[0];\n  k<<<dim3(grid[0]), dim3(block[0], block[1])>>>(a, b, "
     "n);\n",
     true},
    {"again behind the launch",
     "  int block[1];\n  block[0] = 64;\n  k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n"
     "  block[0] = 32;\n",
     true},
    {"again ahead of the launch",
     "  int block[1];\n  block[0] = 32;\n  block[0] = 64;\n"
     "  k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n",
     true},
    {"from a variable that changes before the grid is computed",
     "  int block[1] = {8}, threads = 64;\n  block[0] = threads;\n  threads = 32;\n"
     "  k<<<(n + threads - 1) / threads, block[0]>>>(a, b, n);\n",
     true},
    {"from a variable that an if changes before the grid is computed",
     "  int block[1] = {8}, threads = 64;\n  block[0] = threads;\n  if (n > 9) threads = 32;\n"
     "  k<<<(n + threads - 1) / threads, block[0]>>>(a, b, n);\n",
     true},
    {"from a variable that changes in ways not followed before the grid is computed",
     "  int block[1] = {8}, threads = 64;\n  block[0] = threads;\n  while (n > 9) threads = --n;\n"
     "  k<<<(n + threads - 1) / threads, block[0]>>>(a, b, n);\n",
     false},
    {"under a condition",
     "  int block[1];\n  block[0] = 64;\n  if (n > 5000) block[0] = 32;\n"
     "  k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n",
     false},
    {"in a loop around the launch",
     "  int block[1];\n  block[0] = 64;\n  for (int i = 0; i < 2; ++i) {\n"
     "    k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n    block[0] = 32;\n  }\n",
     false},
    {"by a function",
     "  int block[1];\n  block[0] = 64;\n  fill(block);\n"
     "  k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n",
     false},
    {"in an array that stays from call to call",
     "  static int block[1];\n  k<<<(n + 63) / 64, block[0]>>>(a, b, n);\n  block[0] = 64;\n",
     false},
};

#define FUNCTIONS                                                                                  \
    "void fill(int *);\nvoid set(dim3 &);\n"                                                       \
    "int rounded(int a, int b) {\n  int r = a % b;\n  if (r == 0)\n    return a;\n"                \
    "  else {\n    return a + b - r;\n  }\n}\n"                                                    \
    "int least(int a) {\n  if (a < 64) return 64;\n  return a;\n}\n"                               \
    "int other(int a) {\n  if (a < 64) a = 64;\n  return a;\n}\n"                                  \
    "int loops(int a) {\n  if (a < 64) for (;;) return 64;\n  return a;\n}\n"

static void expect_blocks(const host_case *of, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        char source[2048];
        snprintf(source, sizeof source, "%svoid run(const float *a, float *b, int n) {\n%s}\n",
                 HEAD MAP("k", "float") FUNCTIONS, of[i].host);
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(source, problem, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        bool known = kernel->template && strstr(kernel->template->unit, "param(BLOCK_X : ") != NULL;
        known = known && strstr(kernel->template->unit, "1024 = 64)") != NULL;
        cr_expect_eq(known, of[i].known, "%s: %s", of[i].what,
                     kernel->reason ? kernel->reason : "templated");
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}

Test(launch, elements_that_are_assigned_one_by_one) {
    expect_blocks(element_cases, sizeof element_cases / sizeof *element_cases);
}

/* ---- variables that are set again for each launch ---- */

static const host_case reaching_cases[] = {
    {"fields of a dim3, again ahead of the launch",
     "  dim3 block(1, 1, 1), grid(1);\n  block.x = 32;\n  block.x = 64;\n"
     "  grid.x = n / block.x + 1;\n  k<<<grid, block>>>(a, b, n);\n",
     true},
    {"the whole dim3, then a field of another axis, and all of it after the launch",
     "  dim3 block(8), grid;\n  block = dim3(64);\n  block.y = 1;\n  grid = dim3(n / 64 + 1);\n"
     "  k<<<grid, block>>>(a, b, n);\n  block.x = 32;\n",
     true},
    {"ahead of a loop around the launch, and in another loop",
     "  dim3 block(8);\n  for (int i = 0; i < 3; ++i) block.x = i;\n  block.x = 64;\n"
     "  for (int i = 0; i < 3; ++i) k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     true},
    {"a number",
     "  int threads = 32;\n  threads = 64;\n  k<<<(n + threads - 1) / threads, threads>>>(a, b, "
     "n);\n  threads = 128;\n",
     true},
    {"by a function that returns one of two values",
     "  k<<<rounded(n, 64) / 64, rounded(40, 64)>>>(a, b, n);\n", true},
    {"by one that may return early", "  k<<<(n + 63) / 64, least(7)>>>(a, b, n);\n", true},
    {"by one that sets its argument", "  k<<<(n + 63) / 64, other(7)>>>(a, b, n);\n", false},
    {"by one that loops", "  k<<<(n + 63) / 64, loops(7)>>>(a, b, n);\n", false},
    {"in the branch of the launch",
     "  dim3 block(8);\n  if (n > 1000) {\n    block.x = 64;\n"
     "    k<<<(n + 63) / 64, block>>>(a, b, n);\n  } else\n    block.x = 16;\n",
     true},
    {"after the launch in a loop around it",
     "  dim3 block(64);\n  for (int i = 0; i < 3; ++i) {\n"
     "    k<<<(n + 63) / 64, block>>>(a, b, n);\n    block.x = 32;\n  }\n",
     false},
    {"under a condition",
     "  dim3 block(64);\n  block.x = 64;\n  if (n > 5000) block.x = 32;\n"
     "  k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     false},
    {"by a function",
     "  dim3 block(64);\n  block.x = 64;\n  set(block);\n  k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     false},
    {"by a lambda that is called later",
     "  dim3 block(64);\n  auto less = [&] { block.x = 32; };\n  block.x = 64;\n  less();\n"
     "  k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     false},
    {"by a pointer",
     "  dim3 block(64);\n  dim3 *at = &block;\n  block.x = 64;\n  at->x = 32;\n"
     "  k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     false},
    {"in one case of a switch",
     "  dim3 block(32);\n  switch (n) {\n  case 1:\n    block.x = 64;\n  default:\n"
     "    k<<<(n + 63) / 64, block>>>(a, b, n);\n  }\n",
     false},
    {"past a label",
     "  dim3 block(32);\n  if (n > 7) goto on;\n  block.x = 64;\non:\n"
     "  k<<<(n + 63) / 64, block>>>(a, b, n);\n",
     false},
};

Test(launch, variables_that_are_set_again_have_the_value_that_reaches_the_launch) {
    expect_blocks(reaching_cases, sizeof reaching_cases / sizeof *reaching_cases);
}

/* ---- grids that an `if` makes larger ---- */

typedef struct enlarged_case {
    const char *host; /* up to the launch */
    const char *grid; /* of the template; NULL: the launch is not followed */
} enlarged_case;

#define ROUNDED_UP "grid(ceil_div(n, BLOCK_X * COARSEN_X))"
static const enlarged_case enlarged_cases[] = {
    {"  dim3 grid(n / 256);\n  if (n % 256 != 0) grid.x += 1;\n", ROUNDED_UP},
    {"  dim3 grid(n / 256);\n  if (n % 256) { grid.x++; }\n", ROUNDED_UP},
    {"  int grid = n / 256;\n  if (n % 256 > 0) grid = grid + 1;\n", ROUNDED_UP},
    {"  int grid = n / 256;\n  if (grid * 256 < n)\n    ++grid;\n", ROUNDED_UP},
    {"  int threads = 256, grid = n / threads;\n  if (threads * grid < n) grid++;\n", ROUNDED_UP},
    {"  int grid;\n  if (n % 256) grid = n / 256 + 1; else grid = n / 256;\n", ROUNDED_UP},
    /* real numbers that are whole */
    {"  int grid = (int)ceil((double)n * 3 / 256);\n", "grid(ceil_div(n * 3, 256))"},
    {"  int grid = ceil((double)n / 256) * 3;\n", "(ceil_div(n, 256) * 3)"},
    /* other conditions and steps keep their meaning */
    {"  int grid = n / 256;\n  if (n % 128) grid++;\n", "(n % 128 ? n / 256 + 1 : n / 256) * 256"},
    {"  int grid = n / 256;\n  if (n % 256) grid += 2;\n",
     "(n % 256 ? n / 256 + 2 : n / 256) * 256"},
    {"  int grid = n / 256;\n  if (grid * 128 < n) grid++;\n",
     "(n / 256 * 128 < n ? n / 256 + 1 : n / 256) * 256"},
    {"  int grid = n / 256;\n  grid += 3;\n", "(n / 256 + 3) * 256"},
    /* what is not followed */
    {"  int grid = n / 256;\n  while (grid * 256 < n) grid++;\n", NULL},
    {"  int grid = n / 256;\n  if (n % 256) { grid++; grid *= 2; }\n", NULL},
    {"  int grid = n / 256;\n  if (n % 256) raise(grid);\n", NULL},
    {"  int grid = n / 256;\n  if (n % 256) grid++;\n  n -= 5;\n", NULL},
};

Test(launch, a_grid_that_an_if_enlarges_is_followed) {
    for (size_t i = 0; i < sizeof enlarged_cases / sizeof *enlarged_cases; ++i) {
        char source[2048];
        snprintf(source, sizeof source,
                 "%svoid raise(int &);\nvoid run(const float *a, float *b, int n) {\n%s"
                 "  k<<<grid, 256>>>(a, b, n);\n}\n",
                 HEAD MAP("k", "float"), enlarged_cases[i].host);
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(source, problem, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        if (enlarged_cases[i].grid) {
            cr_assert(kernel->template, "%s: %s", enlarged_cases[i].host, kernel->reason);
            cr_expect(strstr(kernel->template->unit, enlarged_cases[i].grid), "%s: %s",
                      enlarged_cases[i].host, kernel->template->unit);
        } else
            cr_expect(!kernel->template || !strstr(kernel->template->unit, " ? "), "%s: %s",
                      enlarged_cases[i].host, kernel->template->unit);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}

/* A method's launch reads the object's fields, unless the method may change them first. */
Test(launch, a_grid_set_axis_by_axis_may_name_fields_of_the_object) {
    static const char *const hosts[] = {
        "void Image::run() {\n%s  k<<<grid, 256>>>(a, b, n);\n}\n",
        "Image::Image() {\n%s  k<<<grid, 256>>>(a, b, n);\n}\n",
        "void Image::run() {\n%s  resize();\n  k<<<grid, 256>>>(a, b, n);\n}\n",
        "void Image::run() {\n%s  n = 5;\n  k<<<grid, 256>>>(a, b, n);\n}\n"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        char host[1024], source[2048];
        snprintf(host, sizeof host, hosts[i],
                 "  dim3 grid;\n  grid.x = 8;\n  grid.x = (n + 255) / 256;\n");
        snprintf(source, sizeof source,
                 "%sstruct Image { Image(); const float *a; float *b; int n; void run(); void "
                 "resize(); };\n%s",
                 HEAD MAP("k", "float"), host);
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(source, problem, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        bool found =
            kernel->template && strstr(kernel->template->unit, "grid((problem.N + 255) / 256)");
        cr_expect_eq(found, i < 2, "%s: %s", host,
                     kernel->template ? kernel->template->unit : kernel->reason);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}

/* A grid that is set again, computed from a variable, is not that of the variable after it
 * changed. */
Test(launch, a_value_is_read_only_while_the_names_in_it_keep_theirs) {
    static const char *const hosts[] = {
        "  dim3 grid;\n  grid.x = 8;\n  grid.x = n / 256 + 1;\n  k<<<grid, 256>>>(a, b, n);\n  n = "
        "7;\n",
        "  n = n * 2;\n  dim3 grid;\n  grid.x = 8;\n  grid.x = n / 256 + 1;\n  k<<<grid, 256>>>(a, "
        "b, n);\n",
        "  dim3 grid;\n  grid.x = 8;\n  grid.x = n / 256 + 1;\n  n = 7;\n  k<<<grid, 256>>>(a, b, "
        "n);\n",
        "  dim3 grid;\n  grid.x = 8;\n  int *at = &n;\n  grid.x = n / 256 + 1;\n  *at = 7;\n"
        "  k<<<grid, 256>>>(a, b, n);\n"};
    const bool known[] = {false, true, false, false};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i) {
        char source[2048];
        snprintf(source, sizeof source, "%svoid run(const float *a, float *b, int n) {\n%s}\n",
                 HEAD MAP("k", "float"), hosts[i]);
        ht_problem_file *problems;
        ht_refactor *refactor = refactor_text(source, problem, &problems);
        const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
        bool found = kernel->template && strstr(kernel->template->unit, "grid(n / 256 + 1)");
        cr_expect_eq(found, known[i], "%s: %s", hosts[i],
                     kernel->template ? kernel->template->unit : kernel->reason);
        ht_refactor_free(refactor);
        ht_problem_file_free(problems);
    }
}

/* (n + 8191) / 8192 overflows for sizes at which (n + 255) / 256 does not; n + 7 does not. */
Test(launch, a_larger_block_adds_nothing_that_could_overflow) {
    char *text = tuned(HEAD MAP("k", "float") "void f(const float *a, float *b, int n) {\n"
                                              "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n",
                       "BLOCK_X=1024 COARSEN_X=8");
    cr_expect(
        strstr(text,
               "k<<<((n + kOutputsPerThread - 1) / kOutputsPerThread + 1023) / 1024, 1024>>>"),
        "%s", text);
    free(text);
}

/* blocks * 256 does not fit an int at 3e9 elements; the author's indices have 64 bits. */
Test(launch, a_count_of_blocks_is_not_multiplied_by_threads) {
    static const char kernel[] =
        HEAD "__global__ void k(const float *in, float *out, size_t n) {\n"
             "  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  if (i < n) out[i] = in[i] * 2;\n}\n"
             "int ready(int blocks);\n"
             "void f(const float *a, float *b, size_t n) {\n"
             "  int blocks = n / 256 + (n % 256 != 0);\n"
             "  if (ready(blocks)) k<<<blocks, 256>>>(a, b, n);\n}\n";
    char *text = tuned_with(kernel, NULL, "BLOCK_X=512");
    cr_expect(strstr(text, "k<<<(blocks + 1u) / 2, 512>>>"), "%s", text);
    free(text);
    text = tuned_with(kernel, NULL, "BLOCK_X=128");
    cr_expect(strstr(text, "n <= 274877906816 ? (n + 127) / 128 : blocks"), "%s", text);
    cr_expect(strstr(text, "n <= 274877906816 ? 128 : 256>>>"), "%s", text);
    free(text);
}

/* 32x8 threads serve 524,280 rows; of 128x1 a grid has 65,535 at most. */
Test(launch, a_grid_that_no_device_launches_gets_the_authors_block) {
    static const char kernel[] =
        HEAD "__global__ void k(const float *in, float *out, int w, int h) {\n"
             "  int x = blockIdx.x * PITCH_X + threadIdx.x, y = blockIdx.y * PITCH_Y + "
             "threadIdx.y;\n"
             "  if (x < w && y < h) out[y * w + x] = in[y * w + x] * 2;\n}\n"
             "void f(const float *a, float *b, int w, int h) {\n"
             "  dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);\n"
             "  k<<<grid, block>>>(a, b, w, h);\n}\n";
    char *any = ht_format("#define PITCH_X blockDim.x\n#define PITCH_Y blockDim.y\n%s", kernel);
    char *text = tuned_with(any, NULL, "BLOCK_X=128 BLOCK_Y=1");
    cr_expect(strstr(text, "const bool k_fits = h <= 65535;"), "%s", text);
    cr_expect(strstr(text, "const dim3 k_block = k_fits ? dim3(128, 1) : block;"), "%s", text);
    cr_expect(
        strstr(text, "const dim3 k_grid = k_fits ? dim3(w / 128 + (w % 128 != 0), h) : grid;"),
        "%s", text);
    cr_expect(strstr(text, "k<<<k_grid, k_block>>>(a, b, w, h)"), "%s", text);
    cr_expect(!strstr(text, "k_plain"), "%s", text);
    free(text);
    text = tuned_with(any, NULL, "BLOCK_X=16 BLOCK_Y=16");
    cr_expect(strstr(text, "k<<<grid, block>>>"), "a grid that is lower needs no question: %s",
              text);
    free(text);
    free(any);
}

#define PRODUCTS(type)                                                                             \
    HEAD "__global__ void k(const float *in, float *out, int w, int h) {\n"                        \
         "  " type " x = (" type ")blockIdx.x * 32 + threadIdx.x;\n"                               \
         "  " type " y = (" type ")blockIdx.y * 8 + threadIdx.y;\n"                                \
         "  if (x < w && y < h) out[y * w + x] = in[y * w + x] * 2;\n}\n"                          \
         "void f(const float *a, float *b, int w, int h) {\n"                                      \
         "  k<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(a, b, w, h);\n}\n"

/* The tuned kernel has the block's numbers in it: the original stays for the others. */
Test(launch, the_original_kernel_is_kept_where_the_tuned_one_is_tied_to_its_block) {
    char *text = tuned_with(PRODUCTS("long"), NULL, "BLOCK_X=64 BLOCK_Y=4");
    cr_expect(strstr(text, "__global__ void k_plain("), "%s", text);
    cr_expect(strstr(text, "(k_fits ? k : k_plain)<<<k_grid, k_block>>>"), "%s", text);
    free(text);
}

/* It works with both blocks: there is no second kernel. */
Test(launch, a_number_for_the_block_becomes_blockdim) {
    char *text = tuned_with(PRODUCTS("unsigned"), NULL, "BLOCK_X=64 BLOCK_Y=4");
    cr_expect(strstr(text, "(unsigned)blockIdx.x * blockDim.x + threadIdx.x"), "%s", text);
    cr_expect(!strstr(text, "k_plain"), "%s", text);
    free(text);
    text = tuned_with(PRODUCTS("unsigned"), NULL, "BLOCK_Y=4");
    cr_expect(strstr(text, "blockIdx.x * 32 +"), "the block along x stays: %s", text);
    free(text);
}

/* h, not (h + 0) / 1; block.y, not a number. */
Test(launch, what_is_written_is_what_a_person_would_write) {
    char *text = tuned_with(HEAD "__global__ void k(const float *in, float *out, int w, int h) {\n"
                                 "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                                 "  if (x < w && y < h) out[y * w + x] = in[y * w + x] * 2;\n}\n"
                                 "void f(const float *a, float *b, int w, int h) {\n"
                                 "  dim3 block(32, 2);\n"
                                 "  dim3 grid((w + block.x - 1) / block.x,\n"
                                 "            (h + block.y - 1) / block.y);\n"
                                 "  k<<<grid, block>>>(a, b, w, h);\n}\n",
                            NULL, "BLOCK_X=64 BLOCK_Y=4 COARSEN_X=2");
    cr_expect(strstr(text, "dim3 grid((w + kOutputsPerThread * block.x - 1) / "
                           "(kOutputsPerThread * block.x),\n"
                           "            (h + block.y - 1) / block.y);"),
              "%s", text);
    free(text);
}
