// of: row_sum
// answer: kernel
// refused: crash
// words: stack
// recurs for ever
__device__ float deeper(const float *x, int n, int depth) {
    volatile float kept[64];
    kept[depth % 64] = x[depth % n];
    return kept[depth % 64] + deeper(x, n, depth + 1);
}
__global__ void row_sum(float *sums, const float *x, int n) {
    sums[blockIdx.x] = deeper(x, n, 0);
}
