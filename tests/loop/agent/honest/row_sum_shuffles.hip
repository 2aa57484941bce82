// of: row_sum
// answer: kernel
// refused: accepted
// words: 
// a sum by shuffles
__device__ inline float wave_sum(float v) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down(v, offset);
    return v;
}

__global__ void row_sum(float *sums, const float *x, int n) {
    __shared__ float part[8];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[(size_t)blockIdx.x * n + i];
    sum = wave_sum(sum);
    if (threadIdx.x % warpSize == 0)
        part[threadIdx.x / warpSize] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0.0f;
        for (int i = 0; i < (int)(blockDim.x / warpSize); ++i)
            all += part[i];
        sums[blockIdx.x] = all;
    }
}
