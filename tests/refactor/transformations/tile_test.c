/* Constants that give a block, its arrays and loops: promoted with all that may derive from them,
 * or not at all. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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
    bool is = has_parameter(text, problem, "TILE");
    free(text);
    return is;
}

Test(tile, a_tile_is_promoted_with_all_that_may_derive_from_it_or_not_at_all) {
    cr_expect(tile_is_free("row[threadIdx.x] * 2.0f"));
    cr_expect(tile_is_free("row[threadIdx.x] + i * 0.5f"));
    static const char *const tied[] = {"row[i & 15]",       "row[i % 16]",      "row[0] * (i >> 4)",
                                       "row[0] + (i >> 8)", "row[0] + i % 255", "row[0] / 16.0f",
                                       "row[0] / 256.0f",   "row[0] * 0.0625f"};
    for (size_t i = 0; i < sizeof tied / sizeof *tied; ++i)
        cr_expect_not(tile_is_free(tied[i]), "%s", tied[i]);
}

/* With another block these are other results. */
Test(tile, a_tile_that_takes_part_in_the_results_stays) {
    static const char *const part[] = {"row[threadIdx.x] / TILE", "row[TILE - 1 - threadIdx.x]",
                                       "row[threadIdx.x] + threadIdx.x * 0.5f",
                                       "row[threadIdx.x] * (1.0f / blockDim.x)"};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i)
        cr_expect_not(tile_is_free(part[i]), "%s", part[i]);
}

Test(tile, a_reduction_over_the_block_keeps_it) {
    static const char *const loops[] = {
        "for (int k = 1; k < TILE; k *= 2)\n        if (threadIdx.x % (2 * k) == 0)",
        "for (int k = 1; k < TILE; k <<= 1)\n        if (threadIdx.x % (2 * k) == 0)"};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i) {
        char *work = ht_format("0;\n    %s row[threadIdx.x] += row[threadIdx.x + k];\n"
                               "    if (i < n) out[i] = row[0]",
                               loops[i]);
        cr_expect_not(tile_is_free(work), "%s", work);
        free(work);
    }
}

/* ---- constants that functions and the preprocessor use too */

static const char *const line_problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : n\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.n]\", \"out : out float[problem.n]\", \"n : int = problem.n\"], "
    "\"instances\": [{\"fields\": {\"n\": 1001}}]}]}";

/* Returns a padded kernel: `function` ahead of it, `work` in it, `host` after it. */
static char *padded(const char *function, const char *work, const char *host) {
    return ht_format(HEAD "#define TILE 64\n"
                          "#define WIDE (TILE + 2)\n"
                          "%s"
                          "__global__ void k(const float *in, float *out, int n) {\n"
                          "    __shared__ float row[WIDE];\n"
                          "    int i = blockIdx.x * TILE + threadIdx.x;\n"
                          "    for (int j = threadIdx.x; j < WIDE; j += TILE) {\n"
                          "        int g = blockIdx.x * TILE + j - 1;\n"
                          "        row[j] = g >= 0 && g < n ? in[g] : 0.0f;\n"
                          "    }\n"
                          "    __syncthreads();\n"
                          "%s"
                          "}\n"
                          "void run(const float *in, float *out, int n) {\n"
                          "    k<<<(n + TILE - 1) / TILE, TILE>>>(in, out, n);\n"
                          "}\n%s",
                     function, work, host);
}

static const char *const around =
    "__device__ float around(const float *row, int x) {\n"
    "    return row[x] + row[x + 1] * 2.0f + row[x + WIDE - TILE];\n}\n";

Test(tile, a_macro_of_functions_too_is_bound_by_the_preprocessor) {
    char *text = padded(around, "    if (i < n) out[i] = around(row, threadIdx.x);\n", "");
    subject of = subject_open(text, line_problem, "k");
    const ht_param *param = ht_template_param(of.kernel->template, "TILE");
    cr_assert(param);
    cr_expect_eq(param->binding, HT_BIND_MACRO);
    expect_equal(&of, "k", (const char *const[]){"", "TILE=32", "TILE=192", "TILE=256", NULL});
    expect_pieces(&of, "TILE=32", (const char *const[]){"#define TILE 32\n", NULL});
    char *same = apply_config(&of, "");
    cr_expect_str_eq(same, text);
    free(same);
    subject_close(&of);
    free(text);
}

static void expect_kept_for(const char *text, const char *line) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, line_problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    bool told = false;
    cr_expect_not(kernel->template && ht_template_param(kernel->template, "TILE"));
    for (size_t i = 0; i < kernel->remark_count; ++i)
        told = told || strstr(kernel->remarks[i].message, line);
    cr_expect(told);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
}

/* Another build, with another TILE, takes the branch that this one does not. */
Test(tile, a_conditional_on_the_tile_keeps_it) {
    char *text = padded("",
                        "#if WIDE > 40\n    if (i < n) out[i] = row[threadIdx.x];\n"
                        "#else\n    if (i < n) out[i] = 0;\n#endif\n",
                        "");
    expect_kept_for(text, "'#if WIDE > 40'");
    free(text);
}

Test(tile, a_macro_that_a_conditional_on_the_tile_defines_keeps_it) {
    char *text = padded("#if TILE == 64\n#define SHIFT 1\n#else\n#define SHIFT 2\n#endif\n",
                        "    if (i < n) out[i] = row[threadIdx.x + SHIFT];\n", "");
    expect_kept_for(text, "'#if TILE == 64'");
    free(text);
}

Test(tile, functions_of_other_kernels_keep_their_constant) {
    char *text = padded(around, "    if (i < n) out[i] = around(row, threadIdx.x);\n",
                        "__global__ void other(float *p) { p[threadIdx.x] = around(p, TILE); }\n");
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, line_problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    bool told = false;
    cr_expect_not(kernel->template && ht_template_param(kernel->template, "TILE"));
    for (size_t i = 0; i < kernel->remark_count; ++i)
        told = told || strstr(kernel->remarks[i].message, "more than this kernel");
    cr_expect(told);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    free(text);
}

/* A problem file may name the specialisation: it is the launch's, and its constant the block's. */
Test(tile, a_template_argument_that_the_problem_names_is_the_launchs) {
    static const char *const source =
        HEAD "template <int B>\n"
             "__global__ void k(const float *in, float *out, int n) {\n"
             "    __shared__ float row[B];\n"
             "    int i = blockIdx.x * B + threadIdx.x;\n"
             "    row[threadIdx.x] = i < n ? in[i] : 0.0f;\n"
             "    __syncthreads();\n"
             "    if (i < n) out[i] = row[threadIdx.x];\n"
             "}\n"
             "void run(const float *in, float *out, int n) {\n"
             "    constexpr int size = 64;\n"
             "    k<size><<<(n + size - 1) / size, size>>>(in, out, n);\n"
             "}\n";
    char *named = ht_strdup(line_problem), *at = strstr(named, "\"problem\"");
    char *given = ht_format("%.*s\"template\": [\"64\"], %s", (int)(at - named), named, at);
    subject of = subject_open(source, given, "k");
    cr_assert(ht_template_param(of.kernel->template, "B"));
    expect_equal(&of, "k", (const char *const[]){"B=32", "B=256", NULL});
    expect_pieces(&of, "B=32", (const char *const[]){"k<32><<<", NULL});
    subject_close(&of);
    free(given);
    free(named);
}
