// of: row_sum
// answer: kernel
// refused: race
// words: no barrier between
// threads add to one place without atomics
__global__ void row_sum(float *sums, const float *x, int n) {
    if (threadIdx.x == 0)
        sums[blockIdx.x] = 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[(size_t)blockIdx.x * n + i];
    sums[blockIdx.x] += sum;
}
