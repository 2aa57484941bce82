// Depthwise 3x3 convolution for mobile networks: every channel has a filter of its own.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <hip/hip_runtime.h>

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;

struct DepthwiseShape {
  int batch;
  int channels;
  int in_h, in_w;
  int out_h, out_w;
  int stride;
  int pad;
};

__global__ void DepthwiseConv3x3(const float* __restrict__ input, const float* __restrict__ filter,
                                 float* __restrict__ output, int channels, int in_h, int in_w,
                                 int out_h, int out_w, int stride, int pad) {
  const int out_x = threadIdx.x + blockIdx.x * kBlockX;
  const int out_y = threadIdx.y + blockIdx.y * kBlockY;
  if (out_x >= out_w || out_y >= out_h) return;

  const int plane = blockIdx.z;  // n * channels + c
  const int c = plane % channels;
  const float* in = input + plane * in_h * in_w;
  const float* f = filter + c * 9;

  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const int y = out_y * stride - pad + i;
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const int x = out_x * stride - pad + j;
      if (y >= 0 && y < in_h && x >= 0 && x < in_w) {
        sum += in[y * in_w + x] * f[i * 3 + j];
      }
    }
  }
  output[(plane * out_h + out_y) * out_w + out_x] = sum;
}

hipError_t LaunchDepthwiseConv3x3(const DepthwiseShape& s, const float* input, const float* filter,
                                  float* output, hipStream_t stream) {
  const dim3 grid((s.out_w + kBlockX - 1) / kBlockX, (s.out_h + kBlockY - 1) / kBlockY,
                  s.batch * s.channels);
  hipLaunchKernelGGL(DepthwiseConv3x3, grid, dim3(kBlockX, kBlockY), 0, stream, input, filter,
                     output, s.channels, s.in_h, s.in_w, s.out_h, s.out_w, s.stride, s.pad);
  return hipGetLastError();
}

int main() {
  DepthwiseShape s = {2, 24, 45, 61, 0, 0, 2, 1};
  s.out_h = (s.in_h + 2 * s.pad - 3) / s.stride + 1;
  s.out_w = (s.in_w + 2 * s.pad - 3) / s.stride + 1;

  std::mt19937 rng(7);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> input(s.batch * s.channels * s.in_h * s.in_w);
  std::vector<float> filter(s.channels * 9);
  std::vector<float> output(s.batch * s.channels * s.out_h * s.out_w);
  for (float& v : input) v = uniform(rng);
  for (float& v : filter) v = uniform(rng);

  float *d_in = nullptr, *d_filter = nullptr, *d_out = nullptr;
  bool ok = hipMalloc((void**)&d_in, input.size() * 4) == hipSuccess &&
            hipMalloc((void**)&d_filter, filter.size() * 4) == hipSuccess &&
            hipMalloc((void**)&d_out, output.size() * 4) == hipSuccess &&
            hipMemcpy(d_in, input.data(), input.size() * 4, hipMemcpyHostToDevice) == hipSuccess &&
            hipMemcpy(d_filter, filter.data(), filter.size() * 4, hipMemcpyHostToDevice) ==
                hipSuccess &&
            LaunchDepthwiseConv3x3(s, d_in, d_filter, d_out, nullptr) == hipSuccess &&
            hipMemcpy(output.data(), d_out, output.size() * 4, hipMemcpyDeviceToHost) == hipSuccess;

  for (int p = 0; ok && p < s.batch * s.channels; ++p) {
    for (int oy = 0; oy < s.out_h; ++oy) {
      for (int ox = 0; ox < s.out_w; ++ox) {
        float sum = 0.0f;
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            const int y = oy * s.stride - s.pad + i, x = ox * s.stride - s.pad + j;
            if (y < 0 || y >= s.in_h || x < 0 || x >= s.in_w) continue;
            sum += input[(p * s.in_h + y) * s.in_w + x] * filter[p % s.channels * 9 + i * 3 + j];
          }
        }
        ok = ok && std::fabs(sum - output[(p * s.out_h + oy) * s.out_w + ox]) < 1e-4f;
      }
    }
  }
  std::printf("%s\n", ok ? "OK" : "FAILED");
  (void)hipFree(d_in);
  (void)hipFree(d_filter);
  (void)hipFree(d_out);
  return ok ? 0 : 1;
}
