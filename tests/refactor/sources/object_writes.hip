// Memory that is written by more than `=` on numbers: class types, methods, templates' types.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

struct Point {
  float x;
  __device__ void set(float v) { x = v; }
  __device__ float get() const { return x; }
};

__global__ void half_out(const float *in, __half *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2half(in[i]);
}

__global__ void vector_add(const float4 *in, float4 *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += in[i];
}

__global__ void method_sets(const Point *in, Point *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i].set(in[i].get());
}

template <typename T>
__global__ void scatter(const T *in, T *out, const int *at, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[at[i]], in[i]);
}

void launch(const float *a, __half *h, float4 *v, Point *p, float *out, const int *at, int n)
{
  int blocks = (n + 255) / 256;
  half_out<<<blocks, 256>>>(a, h, n);
  vector_add<<<blocks, 256>>>(v, v + n, n);
  method_sets<<<blocks, 256>>>(p, p + n, n);
  scatter<float><<<blocks, 256>>>(a, out, at, n);
}
