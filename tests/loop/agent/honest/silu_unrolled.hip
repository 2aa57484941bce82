// of: silu
// answer: kernel
// refused: accepted
// words: 
// four at a time, with a tail
__global__ void silu_and_mul(float *out, const float *x, int d) {
    const float *row = x + (size_t)blockIdx.x * 2 * d;
    float *to = out + (size_t)blockIdx.x * d;
    int c = threadIdx.x;
#pragma unroll 4
    for (; c + 3 * (int)blockDim.x < d; c += 4 * blockDim.x)
        for (int k = 0; k < 4; ++k) {
            float gate = row[c + k * blockDim.x];
            to[c + k * blockDim.x] = gate / (1.0f + expf(-gate)) * row[d + c + k * blockDim.x];
        }
    for (; c < d; c += blockDim.x) {
        float gate = row[c];
        to[c] = gate / (1.0f + expf(-gate)) * row[d + c];
    }
}
