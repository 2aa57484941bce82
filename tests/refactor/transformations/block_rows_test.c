/* block-size: several rows in a block, where the block reduces a row. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"rows : R, n\", \"tolerance\": \"1e-5\", \"args\": ["
    "\"in : in float[problem.R * problem.n]\", "
    "\"out : inout float[problem.R * problem.n]\", \"n : int = problem.n\"], "
    "\"host\": {\"rows\": \"problem.R\"}, "
    "\"instances\": [{\"fields\": {\"R\": 8, \"n\": 333}}]}]}";

#define DOWN                                                                                       \
    "for (int offset = warpSize / 2; offset > 0; offset /= 2) v += __shfl_down(v, offset);\n"
#define SHUFFLES                                                                                   \
    "__shared__ float partial[32];\n"                                                              \
    "    __shared__ float scale;\n"                                                                \
    "    const int lane = threadIdx.x % warpSize, wavefront = threadIdx.x / warpSize;\n"           \
    "    " DOWN "    if (lane == 0) partial[wavefront] = v;\n"                                     \
    "    __syncthreads();\n"                                                                       \
    "    if (wavefront == 0) {\n"                                                                  \
    "        v = lane < blockDim.x / warpSize ? partial[lane] : 0.0f;\n"                           \
    "        " DOWN "    }\n"                                                                      \
    "    if (threadIdx.x == 0) scale = v / n;\n"                                                   \
    "    __syncthreads();\n"
#define TREE                                                                                       \
    "__shared__ float kept[128];\n"                                                                \
    "    kept[threadIdx.x] = v;\n"                                                                 \
    "    __syncthreads();\n"                                                                       \
    "    for (int half = 64; half > 0; half /= 2) {\n"                                             \
    "        if (threadIdx.x < half) kept[threadIdx.x] += kept[threadIdx.x + half];\n"             \
    "        __syncthreads();\n"                                                                   \
    "    }\n"                                                                                      \
    "    const float scale = kept[0] / n;\n"

/* A row of `rows` for each block; `row` is its number, `more` stands in the second loop. */
static char *source_of(const char *row, const char *reduce, const char *more, const char *grid) {
    return ht_format(HEAD
                     "__global__ void k(const float *in, float *out, int n) {\n"
                     "    const int row = %s;\n"
                     "    float v = 0.0f;\n"
                     "    for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[row * n + i];\n"
                     "    %s"
                     "    for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
                     "        out[row * n + i] = in[row * n + i] * scale%s;\n"
                     "}\n"
                     "void run(const float *in, float *out, int rows, int n) {\n"
                     "    k<<<%s, 128>>>(in, out, n);\n"
                     "}\n",
                     row, reduce, more, grid);
}

static void expect_rows(const char *reduce, const char *const *configs) {
    char *text = source_of("blockIdx.x", reduce, "", "rows");
    subject of = subject_open(text, problem, "k");
    cr_assert(ht_template_param(of.kernel->template, "ROWS"), "%s", text);
    expect_equal(&of, "k", configs);
    subject_close(&of);
    free(text);
}

Test(block_rows, each_row_of_a_block_is_reduced_by_itself) {
    expect_rows(SHUFFLES, (const char *const[]){"ROWS=2", "ROWS=8 BLOCK_X=64 VECTOR_STRIDE=4",
                                                "ROWS=4 BLOCK_X=64 KEEP=2", NULL});
    expect_rows(TREE, (const char *const[]){"ROWS=4", "ROWS=2 VECTOR_STRIDE=2", NULL});
}

static bool joins(const char *row, const char *reduce, const char *more, const char *grid) {
    char *text = source_of(row, reduce, more, grid);
    bool has = has_parameter(text, problem, "ROWS");
    free(text);
    return has;
}

Test(block_rows, a_block_keeps_one_row_where_rows_have_more_in_common) {
    cr_expect(joins("blockIdx.x", SHUFFLES, "", "rows"));
    cr_expect_not(joins("blockIdx.x", SHUFFLES, " + gridDim.x", "rows"));
    cr_expect_not(joins("blockIdx.x", SHUFFLES, " + blockIdx.x", "rows"), "not in a declaration");
    cr_expect_not(joins("blockIdx.x + blockIdx.y", SHUFFLES, "", "rows"));
    cr_expect_not(joins("blockIdx.x + threadIdx.y", SHUFFLES, "", "rows"));
    cr_expect_not(joins("blockIdx.x", SHUFFLES, "", "dim3(rows, 2)"));
    cr_expect_not(joins("blockIdx.x;\n    if (in[row * n] < 0) return", SHUFFLES, "", "rows"),
                  "rows reach other barriers");
}

Test(block_rows, a_row_has_whole_wavefronts_and_the_grid_is_a_multiple) {
    char *text = source_of("blockIdx.x", SHUFFLES, "", "rows");
    subject of = subject_open(text, problem, "k");
    cr_expect(is_legal(&of, "k", "ROWS=8 BLOCK_X=64"));
    cr_expect_not(is_legal(&of, "k", "ROWS=2 BLOCK_X=32"));
    cr_expect_not(is_legal(&of, "k", "ROWS=2 REDUCE=1"));
    expect_pieces(&of, "ROWS=4 BLOCK_X=64",
                  (const char *const[]){"const int row = blockIdx.x * blockDim.y + threadIdx.y;",
                                        "    __shared__ float partial_of_rows[", "][32];\n",
                                        "    float (&partial)[32] = partial_of_rows[threadIdx.y];",
                                        "    float &scale = scale_of_rows[threadIdx.y];", "rows % ",
                                        " == 0 ? rows / ", " : rows", "dim3(64, rows % ", " : 1)",
                                        NULL});
    char *same = apply_config(&of, "");
    cr_expect_str_eq(same, text);
    free(same);
    subject_close(&of);
    free(text);
}
