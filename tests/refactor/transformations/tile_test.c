/* Constants that give a block, its arrays and loops: promoted with all that may derive from them,
 * or not at all. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

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
