// 2-D convolution with a mask in constant memory; the mask's width is a template argument.
#include <hip/hip_runtime.h>

#include <iostream>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                              \
        const hipError_t status = (call);                                             \
        if (status != hipSuccess) {                                                   \
            std::cerr << hipGetErrorString(status) << " line " << __LINE__ << "\n";   \
            std::exit(1);                                                             \
        }                                                                             \
    } while (0)

__constant__ float weights[5 * 5];

template <size_t Width = 5>
__global__ void mask_filter(const float *padded, float *result, const uint2 extent)
{
    const size_t col = blockDim.x * blockIdx.x + threadIdx.x;
    const size_t row = blockDim.y * blockIdx.y + threadIdx.y;
    const size_t cols = extent.x;
    const size_t rows = extent.y;
    const size_t pitch = cols + (Width / 2) * 2;

    if (col >= cols || row >= rows) {
        return;
    }

    float total = 0.0f;
    const size_t start = row * pitch + col;
    for (size_t my = 0; my < Width; ++my) {
        for (size_t mx = 0; mx < Width; ++mx) {
            total += weights[my * Width + mx] * padded[start + my * pitch + mx];
        }
    }
    result[row * cols + col] = total;
}

int main()
{
    constexpr unsigned int edge = 32;
    constexpr size_t width = 5;
    const unsigned int cols = 200, rows = 150;
    std::vector<float> mask(width * width, 0.04f);
    float *padded, *result;
    CHECK(hipMalloc(&padded, sizeof(float) * (cols + 4) * (rows + 4)));
    CHECK(hipMalloc(&result, sizeof(float) * cols * rows));
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(weights), mask.data(), sizeof(float) * width * width));
    const dim3 threads(edge, edge);
    const dim3 blocks((cols + edge) / edge, (rows + edge) / edge);
    for (int i = 0; i < 10; ++i) {
        mask_filter<width><<<blocks, threads, 0, hipStreamDefault>>>(padded, result, {cols, rows});
        CHECK(hipGetLastError());
    }
    CHECK(hipDeviceSynchronize());
    return 0;
}
