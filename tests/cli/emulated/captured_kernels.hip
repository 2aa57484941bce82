#include "captured.cuh"

__global__ void gather_columns(const float *image, const int *index, float *sum,
                               int rows, int columns, float scale) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows)
    return;
  sum[y * columns + x] = scale * image[y * columns + index[x]];
}

struct range {
  long first;
  union {
    long count, length;
  };
};

// Nothing but a run tells where the table begins.
template <typename T> __global__ void fill_table(T *table, long count, T step) {
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    table[i] = step * i;
}

__global__ void clear(double *table, range of) {
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < of.count)
    table[of.first + i] = 0.0;
}

// The block comes from a place that is not followed.
static dim3 shape(const char *words) {
  unsigned x = 0;
  for (; *words; ++words)
    x = 10 * x + (*words - '0');
  return dim3(x, 4);
}

void gather(const float *image, const int *index, float *sum, int rows,
            int columns, float scale) {
  const dim3 block = shape("32");
  gather_columns<<<dim3((columns + block.x - 1) / block.x,
                        (rows + block.y - 1) / block.y),
                   block>>>(image, index, sum, rows, columns, scale);
}

void tabulate(double *table, long count) {
  clear<<<(count + 63) / 64, 64>>>(table, range{0, {count}});
  fill_table<double><<<(count + 63) / 64, 64>>>(table, count, 0.5);
}
