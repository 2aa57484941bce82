// Max pooling over a stack of images, one thread an output.
#include <hip/hip_runtime.h>
#include <vector>

typedef float real;

__global__ void pool3d(const real *image, real *pooled, const int iw, const int ih, const int pw,
                       const int ph, const int poolW, const int poolH, const int strideX,
                       const int strideY, const int depth)
{
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockDim.z * blockIdx.z + threadIdx.z;
  if (x >= pw || y >= ph || z >= depth)
    return;
  real best = -99999.f;
  for (int r = 0; r < poolH; r++) {
    const int row = (y * strideY + r) * iw + z * iw * ih;
    for (int c = 0; c < poolW; c++)
      best = fmaxf(best, image[row + x * strideX + c]);
  }
  pooled[(z * ph + y) * pw + x] = best;
}

int main()
{
  const int iw = 128, ih = 128, pw = 64, ph = 64, depth = 12;
  std::vector<real> image(iw * ih * depth);
  real *a, *b;
  hipMalloc(&a, image.size() * sizeof(real));
  hipMalloc(&b, pw * ph * depth * sizeof(real));
  dim3 block(8, 8, 4);
  dim3 grid((pw + 7) / 8, (ph + 7) / 8, (depth + 3) / 4);
  hipLaunchKernelGGL(pool3d, grid, block, 0, 0, a, b, iw, ih, pw, ph, 2, 2, 2, 2, depth);
  hipDeviceSynchronize();
}
