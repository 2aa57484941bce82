/******************************************************************************
 * NHWC convolution. Filters are stored R x S x C x K, so that neighbouring
 * threads (output channels) read neighbouring weights.
 *
 * Grid: x = output channel, y = output column, z = image and output row.
 ******************************************************************************/
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

#define BLOCK_K 64

__global__ void ConvNHWC(const float* in, const float* flt, float* out,
                         int H, int W, int C, int K, int R, int S, int P, int Q, int pad, int stride)
{
  int k = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  int q = hipBlockIdx_y;
  int p = hipBlockIdx_z % P;
  int n = hipBlockIdx_z / P;
  if (k >= K) return;

  float acc = 0.0f;
  for (int r = 0; r < R; ++r) {
    int h = p * stride - pad + r;
    if (h < 0 || h >= H) continue;
    for (int s = 0; s < S; ++s) {
      int w = q * stride - pad + s;
      if (w < 0 || w >= W) continue;
      for (int c = 0; c < C; ++c)
        acc += in[((n * H + h) * W + w) * C + c] * flt[((r * S + s) * C + c) * K + k];
    }
  }
  out[((n * P + p) * Q + q) * K + k] = acc;
}

void conv_nhwc(const float* in, const float* flt, float* out, int N, int H, int W, int C, int K,
               int R, int S, int pad, int stride)
{
  int P = (H + 2 * pad - R) / stride + 1;
  int Q = (W + 2 * pad - S) / stride + 1;
  hipLaunchKernelGGL(ConvNHWC, dim3((K + BLOCK_K - 1) / BLOCK_K, Q, N * P), dim3(BLOCK_K), 0, 0,
                     in, flt, out, H, W, C, K, R, S, P, Q, pad, stride);
}

static float* device_copy(const float* host, size_t count)
{
  float* device = NULL;
  if (hipMalloc((void**)&device, count * sizeof(float)) != hipSuccess) exit(1);
  if (host && hipMemcpy(device, host, count * sizeof(float), hipMemcpyHostToDevice) != hipSuccess) exit(1);
  return device;
}

int main()
{
  enum { N = 1, H = 15, W = 17, C = 20, K = 70, R = 3, S = 3, PAD = 1, STRIDE = 2 };
  enum { P = (H + 2 * PAD - R) / STRIDE + 1, Q = (W + 2 * PAD - S) / STRIDE + 1 };
  static float in[N * H * W * C], flt[R * S * C * K], out[N * P * Q * K];
  for (float& v : in) v = rand() / (float)RAND_MAX;
  for (float& v : flt) v = rand() / (float)RAND_MAX;

  float* d_in = device_copy(in, sizeof(in) / sizeof(in[0]));
  float* d_flt = device_copy(flt, sizeof(flt) / sizeof(flt[0]));
  float* d_out = device_copy(NULL, sizeof(out) / sizeof(out[0]));
  conv_nhwc(d_in, d_flt, d_out, N, H, W, C, K, R, S, PAD, STRIDE);
  if (hipMemcpy(out, d_out, sizeof(out), hipMemcpyDeviceToHost) != hipSuccess) return 1;

  for (int p = 0; p < P; ++p)
    for (int q = 0; q < Q; ++q)
      for (int k = 0; k < K; ++k) {
        double acc = 0;
        for (int r = 0; r < R; ++r)
          for (int s = 0; s < S; ++s) {
            int h = p * STRIDE - PAD + r, w = q * STRIDE - PAD + s;
            if (h < 0 || h >= H || w < 0 || w >= W) continue;
            for (int c = 0; c < C; ++c)
              acc += (double)in[(h * W + w) * C + c] * flt[((r * S + s) * C + c) * K + k];
          }
        double diff = acc - out[(p * Q + q) * K + k];
        if (diff > 1e-3 || diff < -1e-3) {
          printf("FAIL at %d %d %d\n", p, q, k);
          return 1;
        }
      }
  printf("PASS\n");
  return 0;
}
