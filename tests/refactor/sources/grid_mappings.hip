// Convolution over batches with the spatial tile, the batch and the output map on different grid axes.
#include <hip/hip_runtime.h>
#include <cstdio>

#define TILE_EDGE 16
#define at_in(n, c, h, w) in[(n) * (C * Hi * Wi) + (c) * (Hi * Wi) + (h) * Wi + (w)]
#define at_w(m, c, p, q) wt[(m) * (C * K * K) + (c) * (K * K) + (p) * K + (q)]
#define at_out(n, m, h, w) out[(n) * (M * Ho * Wo) + (m) * (Ho * Wo) + (h) * Wo + (w)]

template <typename T>
__global__ void batch_first(const T *__restrict__ in, const T *__restrict__ wt, T *__restrict__ out,
                            const int C, const int M, const int K, const int Hi, const int Wi,
                            const int Ho, const int Wo, const int tiles_w)
{
  int n = blockIdx.x;
  int m = blockIdx.y;
  int h = blockIdx.z / tiles_w * TILE_EDGE + threadIdx.y;
  int w = blockIdx.z % tiles_w * TILE_EDGE + threadIdx.x;
  if (h < Ho && w < Wo) {
    T s = 0;
    for (int c = 0; c < C; c++)
      for (int p = 0; p < K; p++)
        for (int q = 0; q < K; q++)
          s += at_in(n, c, h + p, w + q) * at_w(m, c, p, q);
    at_out(n, m, h, w) = s;
  }
}

int main()
{
  int N = 4, C = 3, M = 8, K = 5, Hi = 36, Wi = 36, Ho = 32, Wo = 32;
  float *in, *wt, *out;
  hipMalloc((void **)&in, sizeof(float) * N * C * Hi * Wi);
  hipMalloc((void **)&wt, sizeof(float) * M * C * K * K);
  hipMalloc((void **)&out, sizeof(float) * N * M * Ho * Wo);
  int tiles_w = (Wo + TILE_EDGE - 1) / TILE_EDGE;
  int Z = tiles_w * ((Ho + TILE_EDGE - 1) / TILE_EDGE);
  dim3 block(TILE_EDGE, TILE_EDGE, 1);
  dim3 grid(N, M, Z);
  batch_first<float><<<grid, block>>>(in, wt, out, C, M, K, Hi, Wi, Ho, Wo, tiles_w);
  hipDeviceSynchronize();
#ifdef OTHER_LIBRARY
#include "other_body.cu"
#endif
}
