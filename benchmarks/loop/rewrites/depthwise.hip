// Rewrites of DepthwiseConv3x3 with fixed constants: outputs of a thread along either axis, the
// inside without tests of the edge, block size. The first value of each is the original.
#include <hip/hip_runtime.h>

#pragma tune kernel(DepthwiseConv3x3)
#pragma tune problem(conv2d)
#pragma tune param(OUT_X : 1, 2, 4 = 1)
#pragma tune param(OUT_Y : 1, 2, 4 = 1)
#pragma tune param(INSIDE : false, true = false)
#pragma tune param(BLOCK_X : 32, 8, 16, 64 = 32)
#pragma tune param(BLOCK_Y : 8, 1, 2, 4, 16 = 8)
#pragma tune require(BLOCK_X * BLOCK_Y >= 32)
#pragma tune block(BLOCK_X, BLOCK_Y)
#pragma tune grid(ceil_div(problem.Q, BLOCK_X * OUT_X), ceil_div(problem.P, BLOCK_Y * OUT_Y),      \
                  problem.N * problem.C)
#pragma tune arg(input : in float[problem.N * problem.C * problem.H * problem.W])
#pragma tune arg(filter : in float[problem.K * 9])
#pragma tune arg(output : out float[problem.N * problem.K * problem.P * problem.Q])
#pragma tune arg(channels : int = problem.C)
#pragma tune arg(in_h : int = problem.H)
#pragma tune arg(in_w : int = problem.W)
#pragma tune arg(out_h : int = problem.P)
#pragma tune arg(out_w : int = problem.Q)
#pragma tune arg(stride : int = problem.stride_h)
#pragma tune arg(pad : int = problem.pad_h)

template <int OUT_X, int OUT_Y, bool INSIDE, int BLOCK_X, int BLOCK_Y>
__global__ void DepthwiseConv3x3(const float *__restrict__ input, const float *__restrict__ filter,
                                 float *__restrict__ output, int channels, int in_h, int in_w,
                                 int out_h, int out_w, int stride, int pad) {
    const int plane = blockIdx.z;
    const float *in = input + plane * in_h * in_w;
    const float *f = filter + plane % channels * 9;
#pragma unroll
    for (int oy = 0; oy < OUT_Y; ++oy) {
#pragma unroll
        for (int ox = 0; ox < OUT_X; ++ox) {
            const int out_x = threadIdx.x + (blockIdx.x * OUT_X + ox) * BLOCK_X;
            const int out_y = threadIdx.y + (blockIdx.y * OUT_Y + oy) * BLOCK_Y;
            if (out_x >= out_w || out_y >= out_h)
                continue;
            const int x0 = out_x * stride - pad, y0 = out_y * stride - pad;
            float sum = 0.0f;
            if (INSIDE && x0 >= 0 && y0 >= 0 && x0 + 2 < in_w && y0 + 2 < in_h) {
#pragma unroll
                for (int i = 0; i < 9; ++i)
                    sum += in[(y0 + i / 3) * in_w + x0 + i % 3] * f[i];
            } else {
#pragma unroll
                for (int i = 0; i < 9; ++i) {
                    const int y = y0 + i / 3, x = x0 + i % 3;
                    if (y >= 0 && y < in_h && x >= 0 && x < in_w)
                        sum += in[y * in_w + x] * f[i];
                }
            }
            output[(plane * out_h + out_y) * out_w + out_x] = sum;
        }
    }
}
