/* How tiled kernels number their tiles: products with the block's constant, and ranges that are
 * gone over tile by tile. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Returns c = a * b, by tiles; `start` are the loop over k and the tiles' first elements. */
static char *product(const char *start) {
    return ht_format(HEAD
                     "template <int EDGE>\n"
                     "__global__ void k(const float *a, const float *b, float *c, int inner) {\n"
                     "    __shared__ float left[EDGE][EDGE], right[EDGE][EDGE];\n"
                     "    int column = blockIdx.x, row = blockIdx.y;\n"
                     "    int x = threadIdx.x, y = threadIdx.y;\n"
                     "    const int width = gridDim.x * blockDim.x;\n"
                     "    float sum = 0.0f;\n"
                     "%s"
                     "        left[y][x] = a[p + inner * y + x];\n"
                     "        right[y][x] = b[q + width * y + x];\n"
                     "        __syncthreads();\n"
                     "        for (int i = 0; i < EDGE; ++i)\n"
                     "            sum += left[y][i] * right[i][x];\n"
                     "        __syncthreads();\n"
                     "    }\n"
                     "    c[width * EDGE * row + EDGE * column + width * y + x] = sum;\n"
                     "}\n"
                     "void run(const float *a, const float *b, float *c, int h, int w, int n) {\n"
                     "    constexpr int edge = 16;\n"
                     "    k<edge><<<dim3(w / edge, h / edge), dim3(edge, edge)>>>(a, b, c, n);\n"
                     "}\n",
                     start);
}

static const char *const by_count =
    "    for (int t = 0; t < inner / EDGE; ++t) {\n"
    "        const int p = EDGE * (inner * row + t), q = EDGE * (width * t + column);\n";
static const char *const by_steps =
    "    int first = inner * EDGE * row, last = first + inner - 1;\n"
    "    for (int p = first, q = EDGE * column; p <= last; p += EDGE, q += EDGE * width) {\n";

static char *product_problem(int inner) {
    return ht_format(
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": "
        "\"k\", \"problem\": \"product : h, w, n\", \"args\": ["
        "\"a : in float[problem.h * (problem.n + 16)]\", "
        "\"b : in float[(problem.n + 16) * problem.w]\", "
        "\"c : out float[problem.h * problem.w]\", \"inner : int = problem.n\"], "
        "\"instances\": [{\"fields\": {\"h\": 32, \"w\": 48, \"n\": %d}}]}]}",
        inner);
}

static void expect_product(const char *start) {
    char *text = product(start), *whole = product_problem(64), *odd = product_problem(43);
    subject of = subject_open(text, whole, "k");
    cr_assert(ht_template_param(of.kernel->template, "EDGE"));
    expect_equal(&of, "k", (const char *const[]){"", "EDGE=8", "EDGE=4", NULL});
    subject_close(&of);
    of = subject_open(text, odd, "k");
    cr_expect(is_legal(&of, "k", "EDGE=16"));
    cr_expect_not(is_legal(&of, "k", "EDGE=8"), "another tile takes another rest: %s", start);
    subject_close(&of);
    free(text);
    free(whole);
    free(odd);
}

Test(tile_index, tiles_are_numbered_by_any_product_with_the_block) {
    expect_product(by_count);
}

Test(tile_index, a_range_is_gone_over_in_steps_of_the_block) {
    expect_product(by_steps);
}

static bool line_is_free(const char *origin) {
    static const char *const problem =
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
        "\"problem\": \"line : n\", \"args\": [\"in : in float[problem.n]\", "
        "\"out : out float[problem.n]\", \"n : int = problem.n\"], "
        "\"instances\": [{\"fields\": {\"n\": 4096}}]}]}";
    char *text = ht_format(HEAD "#define TILE 16\n"
                                "__global__ void k(const float *in, float *out, int n) {\n"
                                "    __shared__ float row[TILE];\n"
                                "    row[threadIdx.x] = 0;\n"
                                "    __syncthreads();\n"
                                "    int i = %s + threadIdx.x;\n"
                                "    if (i < n) out[i] = in[i] + row[threadIdx.x];\n"
                                "}\n"
                                "void run(const float *in, float *out, int n) {\n"
                                "    k<<<(n + TILE - 1) / TILE, TILE>>>(in, out, n);\n"
                                "}\n",
                           origin);
    bool is = has_parameter(text, problem, "TILE");
    free(text);
    return is;
}

/* A block that is twice as large must cover twice as much. */
Test(tile_index, other_numbers_of_blocks_keep_the_block) {
    cr_expect(line_is_free("TILE * blockIdx.x"));
    cr_expect(line_is_free("(blockIdx.x * 1 + 0) * TILE"));
    static const char *const tied[] = {
        "blockIdx.x * TILE * TILE",       "blockIdx.x * TILE * (TILE + 1)",
        "(blockIdx.x * TILE + 0) * TILE", "blockIdx.x * 5",
        "blockIdx.x * TILE + gridDim.x",  "0",
        "blockIdx.x * blockDim.x * TILE", "(blockIdx.x / 2) * TILE",
        "blockIdx.x * TILE + blockIdx.x"};
    for (size_t i = 0; i < sizeof tied / sizeof *tied; ++i)
        cr_expect_not(line_is_free(tied[i]), "%s", tied[i]);
}

/* Returns a block of 8 rows of 16 next to a constant of 4 or 8 that is called `name`: each row goes
 * over a few tiles, with one tile on either side. */
static char *rows(const char *name) {
    return ht_format(HEAD "#define COLUMNS 16\n"
                          "#define ROWS 4\n"
                          "#define %s 8\n"
                          "#define STEPS 3\n"
                          "__global__ void k(const float *in, float *out, int n) {\n"
                          "    __shared__ float part[ROWS][(STEPS + 2) * COLUMNS];\n"
                          "    const int x = threadIdx.x, y = threadIdx.y;\n"
                          "    const int first = (blockIdx.x * STEPS - 1) * COLUMNS + x;\n"
                          "    const float *from = in + (blockIdx.y * ROWS + y) * n + first;\n"
                          "    float *to = out + (blockIdx.y * ROWS + y) * n + first;\n"
                          "    for (int i = 0; i < STEPS + 2; ++i)\n"
                          "        part[y][x + i * COLUMNS] = first + i * COLUMNS >= 0 && "
                          "first + i * COLUMNS < n ? from[i * COLUMNS] : 0.0f;\n"
                          "    __syncthreads();\n"
                          "    for (int i = 1; i <= STEPS; ++i) {\n"
                          "        float sum = 0.0f;\n"
                          "        for (int j = -%s; j <= %s; ++j)\n"
                          "            sum += part[y][x + i * COLUMNS + j];\n"
                          "        to[i * COLUMNS] = sum;\n"
                          "    }\n"
                          "}\n"
                          "void run(const float *in, float *out, int n, int h) {\n"
                          "    k<<<dim3(n / STEPS / COLUMNS, h / ROWS), dim3(COLUMNS, ROWS)>>>(in, "
                          "out, n);\n"
                          "}\n",
                     name, name, name);
}

static const char *const rows_problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"rows : n, h\", \"args\": [\"in : in float[problem.n * problem.h]\", "
    "\"out : out float[problem.n * problem.h]\", \"n : int = problem.n\"], "
    "\"instances\": [{\"fields\": {\"n\": 96, \"h\": 16}}]}]}";

Test(tile_index, a_radius_is_no_block_in_disguise) {
    char *text = rows("MASK_RADIUS");
    subject of = subject_open(text, rows_problem, "k");
    cr_assert(ht_template_param(of.kernel->template, "ROWS"));
    expect_equal(&of, "k", (const char *const[]){"", "ROWS=2", NULL});
    cr_expect_not(is_legal(&of, "k", "ROWS=8"), "rows are not bounded");
    cr_expect_not(is_legal(&of, "k", "COLUMNS=32"), "nor columns, and smaller ones lack the halo");
    subject_close(&of);
    free(text);
}

Test(tile_index, a_constant_without_a_meaning_may_be_one) {
    char *text = rows("PART");
    ht_problem_file *problems;
    ht_refactor *refactor = refactor_text(text, rows_problem, &problems);
    const ht_kernel *kernel = kernel_named(refactor, "k", NULL);
    cr_expect_not(kernel->template && ht_template_param(kernel->template, "ROWS"));
    ht_refactor_free(refactor);
    ht_problem_file_free(problems);
    free(text);
}
