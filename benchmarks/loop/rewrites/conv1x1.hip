// Rewrites of conv1x1_bias_relu with fixed constants: pixels and filters of a thread, the weights of
// a block staged in LDS, block size. The first value of each is the original.
#include <hip/hip_runtime.h>

#pragma tune kernel(conv1x1_bias_relu)
#pragma tune problem(conv2d)
#pragma tune param(PIXELS : 1, 2, 4 = 1)
#pragma tune param(OUT_K : 1, 2, 4, 8 = 1)
#pragma tune param(STAGED : false, true = false)
#pragma tune param(BLOCK : 256, 64, 128, 512 = 256)
#pragma tune require(problem.K % OUT_K == 0)
#pragma tune block(BLOCK)
#pragma tune grid(ceil_div(problem.H * problem.W, BLOCK * PIXELS), problem.K / OUT_K, problem.N)
#pragma tune arg(out : out float[problem.N * problem.K * problem.P * problem.Q])
#pragma tune arg(in : in float[problem.N * problem.C * problem.H * problem.W])
#pragma tune arg(weight : in float[problem.K * problem.C])
#pragma tune arg(bias : in float[problem.K])
#pragma tune arg(in_channels : unsigned int = problem.C)
#pragma tune arg(out_channels : unsigned int = problem.K)
#pragma tune arg(pixels : unsigned int = problem.H * problem.W)

template <int PIXELS, int OUT_K, bool STAGED, int BLOCK>
__global__ __launch_bounds__(BLOCK) void conv1x1_bias_relu(float *out, const float *in,
                                                           const float *weight, const float *bias,
                                                           unsigned in_channels,
                                                           unsigned out_channels, unsigned pixels) {
    constexpr unsigned CHUNK = STAGED ? 64 : 1;
    __shared__ float staged[OUT_K][CHUNK];
    const unsigned first = blockIdx.x * BLOCK * PIXELS + threadIdx.x;
    const unsigned k = blockIdx.y * OUT_K;
    const unsigned image = blockIdx.z;
    float sum[OUT_K][PIXELS];
    for (int f = 0; f < OUT_K; ++f)
        for (int p = 0; p < PIXELS; ++p)
            sum[f][p] = bias[k + f];
    for (unsigned c = 0; c < in_channels; c += CHUNK) {
        const unsigned some = min(CHUNK, in_channels - c);
        if (STAGED) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < OUT_K * some; i += BLOCK)
                staged[i / some][i % some] = weight[(k + i / some) * in_channels + c + i % some];
            __syncthreads();
        }
        for (unsigned i = 0; i < some; ++i)
            for (int p = 0; p < PIXELS; ++p) {
                const unsigned pixel = min(first + p * BLOCK, pixels - 1);
                const float value = in[(image * in_channels + c + i) * pixels + pixel];
                for (int f = 0; f < OUT_K; ++f)
                    sum[f][p] +=
                        (STAGED ? staged[f][i] : weight[(k + f) * in_channels + c + i]) * value;
            }
    }
    for (int f = 0; f < OUT_K; ++f)
        for (int p = 0; p < PIXELS; ++p)
            if (first + p * BLOCK < pixels)
                out[(image * out_channels + k + f) * pixels + first + p * BLOCK] =
                    fmaxf(sum[f][p], 0.0f);
}
