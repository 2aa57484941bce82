/* Configurations whose code no compiler ends with are no choice; the original always is. */
#include "subject.h"

#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Returns a window of constant size. */
static char *window(int rows, int columns) {
    return ht_format(
        HEAD "__global__ void window(const float *in, float *out, int W, int H) {\n"
             "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
             "    if (x >= W || y >= H)\n"
             "        return;\n"
             "    float sum = 0.0f;\n"
             "    for (int r = 0; r < %d; ++r)\n"
             "        for (int s = 0; s < %d; ++s)\n"
             "            sum += in[(y + r) * (W + %d) + x + s];\n"
             "    out[y * W + x] = sum;\n"
             "}\n"
             "void run(const float *in, float *out, int W, int H) {\n"
             "    window<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16)>>>(in, out, W, H);\n"
             "}\n",
        rows, columns, columns);
}

static char *problem(int rows, int columns) {
    return ht_format(
        "{\"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [{\"kernel\": "
        "\"window\", \"problem\": \"image : W, H\", \"args\": [\"in : in float[(problem.H + %d) "
        "* (problem.W + %d)]\", \"out : out float[problem.W * problem.H]\", \"W : int = "
        "problem.W\", \"H : int = problem.H\"], \"instances\": [{\"name\": \"odd\", \"fields\": "
        "{\"W\": 77, \"H\": 43}}]}]}",
        rows, columns);
}

static void expect_legal(int rows, int columns, const char *config, bool legal) {
    char *text = window(rows, columns), *sizes = problem(rows, columns);
    subject of = subject_open(text, sizes, "window");
    cr_expect_eq(is_legal(&of, "window", config), legal, "%d x %d: %s", rows, columns, config);
    subject_close(&of);
    free(text);
    free(sizes);
}

Test(growth, outputs_times_window_are_limited) {
    expect_legal(7, 7, "TILED=true COARSEN_X=4 COARSEN_Y=4", true);            /* 784 accesses */
    expect_legal(7, 7, "TILED=true COARSEN_X=8 COARSEN_Y=4", false);           /* 1568 */
    expect_legal(7, 7, "TILED=true COARSEN_X=8 COARSEN_Y=4 UNROLL_R=1", true); /* 224 */
    expect_legal(3, 3, "TILED=true COARSEN_X=8 COARSEN_Y=4", true);            /* 288 */
}

Test(growth, what_the_original_does_is_legal_however_much_it_is) {
    expect_legal(40, 60, "", true);
    expect_legal(40, 60, "COARSEN_X=2", false);
    expect_legal(40, 60, "COARSEN_X=2 UNROLL_R=1", true);
}
