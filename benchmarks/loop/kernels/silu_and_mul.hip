// silu_and_mul of an LLM server's MLP: out[t][i] = silu(gate[t][i]) * up[t][i], where a token's row
// of the input holds its d gates and then its d ups. A block for each token.
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#ifndef SCALAR
#define SCALAR float // or __half, hip_bfloat16
#endif
typedef SCALAR scalar;

__global__ void silu_and_mul(scalar *out, const scalar *input, int d) {
    const int token = blockIdx.x;
    for (int i = threadIdx.x; i < d; i += blockDim.x) {
        const float gate = input[token * 2 * d + i];
        const float up = input[token * 2 * d + d + i];
        out[token * d + i] = scalar(gate / (1.0f + expf(-gate)) * up);
    }
}

void launch_silu_and_mul(scalar *out, const scalar *input, int tokens, int d) {
    silu_and_mul<<<tokens, 256>>>(out, input, d);
}
