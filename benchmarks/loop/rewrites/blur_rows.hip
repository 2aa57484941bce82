// Rewrites of blur::blurRows with fixed constants: outputs of a thread, the inside without clamping,
// the row staged in LDS, block size. The first value of each is the original.
#include <hip/hip_runtime.h>

#pragma tune kernel(blurRows)
#pragma tune problem(blur : W, H, radius = 4)
#pragma tune param(OUT : 1, 2, 4, 8 = 1)
#pragma tune param(INSIDE : false, true = false)
#pragma tune param(STAGED : false, true = false)
#pragma tune param(BLOCK_X : 32, 16, 64, 128, 256 = 32)
#pragma tune param(BLOCK_Y : 8, 1, 2, 4, 16 = 8)
#pragma tune require(BLOCK_X * BLOCK_Y >= 32 && BLOCK_X * BLOCK_Y <= 1024)
#pragma tune require(!INSIDE || !STAGED)
#pragma tune block(BLOCK_X, BLOCK_Y)
#pragma tune grid(ceil_div(problem.W, BLOCK_X * OUT), ceil_div(problem.H, BLOCK_Y))
#pragma tune arg(dst : out float[problem.W * problem.H])
#pragma tune arg(src : in float[problem.W * problem.H])
#pragma tune arg(taps : in float[2 * problem.radius + 1])
#pragma tune arg(width : int = problem.W)
#pragma tune arg(height : int = problem.H)

constexpr int kRadius = 4;

template <int OUT, bool INSIDE, bool STAGED, int BLOCK_X, int BLOCK_Y>
__global__ void blurRows(float *dst, const float *src, const float *taps, int width, int height) {
    __shared__ float row[STAGED ? BLOCK_Y * (BLOCK_X * OUT + 2 * kRadius) : 1];
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int first = blockIdx.x * BLOCK_X * OUT;
    float *mine = row + (STAGED ? threadIdx.y * (BLOCK_X * OUT + 2 * kRadius) : 0);
    if (STAGED) {
        for (int i = threadIdx.x; y < height && i < BLOCK_X * OUT + 2 * kRadius; i += BLOCK_X)
            mine[i] = src[y * width + min(max(first - kRadius + i, 0), width - 1)];
        __syncthreads();
    }
    if (y >= height)
        return;
#pragma unroll
    for (int o = 0; o < OUT; ++o) {
        const int at = threadIdx.x + o * BLOCK_X, x = first + at;
        if (x >= width)
            continue;
        float value = 0.f;
        if (STAGED) {
            for (int k = -kRadius; k <= kRadius; ++k)
                value += taps[k + kRadius] * mine[at + k + kRadius];
        } else if (INSIDE && x >= kRadius && x + kRadius < width) {
            for (int k = -kRadius; k <= kRadius; ++k)
                value += taps[k + kRadius] * src[y * width + x + k];
        } else {
            for (int k = -kRadius; k <= kRadius; ++k) {
                int xx = min(max(x + k, 0), width - 1);
                value += taps[k + kRadius] * src[y * width + xx];
            }
        }
        dst[y * width + x] = value;
    }
}
