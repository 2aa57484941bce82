/* Pointwise (1x1) convolution with bias and ReLU. A thread makes one pixel of one output channel. */
#include "hip/hip_runtime.h"
#include <stdio.h>
#include <stdlib.h>

#define THREADS 256
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

__device__ inline float relu(float v) { return v > 0.0f ? v : 0.0f; }

__global__ __launch_bounds__(THREADS) void
conv1x1_bias_relu(float *out, const float *in, const float *weight, const float *bias,
                  const unsigned in_channels, const unsigned out_channels, const unsigned pixels)
{
    const unsigned pixel = blockDim.x * blockIdx.x + threadIdx.x;
    const unsigned oc = blockIdx.y;
    const unsigned image = blockIdx.z;

    if (pixel < pixels)
    {
        float acc = bias[oc];
        for (unsigned ic = 0; ic < in_channels; ic++)
            acc += weight[oc * in_channels + ic] * in[(image * in_channels + ic) * pixels + pixel];
        out[(image * out_channels + oc) * pixels + pixel] = relu(acc);
    }
}

static void run_conv1x1(float *out, const float *in, const float *weight, const float *bias,
                        unsigned batch, unsigned in_channels, unsigned out_channels, unsigned pixels)
{
    dim3 grid(CEIL_DIV(pixels, THREADS), out_channels, batch);
    conv1x1_bias_relu<<<grid, THREADS>>>(out, in, weight, bias, in_channels, out_channels, pixels);
}

int main(int argc, char **argv)
{
    const unsigned batch = argc > 1 ? atoi(argv[1]) : 2;
    const unsigned in_channels = 48, out_channels = 40, pixels = 19 * 23;
    const size_t n_in = (size_t)batch * in_channels * pixels;
    const size_t n_out = (size_t)batch * out_channels * pixels;
    const size_t n_weight = (size_t)out_channels * in_channels;

    float *in, *weight, *bias, *out;
    if (hipMallocManaged((void **)&in, n_in * sizeof *in) ||
        hipMallocManaged((void **)&weight, n_weight * sizeof *weight) ||
        hipMallocManaged((void **)&bias, out_channels * sizeof *bias) ||
        hipMallocManaged((void **)&out, n_out * sizeof *out))
    {
        fprintf(stderr, "no managed memory\n");
        return 2;
    }
    for (size_t i = 0; i < n_in; i++)
        in[i] = (float)(rand() % 200 - 100) / 100;
    for (size_t i = 0; i < n_weight; i++)
        weight[i] = (float)(rand() % 200 - 100) / 100;
    for (unsigned i = 0; i < out_channels; i++)
        bias[i] = (float)(rand() % 200 - 100) / 100;

    run_conv1x1(out, in, weight, bias, batch, in_channels, out_channels, pixels);
    if (hipDeviceSynchronize() != hipSuccess)
        return 2;

    for (unsigned n = 0; n < batch; n++)
        for (unsigned oc = 0; oc < out_channels; oc++)
            for (unsigned p = 0; p < pixels; p++)
            {
                double acc = bias[oc];
                for (unsigned ic = 0; ic < in_channels; ic++)
                    acc += (double)weight[oc * in_channels + ic] * in[(n * in_channels + ic) * pixels + p];
                if (acc < 0)
                    acc = 0;
                const double diff = acc - out[(n * out_channels + oc) * pixels + p];
                if (diff > 1e-3 || diff < -1e-3)
                {
                    printf("image %u channel %u pixel %u: off by %g\n", n, oc, p, diff);
                    return 1;
                }
            }
    printf("all right\n");
    return 0;
}
