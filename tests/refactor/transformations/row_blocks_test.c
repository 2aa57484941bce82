/* row-blocks: the iterations of loops that stride by the block, shared out among several blocks of
 * a row. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"rows : R, n\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.R * problem.n * 2]\", "
    "\"out : inout float[problem.R * problem.n * 2]\", \"n : int = problem.n\"], "
    "\"host\": {\"rows\": \"problem.R\"}, "
    "\"instances\": [{\"fields\": {\"R\": 3, \"n\": 301}}, {\"fields\": {\"R\": 2, \"n\": 3}}]}]}";

/* A block for each row; `head` and `loop` are its body, `grid` is the launch's. */
static char *rows_of(const char *head, const char *loop, const char *grid) {
    return ht_format(HEAD "__global__ void k(const float *in, float *out, int n) {\n"
                          "    const int row = blockIdx.x;\n"
                          "    %s%s\n"
                          "}\n"
                          "void run(const float *in, float *out, int rows, int n) {\n"
                          "    dim3 blocks(rows);\n"
                          "    k<<<%s, 64>>>(in, out, n);\n"
                          "}\n",
                     head, loop, grid);
}

#define EACH "for (int i = threadIdx.x; i < n; i += blockDim.x) "
#define GATED                                                                                      \
    EACH "{\n"                                                                                     \
         "        const float gate = in[row * 2 * n + i];\n"                                       \
         "        out[row * n + i] = gate / (1.0f + gate * gate) * in[row * 2 * n + n + i];\n"     \
         "    }"

static const char *const configs[] = {"",
                                      "ROW_BLOCKS=2",
                                      "ROW_BLOCKS=16",
                                      "ROW_BLOCKS=4 BLOCK_X=32",
                                      "ROW_BLOCKS=8 BLOCK_X=256 VECTOR_STRIDE=4",
                                      "ROW_BLOCKS=2 VECTOR_STRIDE=2 UNROLL_I=4",
                                      NULL};

static void expect_rows(const char *head, const char *loop, const char *grid) {
    char *text = rows_of(head, loop, grid);
    subject of = subject_open(text, problem, "k");
    cr_assert(ht_template_param(of.kernel->template, "ROW_BLOCKS"), "%s", loop);
    expect_equal(&of, "k", configs);
    subject_close(&of);
    free(text);
}

/* Rows that no block divides; shorter than a block, so that most have nothing to do. */
Test(row_blocks, blocks_of_a_row_share_out_its_elements) {
    expect_rows("", GATED, "rows");
    expect_rows("", "if (n < 1) return;\n    " GATED, "blocks");
}

static const char two[] =
    HEAD "__global__ void k(const float *in, float *out, float *more, int n) {\n"
         "    const int row = blockIdx.x;\n"
         "    " EACH "out[row * n + i] = in[row * n + i] * 2;\n"
         "    " EACH "more[row * n + i] += in[row * n + i] + 1;\n"
         "}\n"
         "void run(const float *in, float *out, float *more, int rows, int n) {\n"
         "    k<<<rows, 64>>>(in, out, more, n);\n"
         "}\n";
static const char two_problem[] =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"rows : R, n\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.R * problem.n]\", \"out : out float[problem.R * problem.n]\", "
    "\"more : inout float[problem.R * problem.n]\", \"n : int = problem.n\"], "
    "\"host\": {\"rows\": \"problem.R\"}, \"instances\": [{\"fields\": {\"R\": 3, \"n\": 301}}]}]}";

Test(row_blocks, several_loops_are_shared_out_alike) {
    subject of = subject_open(two, two_problem, "k");
    cr_assert(ht_template_param(of.kernel->template, "ROW_BLOCKS"));
    cr_expect_null(ht_template_param(of.kernel->template, "KEEP"), "places of one block's threads");
    expect_equal(
        &of, "k",
        (const char *const[]){"ROW_BLOCKS=4", "ROW_BLOCKS=2 VECTOR_STRIDE=2 BLOCK_X=32", NULL});
    subject_close(&of);
}

static bool splits(const char *head, const char *loop, const char *grid) {
    char *text = rows_of(head, loop, grid);
    bool has = has_parameter(text, problem, "ROW_BLOCKS");
    free(text);
    return has;
}

Test(row_blocks, what_looks_alike_stays_with_one_block) {
    cr_expect(splits("", GATED, "rows"));
    cr_expect_not(splits("if (threadIdx.x == 0) out[row] += 1;\n    ", GATED, "rows"),
                  "each block of the row would add");
    cr_expect_not(splits("out[row * n] += blockIdx.y;\n    ", GATED, "rows"));
    cr_expect_not(splits("", EACH "out[row * n + i] = in[row * n + i] + blockIdx.y;", "rows"));
    cr_expect_not(splits("", EACH "out[row * n + i] = in[row * n + i] + gridDim.y;", "rows"));
    cr_expect_not(splits("", GATED, "dim3(rows, 2)"), "the grid has a second axis");
    cr_expect_not(splits("__shared__ float kept[64];\n    kept[threadIdx.x] = in[row];\n    "
                         "__syncthreads();\n    ",
                         EACH "out[row * n + i] = in[row * n + i] + kept[0];", "rows"));
    cr_expect_not(splits("float sum = 0;\n    ",
                         EACH "sum += in[row * n + i];\n    atomicAdd(&out[row], sum);", "rows"));
    cr_expect_not(splits("", EACH "atomicAdd(&out[row], in[row * n + i]);", "rows"));
    cr_expect_not(splits("if (n > 2) ", GATED, "rows"), "a loop in another statement");
}

Test(row_blocks, a_tuned_source_reads_like_a_source) {
    char *text = rows_of("", EACH "out[row * n + i] = in[row * n + i] * 2;", "rows");
    subject of = subject_open(text, problem, "k");
    expect_pieces(
        &of, "ROW_BLOCKS=4",
        (const char *const[]){"for (int i = threadIdx.x + blockIdx.y * blockDim.x; i < n;",
                              "i += blockDim.x * ", "k<<<dim3(rows, ", "), 64>>>", NULL});
    char *same = apply_config(&of, "");
    cr_expect_str_eq(same, text);
    free(same);
    subject_close(&of);
    free(text);
}
