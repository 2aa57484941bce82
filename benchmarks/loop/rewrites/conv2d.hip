// Rewrites of conv2d (one thread per output pixel) with fixed constants: outputs of a thread along
// the row, filters of a thread, a filter of 3 by 3 unrolled, block size. The first value of each is
// the original.
#include <hip/hip_runtime.h>

#pragma tune kernel(conv2d)
#pragma tune problem(conv2d)
#pragma tune param(OUT_X : 1, 2, 4 = 1)
#pragma tune param(OUT_K : 1, 2, 4, 8 = 1)
#pragma tune param(FIXED : false, true = false)
#pragma tune param(BLOCK_X : 16, 8, 32, 64 = 16)
#pragma tune param(BLOCK_Y : 16, 1, 2, 4, 8 = 16)
#pragma tune require(BLOCK_X * BLOCK_Y >= 32 && BLOCK_X * BLOCK_Y <= 1024)
#pragma tune require(problem.K % OUT_K == 0)
#pragma tune require(!FIXED || problem.R == 3 && problem.S == 3)
#pragma tune block(BLOCK_X, BLOCK_Y)
#pragma tune grid(ceil_div(problem.Q, BLOCK_X * OUT_X), ceil_div(problem.P, BLOCK_Y),              \
                  problem.N * problem.K / OUT_K)
#pragma tune arg(x : in float[problem.N * problem.C * problem.H * problem.W])
#pragma tune arg(w : in float[problem.K * problem.C * problem.R * problem.S])
#pragma tune arg(y : out float[problem.N * problem.K * problem.P * problem.Q])
#pragma tune arg(C : int = problem.C)
#pragma tune arg(H : int = problem.H)
#pragma tune arg(W : int = problem.W)
#pragma tune arg(K : int = problem.K)
#pragma tune arg(R : int = problem.R)
#pragma tune arg(S : int = problem.S)

template <int OUT_X, int OUT_K, bool FIXED, int BLOCK_X, int BLOCK_Y>
__global__ void conv2d(const float *x, const float *w, float *y, int C, int H, int W, int K, int R,
                       int S) {
    const int height = FIXED ? 3 : R, width = FIXED ? 3 : S;
    const int OH = H - height + 1, OW = W - width + 1;
    const int ow = blockIdx.x * BLOCK_X * OUT_X + threadIdx.x;
    const int oh = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int k = blockIdx.z % (K / OUT_K) * OUT_K;
    const int n = blockIdx.z / (K / OUT_K);
    if (ow >= OW || oh >= OH)
        return;
    float sum[OUT_K][OUT_X] = {};
    for (int c = 0; c < C; c++)
        for (int r = 0; r < height; r++)
            for (int s = 0; s < width; s++)
                for (int o = 0; o < OUT_X; o++) {
                    const int at = min(ow + o * BLOCK_X, OW - 1);
                    const float v = x[((n * C + c) * H + oh + r) * W + at + s];
                    for (int f = 0; f < OUT_K; f++)
                        sum[f][o] += v * w[(((k + f) * C + c) * height + r) * width + s];
                }
    for (int f = 0; f < OUT_K; f++)
        for (int o = 0; o < OUT_X; o++)
            if (ow + o * BLOCK_X < OW)
                y[((n * K + k + f) * OH + oh) * OW + ow + o * BLOCK_X] = sum[f][o];
}
