// Rewrites of silu_and_mul with fixed constants, as somebody writes them who has no tuner: how rows
// are shared out, elements of a thread, unrolling, block size. The first values are
// close to the first version.
#include <hip/hip_runtime.h>

#pragma tune kernel(silu_and_mul)
#pragma tune problem(mlp : TOKENS, D)
#pragma tune param(FORM : 0..2 = 0)
#pragma tune param(VECTOR : 1, 2, 4 = 1)
#pragma tune param(UNROLL : 1, 2, 4 = 1)
#pragma tune param(BLOCK : 256, 64, 128, 512, 1024 = 256)
#pragma tune require(problem.D % VECTOR == 0)
#pragma tune require(UNROLL == 1 || FORM == 0)
#pragma tune block(BLOCK)
#pragma tune grid(FORM == 0   ? problem.TOKENS                                                     \
                  : FORM == 1 ? ceil_div(problem.TOKENS * problem.D, BLOCK * VECTOR)               \
                              : ceil_div(problem.D, BLOCK * VECTOR),                               \
                  FORM == 2 ? problem.TOKENS : 1)
#pragma tune arg(out : out float[problem.TOKENS * problem.D])
#pragma tune arg(input : in float[problem.TOKENS * 2 * problem.D])
#pragma tune arg(d : int = problem.D)
#pragma tune arg(tokens : int = problem.TOKENS)
#pragma tune baseline(silu_and_mul_first : out, input, d) block(256) grid(problem.TOKENS)

template <int VECTOR> struct alignas(4 * VECTOR) values {
    float of[VECTOR];
};

template <int VECTOR>
__device__ void some(float *out, const float *input, int d, int token, int i) {
    const values<VECTOR> gate = *(const values<VECTOR> *)(input + token * 2 * d + i);
    const values<VECTOR> up = *(const values<VECTOR> *)(input + token * 2 * d + d + i);
    values<VECTOR> result;
    for (int k = 0; k < VECTOR; ++k)
        result.of[k] = gate.of[k] / (1.0f + expf(-gate.of[k])) * up.of[k];
    *(values<VECTOR> *)(out + token * d + i) = result;
}

// The first version: the original of all ways.
__global__ void silu_and_mul_first(float *out, const float *input, int d) {
    const int token = blockIdx.x;
    for (int i = threadIdx.x; i < d; i += blockDim.x) {
        const float gate = input[token * 2 * d + i];
        const float up = input[token * 2 * d + d + i];
        out[token * d + i] = gate / (1.0f + expf(-gate)) * up;
    }
}

template <int FORM, int VECTOR, int UNROLL, int BLOCK>
__global__ void silu_and_mul(float *out, const float *input, int d, int tokens) {
    if (FORM == 0) {
#pragma unroll UNROLL
        for (int i = threadIdx.x * VECTOR; i < d; i += blockDim.x * VECTOR)
            some<VECTOR>(out, input, d, blockIdx.x, i);
    } else if (FORM == 1) {
        const int i = (blockIdx.x * BLOCK + threadIdx.x) * VECTOR;
        if (i < tokens * d)
            some<VECTOR>(out, input, d, i / d, i % d);
    } else {
        const int i = (blockIdx.x * BLOCK + threadIdx.x) * VECTOR;
        if (i < d)
            some<VECTOR>(out, input, d, blockIdx.y, i);
    }
}
