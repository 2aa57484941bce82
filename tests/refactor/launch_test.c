/* Launches as programs write them: blocks chosen at run time, overloads, std::min. */
#include "launch_support.h"
#include "refactor/rewrite/apply.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    cr_expect(clang_parses(text, &output), "%s\n%s", output, text);
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

/* (n + 8191) / 8192 overflows for sizes at which (n + 255) / 256 does not; n + 7 does not. */
Test(launch, a_larger_block_adds_nothing_that_could_overflow) {
    char *text = tuned(HEAD MAP("k", "float") "void f(const float *a, float *b, int n) {\n"
                                              "  k<<<(n + 255) / 256, 256>>>(a, b, n);\n}\n",
                       "BLOCK_X=1024 COARSEN_X=8");
    cr_expect(
        strstr(text, "const int threads = (n + kOutputsPerThread - 1) / kOutputsPerThread;\n") &&
            strstr(text, "k<<<(threads + 1023) / 1024, 1024>>>"),
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

/* The author's grid is launched with, too: the new one is written for whichever block is chosen,
 * in the unsigned numbers of the block, where n plus a block cannot overflow them. */
Test(launch, a_grid_serves_whichever_block_is_chosen) {
    static const char kernel[] =
        HEAD "__global__ void k(const float *in, float *out, int w, %s h) {\n"
             "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
             "  if (x < w && y < h) out[y * w + x] = in[y * w + x] * 2;\n}\n"
             "__global__ void other(float *out) { out[0] = 1; }\n"
             "void f(const float *a, float *b, int w, %s h) {\n"
             "  dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);\n"
             "  other<<<grid, block>>>(b);\n"
             "  k<<<grid, block>>>(a, b, w, h);\n}\n";
    char *source = ht_format(kernel, "int", "int");
    char *text = tuned_with(source, NULL, "BLOCK_X=128 BLOCK_Y=1");
    cr_expect(strstr(text, "  const dim3 k_block = h <= 65535 ? dim3(128, 1) : block; "
                           "// else too many blocks\n"
                           "  const dim3 k_grid((w + k_block.x - 1) / k_block.x, "
                           "(h + k_block.y - 1) / k_block.y);\n"
                           "  k<<<k_grid, k_block>>>(a, b, w, h)"),
              "%s", text);
    free(text);
    text = tuned_with(source, NULL, "BLOCK_X=128 BLOCK_Y=1 COARSEN_X=2");
    cr_expect(strstr(text, "k_grid((w + kKOutputsPerThread * k_block.x - 1) / "
                           "(kKOutputsPerThread * k_block.x)"),
              "%s", text);
    free(text);
    free(source);
    /* an unsigned sum is no larger than the author's where the block is no larger */
    source = ht_format(kernel, "unsigned", "unsigned");
    text = tuned_with(source, NULL, "BLOCK_X=128 BLOCK_Y=1");
    cr_expect(strstr(text, "(h + k_block.y - 1) / k_block.y);"), "%s", text);
    free(text);
    free(source);
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
