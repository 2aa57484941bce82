// of: silu
// answer: source
// refused: accepted
// words: 
// another block, in the launch too
#include <hip/hip_runtime.h>

__global__ void silu_and_mul(float *out, const float *x, int d) {
    const float *row = x + (size_t)blockIdx.x * 2 * d;
    for (int c = threadIdx.x; c < d; c += blockDim.x) {
        float gate = row[c];
        out[(size_t)blockIdx.x * d + c] = row[d + c] * gate / (1.0f + expf(-gate));
    }
}

void run_silu(float *out, const float *x, int rows, int d, hipStream_t stream) {
    silu_and_mul<<<rows, 512, 0, stream>>>(out, x, d);
}
