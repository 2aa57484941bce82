// A block for each row or for all of a small problem: threads stride over what there is to do.
#include <hip/hip_runtime.h>

__global__ void scale_rows(const float *in, const float *factor, float *out, int rows, int cols)
{
  const int row = blockIdx.x;
  const float f = factor[row];
  float *to = out + row * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    to[c] = in[row * cols + c] * f;
}

__global__ void table_rows(const float *in, const float *table, float *out, int rows, int cols)
{
  __shared__ float t[300];
  for (int i = threadIdx.x; i < 300; i += blockDim.x)
    t[i] = table[i] * 2.0f;
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    out[blockIdx.x * cols + c] = in[blockIdx.x * cols + c] * t[c % 300];
}

template <typename T>
__global__ void pairs(const T *in, T *out, int width, int height)
{
  int batch = blockIdx.y;
  int x = blockIdx.x;
  int y = threadIdx.x * 2;
  if (x < height) {
    int index = batch * width * height + x * width;
    T value;
    for (; y < width; y = y + blockDim.x * 2) {
      value = in[index + y];
      out[index + y] = value + T(1);
    }
  }
}

__global__ void count(const int *labels, const int *at, int *counts, int n, int dim)
{
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  int col = threadIdx.x;
  if (row < n)
    for (; col < dim; col += blockDim.x)
      atomicAdd(&counts[at[row] * dim + col], labels[row * dim + col]);
}

void launch(const float *in, const float *table, float *out, const int *labels, const int *at, int *counts,
            int rows, int cols)
{
  scale_rows<<<rows, 256>>>(in, table, out, rows, cols);
  table_rows<<<rows, 128>>>(in, table, out, rows, cols);
  pairs<float><<<dim3(rows, 2), dim3(64, 1)>>>(in, out, cols, rows);
  count<<<(rows + 7) / 8, dim3(32, 8)>>>(labels, at, counts, rows, cols);
}
