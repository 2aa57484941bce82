// Rewrites of filter_image, a mask of 5 by 5, with fixed constants: outputs of a thread along either
// axis, the pixels of a block staged in LDS, block size. The first value of each is the original.
#include <hip/hip_runtime.h>

#pragma tune kernel(filter_image)
#pragma tune problem(mask : W, H, M = 5)
#pragma tune param(OUT_X : 1, 2, 4 = 1)
#pragma tune param(OUT_Y : 1, 2, 4, 8 = 1)
#pragma tune param(STAGED : false, true = false)
#pragma tune param(BLOCK_X : 16, 8, 32, 64 = 16)
#pragma tune param(BLOCK_Y : 16, 1, 2, 4, 8 = 16)
#pragma tune require(BLOCK_X * BLOCK_Y >= 32)
#pragma tune block(BLOCK_X, BLOCK_Y)
#pragma tune grid(ceil_div(problem.W, BLOCK_X * OUT_X), ceil_div(problem.H, BLOCK_Y * OUT_Y))
#pragma tune arg(d_mask : constant float[problem.M * problem.M])
#pragma tune arg(input : in float[(problem.W + problem.M - 1) * (problem.H + problem.M - 1)])
#pragma tune arg(output : out float[problem.W * problem.H])
#pragma tune arg(width : unsigned int = problem.W)
#pragma tune arg(height : unsigned int = problem.H)

constexpr unsigned mask_width = 5;

__constant__ float d_mask[mask_width * mask_width];

template <int OUT_X, int OUT_Y, bool STAGED, int BLOCK_X, int BLOCK_Y>
__global__ void filter_image(const float *input, float *output, unsigned width, unsigned height) {
    constexpr unsigned tile_x = BLOCK_X * OUT_X + mask_width - 1;
    constexpr unsigned tile_y = BLOCK_Y * OUT_Y + mask_width - 1;
    __shared__ float tile[STAGED ? tile_y : 1][STAGED ? tile_x : 1];
    const unsigned padded_width = width + mask_width - 1, padded_height = height + mask_width - 1;
    const unsigned left = blockIdx.x * BLOCK_X * OUT_X, top = blockIdx.y * BLOCK_Y * OUT_Y;
    if (STAGED) {
        for (unsigned y = threadIdx.y; y < tile_y; y += BLOCK_Y)
            for (unsigned x = threadIdx.x; x < tile_x; x += BLOCK_X)
                tile[y][x] = input[min(top + y, padded_height - 1) * padded_width +
                                   min(left + x, padded_width - 1)];
        __syncthreads();
    }
#pragma unroll
    for (int oy = 0; oy < OUT_Y; ++oy)
#pragma unroll
        for (int ox = 0; ox < OUT_X; ++ox) {
            const unsigned at_x = threadIdx.x + ox * BLOCK_X, at_y = threadIdx.y + oy * BLOCK_Y;
            const unsigned x = left + at_x, y = top + at_y;
            if (x >= width || y >= height)
                continue;
            float sum = 0.0f;
#pragma unroll
            for (unsigned i = 0; i < mask_width; ++i)
#pragma unroll
                for (unsigned j = 0; j < mask_width; ++j)
                    sum += (STAGED ? tile[STAGED ? at_y + i : 0][STAGED ? at_x + j : 0]
                                   : input[(y + i) * padded_width + x + j]) *
                           d_mask[i * mask_width + j];
            output[y * width + x] = sum;
        }
}
