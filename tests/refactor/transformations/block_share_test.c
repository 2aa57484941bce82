/* Blocks whose threads bring a table into shared memory together, and then work on their global
 * index. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"line : n\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.n]\", \"weights : in float[100]\", "
    "\"out : out float[problem.n]\", \"n : int = problem.n\"], "
    "\"instances\": [{\"fields\": {\"n\": 1001}}]}]}";

/* Returns a staged kernel; `fill` is the loop's body, `work` what a thread does with its index,
 * `front` stands before. */
static char *staged_behind(const char *front, const char *fill, const char *work) {
    return ht_format(HEAD "__global__ void k(const float *in, const float *weights, float *out, "
                          "int n) {\n"
                          "    __shared__ float table[100];\n"
                          "    int g = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    float own = g < n ? in[g] : 0.0f;\n"
                          "    %s\n"
                          "    for (int i = threadIdx.x; i < 100; i += blockDim.x)\n"
                          "        %s\n"
                          "    __syncthreads();\n"
                          "    %s\n"
                          "}\n"
                          "void run(const float *in, const float *weights, float *out, int n) {\n"
                          "    k<<<(n + 63) / 64, 64>>>(in, weights, out, n);\n"
                          "}\n",
                     front, fill, work);
}

static char *staged(const char *fill, const char *work) {
    return staged_behind("", fill, work);
}

#define FILL "table[i] = weights[99 - i];"
#define WORK "if (g < n) out[g] = own * table[g % 100] + table[3];"

Test(block_share, any_block_brings_the_same_table) {
    char *text = staged(FILL, WORK);
    subject of = subject_open(text, problem, "k");
    cr_assert(ht_template_param(of.kernel->template, "BLOCK_X"));
    expect_equal(&of, "k", (const char *const[]){"", "BLOCK_X=32", NULL});
    subject_close(&of);
    free(text);
}

static bool keeps(char *text) {
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    bool kept = !frees_block(kernel);
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    free(text);
    return kept;
}

static bool keeps_block(const char *fill, const char *work) {
    return keeps(staged(fill, work));
}

/* With another block these tables hold something else, or another thread's. */
Test(block_share, tables_that_threads_make_of_their_own_keep_the_block) {
    cr_expect(keeps_block("table[i] = weights[i] + own;", WORK));
    cr_expect(keeps_block("table[i] = weights[i] + g;", WORK));
    cr_expect(keeps_block("table[i] = weights[i] + blockIdx.x;", WORK));
    cr_expect(keeps_block(FILL, "if (own > 0) table[5] = 1; __syncthreads(); " WORK));
    cr_expect(keeps_block(FILL, "if (g < n) out[g] = table[threadIdx.x % 100];"));
    cr_expect(keeps_block(FILL, "if (g < n) out[g] = table[blockDim.x % 100];"));
}

/* Then the block decides which iterations are run at all. */
Test(block_share, loops_that_some_threads_do_not_come_to_keep_the_block) {
    cr_expect(keeps(staged_behind("if (g >= n) return;", FILL, WORK)));
    cr_expect(keeps(staged_behind("if (g < n)", FILL, WORK)));
    cr_expect_not(keeps(staged_behind("", FILL, "if (g >= n) return; " WORK)));
}
