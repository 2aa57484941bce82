// of: silu
// answer: kernel
// refused: skipped
// words: leaves outputs out
// every other output alone
__global__ void silu_and_mul(float *out, const float *x, int d) {
    const float *row = x + (size_t)blockIdx.x * 2 * d;
    for (int c = threadIdx.x; c < d; c += blockDim.x) {
        float gate = row[c];
        if (c % 2 == 0)
            out[(size_t)blockIdx.x * d + c] = gate / (1.0f + expf(-gate)) * row[d + c];
    }
}
