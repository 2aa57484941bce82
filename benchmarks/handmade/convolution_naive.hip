// A 2-D convolution as one writes it first: an output a thread, everything from global memory.
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

void convolve(float *output, const float *input, const float *filter, int width, int height)
{
    dim3 block(16, 16);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    convolution_naive<<<grid, block>>>(output, input, filter, width, height);
}
