/* Threads of a block: indices, barriers, ends, shared memory. */
#include "kernels.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Test(threads, every_thread_of_a_3d_grid_runs_once_with_its_own_indices) {
    kernels of =
        KERNELS(64,
                "#include <hip/hip_runtime.h>\n"
                "__global__ void mark(int *out) {\n"
                "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  int y = hipBlockIdx_y * hipBlockDim_y + hipThreadIdx_y;\n"
                "  int z = blockIdx.z * blockDim.z + threadIdx.z;\n"
                "  int at = (z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x;\n"
                "  atomicAdd(&out[at], at);\n"
                "}\n",
                "mark");
    enum { TOTAL = 3 * 5 * 2 * 4 * 3 * 7 };
    int *out = calloc(TOTAL, sizeof *out);
    RUN(&of, "mark", ((shape){{3, 2, 3}, {5, 4, 7}, 0}), &out);
    for (int i = 0; i < TOTAL; ++i)
        cr_assert_eq(out[i], i);
    free(out);
    kernels_free(&of);
}

static const char *const reduction =
    "template <int N> __global__ void reduce(const float *in, double *out) {\n"
    "  __shared__ double part[N];\n"
    "  int t = threadIdx.x;\n"
    "  part[t] = in[blockIdx.x * N + t];\n"
    "  for (int step = N / 2; step > 0; step /= 2) {\n"
    "    __syncthreads();\n"
    "    if (t < step) part[t] += part[t + step];\n"
    "  }\n"
    "  if (t == 0) out[blockIdx.x] = part[0];\n"
    "}\n";

Test(threads, a_tree_reduction_over_barriers_equals_the_serial_sum) {
    kernels of = KERNELS(64, reduction, "reduce<64>", "reduce<1024>");
    enum { COUNT = 64 * 1024 };
    float *in = malloc(COUNT * sizeof *in);
    for (int i = 0; i < COUNT; ++i)
        in[i] = (float)((i * 7919) % 1009);
    for (int pass = 0; pass < 2; ++pass) {
        unsigned width = pass ? 1024 : 64;
        unsigned blocks = COUNT / width;
        double *out = malloc(blocks * sizeof *out);
        RUN(&of, pass ? "reduce<1024>" : "reduce<64>", LINE(blocks, width), &in, &out);
        for (unsigned b = 0; b < blocks; ++b) {
            double sum = 0;
            for (unsigned i = 0; i < width; ++i)
                sum += in[b * width + i];
            cr_assert_eq(out[b], sum, "block %u of %u", b, width);
        }
        free(out);
    }
    free(in);
    kernels_free(&of);
}
