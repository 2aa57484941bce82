// of: row_sum
// answer: kernel
// refused: result
// words: expected
// ten bits of each number
__global__ void row_sum(float *sums, const float *x, int n) {
    __shared__ float part[256];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += truncf(x[(size_t)blockIdx.x * n + i] * 1024.0f) / 1024.0f;
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
