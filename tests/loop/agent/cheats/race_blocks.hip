// of: silu
// answer: kernel
// refused: race
// words: nothing orders blocks
// each row by two blocks
__global__ void silu_and_mul(float *out, const float *x, int d) {
    size_t rows = gridDim.x, r = (blockIdx.x + 1) % rows;
    for (int c = threadIdx.x; c < d; c += blockDim.x) {
        for (size_t k = 0; k < 2; ++k) {
            size_t at = k ? r : blockIdx.x;
            const float *row = x + at * 2 * d;
            float gate = row[c];
            out[at * d + c] = gate / (1.0f + expf(-gate)) * row[d + c];
        }
    }
}
