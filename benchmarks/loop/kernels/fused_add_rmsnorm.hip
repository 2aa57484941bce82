// fused_add_rmsnorm of an LLM server: residual += input; input = residual / rms(residual) * weight,
// row by row. A block for each token; wavefronts add up by shuffles, and the block through shared
// memory.
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#ifndef SCALAR
#define SCALAR float // or __half, hip_bfloat16
#endif
typedef SCALAR scalar;

__device__ float wavefront_sum(float v) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down(v, offset);
    return v;
}

__global__ void fused_add_rmsnorm(scalar *input, scalar *residual, const scalar *weight,
                                  float epsilon, int hidden) {
    __shared__ float partial[32];
    __shared__ float scale;
    const int token = blockIdx.x;
    const int lane = threadIdx.x % warpSize;
    const int wavefront = threadIdx.x / warpSize;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
        const float z = float(input[token * hidden + i]) + float(residual[token * hidden + i]);
        sum += z * z;
        residual[token * hidden + i] = scalar(z);
    }
    sum = wavefront_sum(sum);
    if (lane == 0)
        partial[wavefront] = sum;
    __syncthreads();
    if (wavefront == 0) {
        sum = lane < blockDim.x / warpSize ? partial[lane] : 0.0f;
        sum = wavefront_sum(sum);
    }
    if (threadIdx.x == 0)
        scale = rsqrtf(sum / hidden + epsilon);
    __syncthreads();
    for (int i = threadIdx.x; i < hidden; i += blockDim.x)
        input[token * hidden + i] =
            scalar(float(residual[token * hidden + i]) * scale * float(weight[i]));
}

void launch_fused_add_rmsnorm(scalar *input, scalar *residual, const scalar *weight,
                              float epsilon, int tokens, int hidden) {
    fused_add_rmsnorm<<<tokens, 256>>>(input, residual, weight, epsilon, hidden);
}
