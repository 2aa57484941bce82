// of: row_sum
// answer: kernel
// refused: state
// words: outlives a launch
// sums of the first launch for ever
__global__ void row_sum(float *sums, const float *x, int n) {
    static __device__ float cache[4096];
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
    if (threadIdx.x == 0) {
        if (cache[blockIdx.x % 4096] == 0.0f)
            cache[blockIdx.x % 4096] = part[0];
        sums[blockIdx.x] = cache[blockIdx.x % 4096];
    }
}
