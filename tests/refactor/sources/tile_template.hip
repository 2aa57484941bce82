// Matrix product with tiles whose edge is a template argument, and a second kernel that uses the same constant.
#include <hip/hip_runtime.h>

constexpr int kEdge = 16;
constexpr int kPadded = kEdge + 1;

template <typename T, int Edge>
__global__ void product(const T *a, const T *b, T *c, int m, int n, int k)
{
    __shared__ T as[Edge][Edge];
    __shared__ T bs[Edge][Edge + 1];
    int row = blockIdx.y * Edge + threadIdx.y;
    int col = blockIdx.x * Edge + threadIdx.x;
    T sum = 0;
    for (int t = 0; t < (k + Edge - 1) / Edge; ++t) {
        int ak = t * Edge + threadIdx.x, bk = t * Edge + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && ak < k ? a[row * k + ak] : T(0);
        bs[threadIdx.y][threadIdx.x] = bk < k && col < n ? b[bk * n + col] : T(0);
        __syncthreads();
        for (int i = 0; i < Edge; ++i)
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

__global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[kEdge][kPadded];
    int x = blockIdx.x * kEdge + threadIdx.x;
    int y = blockIdx.y * kEdge + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * kEdge + threadIdx.x;
    y = blockIdx.x * kEdge + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    dim3 block(kEdge, kEdge);
    dim3 grid((n + kEdge - 1) / kEdge, (m + kEdge - 1) / kEdge);
    product<float, kEdge><<<grid, block>>>(a, b, c, m, n, k);
}

void flip(const float *in, float *out, int width, int height)
{
    transpose<<<dim3((width + kEdge - 1) / kEdge, (height + kEdge - 1) / kEdge), dim3(kEdge, kEdge)>>>(
        in, out, width, height);
}
