// The same convolution as an expert parameterizes it by hand: a tile of the input in shared memory, several outputs a thread,
// padding against bank conflicts, loads through the read-only path. The parameters are those that autotuning's benchmark
// collections give this kernel. Tuned as it stands here, it is what hiptemper's own template of convolution_naive is measured against.
#include <hip/hip_runtime.h>

constexpr int filter_width = 17;
constexpr int filter_height = 17;

__global__ void convolution_naive(float *output, const float *input, const float *filter, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int i = 0; i < filter_height; i++)
            for (int j = 0; j < filter_width; j++)
                sum += input[(y + i) * (width + filter_width - 1) + x + j] * filter[i * filter_width + j];
        output[y * width + x] = sum;
    }
}

#pragma tune kernel(convolution_tiled)
#pragma tune problem(image : W, H)
#pragma tune param(BLOCK_X : 8, 16, 32, 64 = 16)
#pragma tune param(BLOCK_Y : 1, 2, 4, 8, 16, 32 = 16)
#pragma tune param(TILE_X : 1, 2, 4, 8 = 1)
#pragma tune param(TILE_Y : 1, 2, 4, 8 = 1)
#pragma tune param(USE_PADDING : false, true = false)
#pragma tune param(READ_ONLY : false, true = false)
#pragma tune param(USE_SHARED : false, true = true)
#pragma tune require(BLOCK_X * BLOCK_Y <= device.max_threads)
#pragma tune require(!USE_PADDING || (USE_SHARED && BLOCK_X % 32 != 0))
#pragma tune require(!READ_ONLY || !USE_SHARED)
#pragma tune require((USE_SHARED ? 4 * (BLOCK_Y * TILE_Y + 16) * (BLOCK_X * TILE_X + 16 + (USE_PADDING ? 16 : 0)) : 4) <= device.max_static_lds)
#pragma tune arg(output : out float[problem.W * problem.H])
#pragma tune arg(input : in float[(problem.W + 16) * (problem.H + 16)])
#pragma tune arg(filter : in float[17 * 17])
#pragma tune arg(width : int = problem.W)
#pragma tune arg(height : int = problem.H)
#pragma tune block(BLOCK_X, BLOCK_Y)
#pragma tune grid(ceil_div(problem.W, BLOCK_X * TILE_X), ceil_div(problem.H, BLOCK_Y * TILE_Y))
#pragma tune reference(convolution_naive : output, input, filter, width, height) block(16, 16) grid(ceil_div(problem.W, 16), ceil_div(problem.H, 16))
template <int BLOCK_X, int BLOCK_Y, int TILE_X, int TILE_Y, bool USE_PADDING, bool READ_ONLY, bool USE_SHARED>
__global__ void convolution_tiled(float *output, const float *input, const float *filter, int width, int height)
{
    constexpr int rows = BLOCK_Y * TILE_Y + filter_height - 1;
    constexpr int columns = BLOCK_X * TILE_X + filter_width - 1;
    __shared__ float tile[USE_SHARED ? rows : 1][USE_SHARED ? columns + (USE_PADDING ? 16 : 0) : 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int bx = blockIdx.x * BLOCK_X * TILE_X, by = blockIdx.y * BLOCK_Y * TILE_Y;
    const int input_width = width + filter_width - 1, input_height = height + filter_height - 1;

    if constexpr (USE_SHARED) {
        for (int j = ty; j < rows; j += BLOCK_Y)
            for (int i = tx; i < columns; i += BLOCK_X)
                if (by + j < input_height && bx + i < input_width)
                    tile[j][i] = input[(by + j) * input_width + bx + i];
        __syncthreads();
    }

    float sum[TILE_Y][TILE_X] = {};
    for (int i = 0; i < filter_height; i++)
        for (int j = 0; j < filter_width; j++) {
            const float weight = filter[i * filter_width + j];
#pragma unroll
            for (int v = 0; v < TILE_Y; v++)
#pragma unroll
                for (int u = 0; u < TILE_X; u++) {
                    const int y = ty + v * BLOCK_Y, x = tx + u * BLOCK_X;
                    if constexpr (USE_SHARED)
                        sum[v][u] += tile[y + i][x + j] * weight;
                    else if (by + y < height && bx + x < width) {
                        const float *from = &input[(by + y + i) * input_width + bx + x + j];
                        sum[v][u] += (READ_ONLY ? __ldg(from) : *from) * weight;
                    }
                }
        }

#pragma unroll
    for (int v = 0; v < TILE_Y; v++)
#pragma unroll
        for (int u = 0; u < TILE_X; u++) {
            const int y = by + ty + v * BLOCK_Y, x = bx + tx + u * BLOCK_X;
            if (y < height && x < width)
                output[y * width + x] = sum[v][u];
        }
}
