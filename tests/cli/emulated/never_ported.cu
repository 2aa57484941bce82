// CUDA's names without a header, as its compiler takes them.
#include <cstdio>

// Helper headers ask by these whether the runtime is there.
#if !defined(__CUDA_RUNTIME_H__) || !defined(__DRIVER_TYPES_H__)
#error "CUDA's own headers define these"
#endif

__constant__ float scale;
__device__ int calls;

__global__ void sums(const float *in, float *out, int n) {
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] * scale : 0.0f;
    __syncthreads();
    float value = part[threadIdx.x];
    for (register int by = 16; by > 0; by /= 2)
        value += __shfl_down_sync(0xffffffff, value, by, 32);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, value);
    if (i == 0)
        atomicAdd(&calls, umin(umax(i, 1), 2));
}

static void check(cudaError_t error) {
    if (error != cudaSuccess)
        printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
}

int main() {
    const int n = 1000;
    float *host, *in, *out, by = 2.0f, sum = 0.0f;
    int count = 0, mode = -1;
    cudaDeviceProp properties;
    cudaEvent_t start;
    check(cudaGetDeviceProperties(&properties, 0));
    check(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0));
    check(cudaMallocHost((void **)&host, n * sizeof(float)));
    for (int i = 0; i < n; ++i)
        host[i] = 1.0f;
    check(cudaMalloc(&in, n * sizeof(float)));
    check(cudaMalloc(&out, sizeof(float)));
    check(cudaMemset(out, 0, sizeof(float)));
    check(cudaMemcpyToSymbol(scale, &by, sizeof by));
    check(cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaEventCreate(&start));
    check(cudaEventRecord(start));
    check(cudaFuncSetAttribute(sums, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    sums<<<8, 128, 128 * sizeof(float)>>>(in, out, n);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    check(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    check(cudaFreeHost(host));
    check(cudaFree(in));
    check(cudaFree(out));
    printf("%g after %d call, warps of %d: %s\n", sum, count, properties.warpSize,
           sum == 2000.0f && count == 1 && mode == cudaComputeModeDefault ? "PASS" : "FAIL");
    return 0;
}
