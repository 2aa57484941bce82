// Image filter with its mask in constant memory. The input carries a border of mask_width / 2 on every side, so that the
// kernel never has to test for the edge.

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

constexpr unsigned int mask_width = 5;
constexpr unsigned int block_size = 16;

__constant__ float d_mask[5 * 5];

__global__ void filter_image(const float* input, float* output, const unsigned int width, const unsigned int height)
{
    const size_t x = static_cast<size_t>(blockDim.x) * blockIdx.x + threadIdx.x;
    const size_t y = static_cast<size_t>(blockDim.y) * blockIdx.y + threadIdx.y;
    if(x >= width || y >= height)
    {
        return;
    }

    const size_t padded_width = width + (mask_width / 2) * 2;

    float sum = 0.0f;
    for(size_t mask_y = 0; mask_y < mask_width; ++mask_y)
    {
        for(size_t mask_x = 0; mask_x < mask_width; ++mask_x)
        {
            sum += input[(y + mask_y) * padded_width + x + mask_x] * d_mask[mask_y * mask_width + mask_x];
        }
    }
    output[y * width + x] = sum;
}

void filter(const float* d_input, float* d_output, const std::vector<float>& mask, const unsigned int width, const unsigned int height)
{
    if(hipMemcpyToSymbol(HIP_SYMBOL(d_mask), mask.data(), mask.size() * sizeof(float)) != hipSuccess)
    {
        std::cerr << "cannot set the mask" << std::endl;
        std::exit(1);
    }
    const dim3 block_dim(block_size, block_size);
    const dim3 grid_dim((width + block_size - 1) / block_size, (height + block_size - 1) / block_size);
    filter_image<<<grid_dim, block_dim, 0, hipStreamDefault>>>(d_input, d_output, width, height);
}

int main()
{
    const unsigned int width = 250, height = 130;
    const unsigned int padded_width  = width + mask_width - 1;
    const unsigned int padded_height = height + mask_width - 1;

    std::vector<float> input(padded_width * padded_height);
    std::vector<float> output(width * height);
    std::vector<float> mask(mask_width * mask_width);
    for(unsigned int y = 0; y < height; ++y)
    {
        for(unsigned int x = 0; x < width; ++x)
        {
            input[(y + mask_width / 2) * padded_width + x + mask_width / 2] = (x * 7 + y * 13) % 32;
        }
    }
    for(unsigned int i = 0; i < mask.size(); ++i)
    {
        mask[i] = 1.0f / (i + 1);
    }

    float* d_input;
    float* d_output;
    if(hipMalloc(&d_input, input.size() * sizeof(float)) != hipSuccess
       || hipMalloc(&d_output, output.size() * sizeof(float)) != hipSuccess
       || hipMemcpy(d_input, input.data(), input.size() * sizeof(float), hipMemcpyHostToDevice) != hipSuccess)
    {
        std::cerr << "no device memory" << std::endl;
        return 1;
    }
    filter(d_input, d_output, mask, width, height);
    if(hipMemcpy(output.data(), d_output, output.size() * sizeof(float), hipMemcpyDeviceToHost) != hipSuccess)
    {
        std::cerr << "the kernel failed" << std::endl;
        return 1;
    }

    size_t errors = 0;
    for(unsigned int y = 0; y < height; ++y)
    {
        for(unsigned int x = 0; x < width; ++x)
        {
            float sum = 0.0f;
            for(unsigned int i = 0; i < mask_width; ++i)
            {
                for(unsigned int j = 0; j < mask_width; ++j)
                {
                    sum += input[(y + i) * padded_width + x + j] * mask[i * mask_width + j];
                }
            }
            errors += std::fabs(sum - output[y * width + x]) > 1e-3f * std::fabs(sum) + 1e-5f;
        }
    }
    std::cout << (errors == 0 ? "Validation passed." : "Validation failed.") << std::endl;

    static_cast<void>(hipFree(d_input));
    static_cast<void>(hipFree(d_output));
    return errors == 0 ? 0 : 1;
}
