// Gaussian blur as two one-dimensional passes; border pixels are repeated.

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

namespace blur {

constexpr int kRadius = 4;
constexpr int kTaps = 2 * kRadius + 1;

__global__ void blurRows(float *dst, const float *src, const float *taps, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        float value = 0.f;
        for (int k = -kRadius; k <= kRadius; ++k) {
            int xx = min(max(x + k, 0), width - 1);
            value += taps[k + kRadius] * src[y * width + xx];
        }
        dst[y * width + x] = value;
    }
}

__global__ void blurColumns(float *dst, const float *src, const float *taps, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        float value = 0.f;
        for (int k = -kRadius; k <= kRadius; ++k) {
            int yy = min(max(y + k, 0), height - 1);
            value += taps[k + kRadius] * src[yy * width + x];
        }
        dst[y * width + x] = value;
    }
}

// src and dst may be the same image; tmp is as large as both.
void gaussian(float *dst, float *tmp, const float *src, const float *taps, int width, int height,
              hipStream_t stream) {
    const dim3 block(32, 8);
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    blurRows<<<grid, block, 0, stream>>>(tmp, src, taps, width, height);
    blurColumns<<<grid, block, 0, stream>>>(dst, tmp, taps, width, height);
}

} // namespace blur

int main() {
    const int width = 301, height = 187;
    std::vector<float> image(width * height), result(image.size()), taps(blur::kTaps);
    for (std::size_t i = 0; i < image.size(); ++i)
        image[i] = float((i * 2654435761u) >> 8 & 255) / 255.f;
    float total = 0.f;
    for (int k = -blur::kRadius; k <= blur::kRadius; ++k)
        total += taps[k + blur::kRadius] = std::exp(-k * k / 8.f);
    for (float &t : taps)
        t /= total;

    const std::size_t bytes = image.size() * sizeof(float);
    float *dSrc = nullptr, *dTmp = nullptr, *dDst = nullptr, *dTaps = nullptr;
    if (hipMalloc(&dSrc, bytes) || hipMalloc(&dTmp, bytes) || hipMalloc(&dDst, bytes) ||
        hipMalloc(&dTaps, sizeof(float) * blur::kTaps)) {
        std::cerr << "hipMalloc failed\n";
        return 1;
    }
    (void)hipMemcpy(dSrc, image.data(), bytes, hipMemcpyHostToDevice);
    (void)hipMemcpy(dTaps, taps.data(), sizeof(float) * blur::kTaps, hipMemcpyHostToDevice);
    blur::gaussian(dDst, dTmp, dSrc, dTaps, width, height, nullptr);
    (void)hipMemcpy(result.data(), dDst, bytes, hipMemcpyDeviceToHost);

    float worst = 0.f;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float value = 0.f;
            for (int j = -blur::kRadius; j <= blur::kRadius; ++j)
                for (int i = -blur::kRadius; i <= blur::kRadius; ++i) {
                    int yy = std::min(std::max(y + j, 0), height - 1);
                    int xx = std::min(std::max(x + i, 0), width - 1);
                    value += taps[j + blur::kRadius] * taps[i + blur::kRadius] *
                             image[yy * width + xx];
                }
            worst = std::max(worst, std::fabs(value - result[y * width + x]));
        }
    std::cout << "largest error " << worst << (worst < 1e-4f ? " ok" : " WRONG") << '\n';

    (void)hipFree(dSrc);
    (void)hipFree(dTmp);
    (void)hipFree(dDst);
    (void)hipFree(dTaps);
    return worst < 1e-4f ? 0 : 1;
}
