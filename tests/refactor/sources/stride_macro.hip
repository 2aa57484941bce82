#include "stride_macro.h"

template <typename Dtype>
__global__ void unfold_kernel(const int n, const Dtype *image, const int height, const int width,
                              const int kernel_h, const int kernel_w, const int pad, const int stride,
                              const int out_h, const int out_w, Dtype *columns)
{
  STRIDE_LOOP(index, n)
  {
    const int rest = index / out_w;
    const int oy = rest % out_h;
    const int ox = index % out_w;
    const int channel = rest / out_h;
    const int y0 = oy * stride - pad;
    const int x0 = ox * stride - pad;
    Dtype *to = columns + (channel * kernel_h * kernel_w * out_h + oy) * out_w + ox;
    const Dtype *from = image + (channel * height + y0) * width + x0;
    for (int i = 0; i < kernel_h; ++i) {
      for (int j = 0; j < kernel_w; ++j) {
        int y = y0 + i, x = x0 + j;
        *to = (y >= 0 && x >= 0 && y < height && x < width) ? from[i * width + j] : Dtype(0);
        to += out_h * out_w;
      }
    }
  }
}

template <typename Dtype>
void unfold(const Dtype *image, int channels, int height, int width, int kernel_h, int kernel_w,
            int pad, int stride, Dtype *columns)
{
  int out_h = (height + 2 * pad - kernel_h) / stride + 1;
  int out_w = (width + 2 * pad - kernel_w) / stride + 1;
  int count = channels * out_h * out_w;
  hipLaunchKernelGGL(unfold_kernel<Dtype>, dim3(GROUPS(count)), dim3(GROUP_THREADS), 0, 0, count, image,
                     height, width, kernel_h, kernel_w, pad, stride, out_h, out_w, columns);
}

template void unfold<float>(const float *, int, int, int, int, int, int, int, float *);
