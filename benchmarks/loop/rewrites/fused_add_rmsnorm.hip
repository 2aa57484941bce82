// Rewrites of fused_add_rmsnorm with fixed constants: the row read again or kept in LDS, a sum by
// shuffles or by a tree, elements of a thread, block size. The first values are close to the
// first version.
#include <hip/hip_runtime.h>

#pragma tune kernel(fused_add_rmsnorm)
#pragma tune problem(norm : TOKENS, HIDDEN)
#pragma tune param(KEPT : false, true = false)
#pragma tune param(TREE : false, true = false)
#pragma tune param(VECTOR : 1, 2, 4 = 1)
#pragma tune param(BLOCK : 256, 64, 128, 512, 1024 = 256)
#pragma tune require(problem.HIDDEN % VECTOR == 0)
#pragma tune require(!KEPT || problem.HIDDEN <= 8192)
#pragma tune block(BLOCK)
#pragma tune grid(problem.TOKENS)
#pragma tune lds(KEPT ? 4 * problem.HIDDEN : 0)
#pragma tune arg(input : inout float[problem.TOKENS * problem.HIDDEN])
#pragma tune arg(residual : inout float[problem.TOKENS * problem.HIDDEN])
#pragma tune arg(weight : in float[problem.HIDDEN])
#pragma tune arg(epsilon : float = 0.00001)
#pragma tune arg(hidden : int = problem.HIDDEN)
#pragma tune baseline(fused_add_rmsnorm_first : input, residual, weight, epsilon, hidden)          \
    block(256) grid(problem.TOKENS)

template <int VECTOR> struct alignas(4 * VECTOR) values {
    float of[VECTOR];
};

__device__ float wavefront_sum(float v) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down(v, offset);
    return v;
}

// Of a block; the first thread has it.
template <bool TREE, int BLOCK> __device__ float block_sum(float sum) {
    __shared__ float partial[TREE ? BLOCK : 32];
    if (TREE) {
        partial[threadIdx.x] = sum;
        __syncthreads();
        for (int width = BLOCK / 2; width > 0; width /= 2) {
            if (threadIdx.x < width)
                partial[threadIdx.x] += partial[threadIdx.x + width];
            __syncthreads();
        }
        return partial[0];
    }
    const int lane = threadIdx.x % warpSize;
    const int wavefront = threadIdx.x / warpSize;
    sum = wavefront_sum(sum);
    if (lane == 0)
        partial[wavefront] = sum;
    __syncthreads();
    if (wavefront == 0) {
        sum = lane < blockDim.x / warpSize ? partial[lane] : 0.0f;
        sum = wavefront_sum(sum);
    }
    return sum;
}

// The first version: the original of all ways.
__global__ void fused_add_rmsnorm_first(float *input, float *residual, const float *weight,
                                        float epsilon, int hidden) {
    __shared__ float partial[32];
    __shared__ float scale;
    const int token = blockIdx.x;
    const int lane = threadIdx.x % warpSize;
    const int wavefront = threadIdx.x / warpSize;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
        const float z = input[token * hidden + i] + residual[token * hidden + i];
        sum += z * z;
        residual[token * hidden + i] = z;
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
        input[token * hidden + i] = residual[token * hidden + i] * scale * weight[i];
}

template <bool KEPT, bool TREE, int VECTOR, int BLOCK>
__global__ void fused_add_rmsnorm(float *input, float *residual, const float *weight, float epsilon,
                                  int hidden) {
    extern __shared__ float kept[];
    __shared__ float scale;
    const int token = blockIdx.x;
    float sum = 0.0f;
    for (int i = threadIdx.x * VECTOR; i < hidden; i += BLOCK * VECTOR) {
        values<VECTOR> a = *(const values<VECTOR> *)(input + token * hidden + i);
        const values<VECTOR> b = *(const values<VECTOR> *)(residual + token * hidden + i);
        for (int k = 0; k < VECTOR; ++k) {
            a.of[k] += b.of[k];
            sum += a.of[k] * a.of[k];
        }
        *(values<VECTOR> *)(residual + token * hidden + i) = a;
        if (KEPT)
            *(values<VECTOR> *)(kept + i) = a;
    }
    sum = block_sum<TREE, BLOCK>(sum);
    if (threadIdx.x == 0)
        scale = rsqrtf(sum / hidden + epsilon);
    __syncthreads();
    for (int i = threadIdx.x * VECTOR; i < hidden; i += BLOCK * VECTOR) {
        const float *from = KEPT ? kept + i : residual + token * hidden + i;
        values<VECTOR> a = *(const values<VECTOR> *)from;
        const values<VECTOR> w = *(const values<VECTOR> *)(weight + i);
        for (int k = 0; k < VECTOR; ++k)
            a.of[k] = a.of[k] * scale * w.of[k];
        *(values<VECTOR> *)(input + token * hidden + i) = a;
    }
}
