// -----------------------------------------------------------------------------
// 3x3 convolution with a shared-memory tile
//
// Each block computes a TILE x TILE piece of one output channel. For every input
// channel the block first loads the piece plus a one-pixel halo, then all threads
// apply the 3x3 filter out of shared memory. "Same" zero padding.
// -----------------------------------------------------------------------------
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE   16
#define RADIUS 1
#define FILTER (2 * RADIUS + 1)

#define HIP_CHECK(call)                                                            \
    do {                                                                           \
        hipError_t err_ = (call);                                                  \
        if (err_ != hipSuccess) {                                                  \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                \
                         hipGetErrorString(err_));                                 \
            std::exit(EXIT_FAILURE);                                               \
        }                                                                          \
    } while (0)

__global__ void conv3x3_tiled(const float* __restrict__ input,   // [channels][height][width]
                              const float* __restrict__ filters, // [filters][channels][3][3]
                              float* __restrict__ output,        // [filters][height][width]
                              int channels, int height, int width)
{
    __shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x0 = blockIdx.x * TILE;
    const int y0 = blockIdx.y * TILE;
    const int filter = blockIdx.z;

    float acc = 0.0f;

    for (int c = 0; c < channels; ++c) {
        // 1. load the tile and its halo
        for (int i = ty; i < TILE + 2 * RADIUS; i += TILE) {
            for (int j = tx; j < TILE + 2 * RADIUS; j += TILE) {
                const int y = y0 + i - RADIUS;
                const int x = x0 + j - RADIUS;
                if (y >= 0 && y < height && x >= 0 && x < width)
                    tile[i][j] = input[(c * height + y) * width + x];
                else
                    tile[i][j] = 0.0f;
            }
        }
        __syncthreads();

        // 2. apply the filter
        for (int i = 0; i < FILTER; ++i)
            for (int j = 0; j < FILTER; ++j)
                acc += tile[ty + i][tx + j] *
                       filters[((filter * channels + c) * FILTER + i) * FILTER + j];
        __syncthreads(); // before the tile is overwritten
    }

    const int x = x0 + tx;
    const int y = y0 + ty;
    if (x < width && y < height)
        output[(filter * height + y) * width + x] = acc;
}

void conv3x3(const float* d_input, const float* d_filters, float* d_output, int channels, int height,
             int width, int filters)
{
    dim3 block(TILE, TILE);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE, filters);
    conv3x3_tiled<<<grid, block>>>(d_input, d_filters, d_output, channels, height, width);
    HIP_CHECK(hipGetLastError());
}

int main()
{
    const int channels = 16, height = 50, width = 70, filters = 8;
    std::vector<float> input(channels * height * width);
    std::vector<float> weights(filters * channels * FILTER * FILTER);
    std::vector<float> output(filters * height * width);
    for (auto& v : input)
        v = std::rand() / float(RAND_MAX);
    for (auto& v : weights)
        v = std::rand() / float(RAND_MAX) - 0.5f;

    float *d_input, *d_weights, *d_output;
    HIP_CHECK(hipMalloc(&d_input, input.size() * sizeof(float)));
    HIP_CHECK(hipMalloc(&d_weights, weights.size() * sizeof(float)));
    HIP_CHECK(hipMalloc(&d_output, output.size() * sizeof(float)));
    HIP_CHECK(hipMemcpy(d_input, input.data(), input.size() * sizeof(float), hipMemcpyHostToDevice));
    HIP_CHECK(
        hipMemcpy(d_weights, weights.data(), weights.size() * sizeof(float), hipMemcpyHostToDevice));

    conv3x3(d_input, d_weights, d_output, channels, height, width, filters);
    HIP_CHECK(hipDeviceSynchronize());
    HIP_CHECK(
        hipMemcpy(output.data(), d_output, output.size() * sizeof(float), hipMemcpyDeviceToHost));

    int wrong = 0;
    for (int f = 0; f < filters; ++f)
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                float acc = 0.0f;
                for (int c = 0; c < channels; ++c)
                    for (int i = -RADIUS; i <= RADIUS; ++i)
                        for (int j = -RADIUS; j <= RADIUS; ++j) {
                            if (y + i < 0 || y + i >= height || x + j < 0 || x + j >= width)
                                continue;
                            acc += input[(c * height + y + i) * width + x + j] *
                                   weights[((f * channels + c) * FILTER + i + RADIUS) * FILTER + j +
                                           RADIUS];
                        }
                if (std::fabs(acc - output[(f * height + y) * width + x]) > 1e-3f)
                    ++wrong;
            }
    std::printf("%s (%d wrong)\n", wrong ? "FAILED" : "PASSED", wrong);

    HIP_CHECK(hipFree(d_input));
    HIP_CHECK(hipFree(d_weights));
    HIP_CHECK(hipFree(d_output));
    return wrong != 0;
}
