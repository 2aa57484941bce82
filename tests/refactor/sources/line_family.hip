// 1-D convolution three ways; the block is chosen at run time.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

#define MAX_WEIGHTS 10
#define MAX_BLOCK 1024

template <typename T>
__constant__ T taps[MAX_WEIGHTS];

template <typename T>
__global__ void line_plain(const T *__restrict__ in, T *__restrict__ out, const int n, const int width)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int start = i - (width / 2);
  T sum = 0;
  for (int j = 0; j < width; j++)
    if (start + j >= 0 && start + j < n)
      sum += in[start + j] * taps<T>[j];
  out[i] = sum;
}

template <typename T>
__global__ void line_halo(const T *__restrict__ in, T *__restrict__ out, const int n, const int width)
{
  extern __shared__ unsigned char raw[];
  T *tile = reinterpret_cast<T *>(raw);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int r = width / 2;
  int left = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
  if (threadIdx.x >= blockDim.x - r)
    tile[threadIdx.x - (blockDim.x - r)] = left < 0 ? T(0) : in[left];
  tile[r + threadIdx.x] = in[i];
  int right = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
  if (threadIdx.x < r)
    tile[r + blockDim.x + threadIdx.x] = right >= n ? T(0) : in[right];
  __syncthreads();
  T sum = 0;
  for (int j = 0; j < width; j++)
    sum += tile[threadIdx.x + j] * taps<T>[j];
  out[i] = sum;
}

template <typename T>
void run(const int n, const int width)
{
  T *a, *b;
  hipMalloc((void **)&a, n * sizeof(T));
  hipMalloc((void **)&b, n * sizeof(T));
  for (int block = 64; block <= MAX_BLOCK; block *= 2) {
    line_plain<T><<<n / block, block>>>(a, b, n, width);
    line_halo<T><<<n / block, block, (block + MAX_WEIGHTS - 1) * sizeof(T)>>>(a, b, n, width);
  }
  hipFree(a);
  hipFree(b);
}

int main(int argc, char **argv)
{
  int n = (atoi(argv[1]) + MAX_BLOCK - 1) / MAX_BLOCK * MAX_BLOCK;
  for (int width = 3; width < MAX_WEIGHTS; width += 2) {
    run<float>(n, width);
    run<double>(n, width);
  }
}
