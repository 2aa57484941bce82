// of: silu
// answer: kernel
// refused: result
// words: expected
// a polynomial of low degree for the sigmoid
__global__ void silu_and_mul(float *out, const float *x, int d) {
    const float *row = x + (size_t)blockIdx.x * 2 * d;
    for (int c = threadIdx.x; c < d; c += blockDim.x) {
        float gate = row[c];
        out[(size_t)blockIdx.x * d + c] = gate * (0.5f + 0.25f * gate) * row[d + c];
    }
}
