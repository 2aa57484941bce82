// of: silu
// answer: template
// refused: problem
// words: arg(x)
// a template whose input is zero
#include <hip/hip_runtime.h>

#pragma tune kernel(silu_and_mul)
#pragma tune problem(silu : rows, d)
#pragma tune param(BLOCK : 64, 128, 256, 512 = 256)
#pragma tune block(BLOCK) grid(problem.rows)
#pragma tune arg(out : out float[problem.rows * problem.d])
#pragma tune arg(x : in float[problem.rows * problem.d * 2] zero)
#pragma tune arg(d : int = problem.d)
template <int BLOCK> __global__ void silu_and_mul(float *out, const float *x, int d) {
    const float *row = x + (size_t)blockIdx.x * 2 * d;
    for (int c = threadIdx.x; c < d; c += BLOCK) {
        float gate = row[c];
        out[(size_t)blockIdx.x * d + c] = 0.0f;
    }
}
