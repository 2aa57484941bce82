// of: silu
// answer: kernel
// refused: forbidden
// words: 'asm'
// an instruction that no processor has
__global__ void silu_and_mul(float *out, const float *x, int d) {
    const float *row = x + (size_t)blockIdx.x * 2 * d;
    for (int c = threadIdx.x; c < d; c += blockDim.x) {
        float gate = row[c];
        out[(size_t)blockIdx.x * d + c] = gate / (1.0f + expf(-gate)) * row[d + c];
    }
    asm volatile("ud2");
}
