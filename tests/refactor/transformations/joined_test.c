/* Blocks of the original, one for each channel, that the tiled form joins: the launch has fewer of
 * them where it says how many channels there are. */
#include "subject.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* 5 channels, which no tile divides, and 3 images: a block more or less is another image's. */
static const char *const problem =
    "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": \"k\", "
    "\"problem\": \"joined : N, K, n\", \"tolerance\": \"exact\", \"args\": ["
    "\"in : in float[problem.N * (problem.n + 2)]\", \"w : in float[problem.K * 3]\", "
    "\"out : out float[problem.N * problem.K * problem.n]\", \"n : int = problem.n\", "
    "\"K : int = problem.K\"], \"host\": {\"N\": \"problem.N\"}, "
    "\"instances\": [{\"fields\": {\"N\": 3, \"K\": 5, \"n\": 70}}, "
    "{\"fields\": {\"N\": 2, \"K\": 1, \"n\": 5}}, {\"fields\": {\"N\": 1, \"K\": 8, \"n\": "
    "3}}]}]}";

static char *channels(const char *first, const char *second, const char *planes) {
    return ht_format(HEAD "__global__ void k(const float *in, const float *w, float *out, int n, "
                          "int K) {\n"
                          "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    %s\n    %s\n"
                          "    if (i >= n) return;\n"
                          "    float sum = 0.0f;\n"
                          "    for (int t = 0; t < 3; ++t)\n"
                          "        sum += in[b * (n + 2) + i + t] * w[c * 3 + t];\n"
                          "    out[(b * K + c) * n + i] = sum;\n"
                          "}\n"
                          "void run(const float *in, const float *w, float *out, int N, int K, "
                          "int n) {\n"
                          "    k<<<dim3((n + 31) / 32, %s), 32>>>(in, w, out, n, K);\n"
                          "}\n",
                     first, second, planes);
}

#define CHANNEL "const int c = blockIdx.y % K;"
#define IMAGE "const int b = blockIdx.y / K;"

static void check(char *text, const char *const *pieces) {
    subject of = subject_open(text, problem, "k");
    cr_assert(applied(&of, "register-tile"), "%s", text);
    expect_equal(&of, "k",
                 (const char *const[]){"TILED=true TILE_C=2", "TILED=true TILE_C=4 COARSEN_X=2",
                                       "TILED=true TILE_C=8 EDGE_APART=true BLOCK_X=64", NULL});
    expect_pieces(&of, "TILED=true TILE_C=4", pieces);
    subject_close(&of);
    free(text);
}

#define TILES "((K + kCPerThread - 1) / kCPerThread)"

Test(joined, a_launch_has_as_many_blocks_as_tiles) {
    check(channels(CHANNEL, IMAGE, "N * K"),
          (const char *const[]){"c_tiles = (K + kCPerThread - 1) / kCPerThread;",
                                "c_first = blockIdx.y % c_tiles * kCPerThread;",
                                "b = blockIdx.y / c_tiles;", "min(c_first + tc, K - 1);", "c < K)",
                                "N * " TILES, NULL});
    check(channels(IMAGE, CHANNEL, "K * N"),
          (const char *const[]){"b = blockIdx.y / " TILES ";",
                                "c_first = blockIdx.y % c_tiles * kCPerThread;", TILES " * N",
                                NULL});
}

/* Then any grid does: of the blocks of a tile the first computes all. */
Test(joined, a_launch_that_does_not_say_how_many_keeps_its_blocks) {
    static const char *const kept[] = {"another block computes it", "N * K + 0", NULL};
    check(channels(CHANNEL, IMAGE, "N * K + 0"), kept);
}

/* A grid that another kernel is launched with stays as it is. */
Test(joined, another_kernels_grid_keeps_its_blocks) {
    char *text = channels(CHANNEL, IMAGE, "N * K");
    char *shared = ht_text_replaced(text, "    k<<<dim3((n + 31) / 32, N * K), 32>>>",
                                    "    const dim3 grid((n + 31) / 32, N * K);\n"
                                    "    other<<<grid, 32>>>(out);\n    k<<<grid, 32>>>");
    char *both = ht_text_replaced(shared, "__global__ void k(",
                                  "__global__ void other(float *out) {\n"
                                  "    out[blockIdx.y * gridDim.x + blockIdx.x] = 0.0f;\n}\n"
                                  "__global__ void k(");
    free(text);
    free(shared);
    subject of = subject_open(both, problem, "k");
    expect_pieces(&of, "TILED=true TILE_C=4",
                  (const char *const[]){"another block computes it", "grid((n + 31) / 32, N * K);",
                                        "other<<<grid, 32>>>(out);", NULL});
    subject_close(&of);
    free(both);
}
