// Depthwise forward pass over a flattened output index; arguments are accessor objects.
#include <hip/hip_runtime.h>
#include "flat_accessor.h"

template <int kEdge, typename scalar, typename acc, typename index>
__global__ void depthwise_flat(const Accessor<const scalar, 4> input, Accessor<scalar, 4> output,
                               const Accessor<const scalar, 4> weight, bool hasBias, index total,
                               const int channels, const int inW, const int inH, const int outW,
                               const int outH, const int edgeW, const int edgeH, const int stride,
                               const int pad, const int dilation)
{
  const int KW = (kEdge != 0) ? kEdge : edgeW;
  const int KH = (kEdge != 0) ? kEdge : edgeH;
  index linear = (index)blockIdx.x * blockDim.x + threadIdx.x;
  if (linear < total) {
    const int a = linear / outW;
    const int w = linear - a * outW;
    const int b = a / outH;
    const int h = a - b * outH;
    const int n = b / channels;
    const int c = b - n * channels;
    acc value = 0;
    const index base = (index)(n * channels + c) * inH * inW;
    int offset = c * KW * KH;
#pragma unroll
    for (int kh = 0; kh < KH; ++kh) {
#pragma unroll
      for (int kw = 0; kw < KW; ++kw) {
        const int y = -pad + h * stride + kh * dilation;
        const int x = -pad + w * stride + kw * dilation;
        if ((y >= 0) && (y < inH) && (x >= 0) && (x < inW))
          value += static_cast<acc>(input.data()[base + y * inW + x]) *
                   static_cast<acc>(weight.data()[offset]);
        ++offset;
      }
    }
    output.data()[linear] = static_cast<scalar>(value);
  }
}

int main()
{
  Accessor<const float, 4> in, wt;
  Accessor<float, 4> out;
  const int n = 1 << 16;
  dim3 grid((n + 255) / 256);
  dim3 block(256);
  int k = 3;
  if (k == 3)
    depthwise_flat<3, float, float, int><<<grid, block>>>(in, out, wt, false, n, 8, 64, 64, 64, 64, 3, 3, 1, 1, 1);
  else if (k == 1)
    depthwise_flat<1, float, float, int><<<grid, block>>>(in, out, wt, false, n, 8, 64, 64, 64, 64, 1, 1, 1, 0, 1);
  else
    depthwise_flat<0, float, float, int><<<grid, block>>>(in, out, wt, false, n, 8, 64, 64, 64, 64, k, k, 1, 1, 1);
}
