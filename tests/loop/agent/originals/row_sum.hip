#include <hip/hip_runtime.h>

__global__ void row_sum(float *sums, const float *x, int n) {
    __shared__ float part[256];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[(size_t)blockIdx.x * n + i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if ((int)threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

void run_row_sum(float *sums, const float *x, int rows, int n, hipStream_t stream) {
    row_sum<<<rows, 256, 0, stream>>>(sums, x, n);
}
