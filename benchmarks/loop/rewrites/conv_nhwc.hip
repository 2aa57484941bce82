// Rewrites of ConvNHWC with fixed constants: neighbouring filters of a thread as one vector, columns
// of a thread, a filter of 3 by 3 unrolled, block size. The first value of each is the original.
#include <hip/hip_runtime.h>

#pragma tune kernel(ConvNHWC)
#pragma tune problem(conv2d)
#pragma tune param(OUT_K : 1, 2, 4 = 1)
#pragma tune param(OUT_Q : 1, 2, 4, 8 = 1)
#pragma tune param(FIXED : false, true = false)
#pragma tune param(BLOCK : 64, 16, 32, 128, 256 = 64)
#pragma tune require(problem.K % OUT_K == 0)
#pragma tune require(!FIXED || problem.R == 3 && problem.S == 3)
#pragma tune block(BLOCK)
#pragma tune grid(ceil_div(problem.K, BLOCK * OUT_K), ceil_div(problem.Q, OUT_Q),                  \
                  problem.N * problem.P)
#pragma tune arg(in : in float[problem.N * problem.C * problem.H * problem.W])
#pragma tune arg(flt : in float[problem.K * problem.C * problem.R * problem.S])
#pragma tune arg(out : out float[problem.N * problem.K * problem.P * problem.Q])
#pragma tune arg(H : int = problem.H)
#pragma tune arg(W : int = problem.W)
#pragma tune arg(C : int = problem.C)
#pragma tune arg(K : int = problem.K)
#pragma tune arg(R : int = problem.R)
#pragma tune arg(S : int = problem.S)
#pragma tune arg(P : int = problem.P)
#pragma tune arg(Q : int = problem.Q)
#pragma tune arg(pad : int = problem.pad_h)
#pragma tune arg(stride : int = problem.stride_h)

template <int COUNT> struct alignas(4 * COUNT) values {
    float of[COUNT];
};

template <int OUT_K, int OUT_Q, bool FIXED, int BLOCK>
__global__ void ConvNHWC(const float *in, const float *flt, float *out, int H, int W, int C, int K,
                         int R, int S, int P, int Q, int pad, int stride) {
    const int height = FIXED ? 3 : R, width = FIXED ? 3 : S;
    const int k = (blockIdx.x * BLOCK + threadIdx.x) * OUT_K;
    const int first = blockIdx.y * OUT_Q;
    const int p = blockIdx.z % P, n = blockIdx.z / P;
    if (k >= K)
        return;
    values<OUT_K> sum[OUT_Q] = {};
    for (int r = 0; r < height; ++r) {
        const int h = p * stride - pad + r;
        if (h < 0 || h >= H)
            continue;
        for (int s = 0; s < width; ++s)
            for (int c = 0; c < C; ++c) {
                const values<OUT_K> weight =
                    *(const values<OUT_K> *)(flt + ((r * width + s) * C + c) * K + k);
                for (int o = 0; o < OUT_Q; ++o) {
                    const int w = (first + o) * stride - pad + s;
                    const float value = w >= 0 && w < W ? in[((n * H + h) * W + w) * C + c] : 0.0f;
                    for (int f = 0; f < OUT_K; ++f)
                        sum[o].of[f] += value * weight.of[f];
                }
            }
    }
    for (int o = 0; o < OUT_Q; ++o)
        if (first + o < Q)
            *(values<OUT_K> *)(out + ((n * P + p) * Q + first + o) * K + k) = sum[o];
}
