// Kernels whose blocks read elements of an input several times, and some that only seem to.
#include <hip/hip_runtime.h>

#define RADIUS 2

// Zeroes outside of the image.
__global__ void blur_padded(const float *in, const float *mask, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    for (int r = 0; r < 2 * RADIUS + 1; ++r)
        for (int s = 0; s < 2 * RADIUS + 1; ++s) {
            int iy = y + r - RADIUS, ix = x + s - RADIUS;
            if (iy >= 0 && iy < height && ix >= 0 && ix < width)
                sum += in[iy * width + ix] * mask[r * (2 * RADIUS + 1) + s];
        }
    out[y * width + x] = sum;
}

// The input is larger than the output.
__global__ void convolve_valid(const float *in, const float *weights, float *out, int channels,
                               int height, int width, int filters)
{
    int ow = blockIdx.x * blockDim.x + threadIdx.x;
    int oh = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z % filters, n = blockIdx.z / filters;
    int out_width = width - 2, out_height = height - 2;
    if (ow < out_width && oh < out_height) {
        float sum = 0.0f;
        for (int c = 0; c < channels; ++c)
            for (int r = 0; r < 3; ++r)
                for (int s = 0; s < 3; ++s)
                    sum += in[((n * channels + c) * height + oh + r) * width + ow + s] *
                           weights[((k * channels + c) * 3 + r) * 3 + s];
        out[((n * filters + k) * out_height + oh) * out_width + ow] = sum;
    }
}

// The border keeps what it had.
__global__ void jacobi(const double *a, double *b, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < n - 1 && j > 0 && j < m - 1)
        b[i * m + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] +
                               a[i * m + j + 1]);
}

// Every second row and column.
__global__ void 
#ifdef __AMDGCN__
__attribute__((amdgpu_waves_per_eu(8)))
#endif
shrink(const float *in, float *out, int out_width, int out_height, int pitch)
{
    unsigned block_x = blockIdx.x, block_y = blockIdx.y;
    const unsigned block_z = blockIdx.z;
    // blocks that follow each other lie in one column of the grid
    if (gridDim.x < 65536 && gridDim.y < 65536) {
        const unsigned block_number = block_y * gridDim.x + block_x;
        const unsigned rows_together = gridDim.y;
        const unsigned band = rows_together * gridDim.x, first_row = block_number / band * rows_together;
        const unsigned band_rows = gridDim.y - first_row < rows_together ? gridDim.y - first_row : rows_together;
        block_x = block_number % band / band_rows;
        block_y = first_row + block_number % band % band_rows;
    }
    {
    const dim3 blockIdx(block_x, block_y, block_z);
    {
    const size_t x = static_cast<size_t>(blockDim.x) * blockIdx.x + threadIdx.x;
    const size_t y = static_cast<size_t>(blockDim.y) * blockIdx.y + threadIdx.y;
    if (x >= (size_t)out_width || y >= (size_t)out_height)
        return;
    float most = 0.0f;
    #pragma unroll 1
    for (int r = 0; r < 3; ++r)
        #pragma unroll 1
        for (int s = 0; s < 3; ++s)
            most = fmaxf(most, in[(2 * y + r) * pitch + 2 * x + s]);
    out[y * out_width + x] = most;
}
    }
}

// A convolution with a stride, a dilation and padding that are arguments.
__global__ void strided(const float *in, const float *weights, float *out, int width, int height,
                        int out_width, int out_height, int pad, int stride, int dilation)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= out_width || y >= out_height)
        return;
    float sum = 0.0f;
    for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s) {
            int iy = y * stride - pad + r * dilation, ix = x * stride - pad + s * dilation;
            if (iy < 0 || iy >= height || ix < 0 || ix >= width)
                continue;
            sum += in[iy * width + ix] * weights[r * 3 + s];
        }
    out[y * out_width + x] = sum;
}

// Pixels at the border are repeated.
__global__ void repeated(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int r = -1; r <= 1; ++r)
            for (int s = -2; s <= 2; ++s) {
                int iy = min(max(y + r, 0), height - 1), ix = max(min(x + s, width - 1), 0);
                sum += in[iy * width + ix];
            }
        out[y * width + x] = sum;
    }
}

// A window that is walked downwards, one row only.
__global__ void echo(const float *signal, const float *taps, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 7; k >= 0; k--)
            if (i - k >= 0)
                sum += taps[k] * signal[i - k];
        out[i] = sum;
    }
}

// A filter of which every second element counts.
__global__ void weighted(const float *signal, const float *taps, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 9; ++k)
        sum += taps[2 * k] * signal[i + k];
    out[i] = sum;
}

// One factor for all.
__global__ void jacobi_scaled(const double *a, const double *factor, double *b, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < n - 1 && j > 0 && j < m - 1)
        b[i * m + j] = factor[0] * (a[(i - 1) * m + j] + a[(i + 1) * m + j]);
}

// Which elements are read depends on data.
__global__ void masked(const float *in, const int *wanted, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || wanted[i] == 0)
        return;
    float sum = 0.0f;
    for (int k = 0; k < 5; ++k)
        sum += in[i + k];
    out[i] = sum;
}

// How wide the window is, is not known.
__global__ void wide(const float *in, float *out, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k)
        sum += in[i + k];
    out[i] = sum;
}

// Each element is read once.
__global__ void scale(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * in[i];
}

// Rows that an argument sets apart: whether windows meet is not known.
__global__ void rows_apart(const float *in, float *out, int width, int height, int stride)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    for (int r = 0; r < 3; ++r)
        sum += in[(y * stride + r) * width + x];
    out[y * width + x] = sum;
}

void launch(const float *in, const float *mask, float *out, int width, int height)
{
    const dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
    blur_padded<<<grid, block>>>(in, mask, out, width, height);
    convolve_valid<<<dim3(grid.x, grid.y, 6), block>>>(in, mask, out, 4, height, width, 3);
    shrink<<<dim3((grid.x * 16 + 15) / 16, (grid.y * 8 + 3) / 4, grid.z), dim3(16, 4)>>>(in, out, width, height, 2 * width + 1);
    strided<<<grid, block>>>(in, mask, out, 2 * width, 2 * height, width, height, 1, 2, 1);
    repeated<<<grid, block>>>(in, out, width, height);
    rows_apart<<<grid, block>>>(in, out, width, height, 2);
}

void launch_lines(const float *in, const float *taps, const int *wanted, float *out, int n)
{
    echo<<<(n + 63) / 64, 64>>>(in, taps, out, n);
    weighted<<<(n + 63) / 64, 64>>>(in, taps, out, n);
    masked<<<(n + 63) / 64, 64>>>(in, wanted, out, n);
    wide<<<(n + 63) / 64, 64>>>(in, out, n, 5);
    scale<<<(n + 63) / 64, 64>>>(in, out, n);
}

void launch_doubles(const double *a, double *b, int n, int m)
{
    jacobi<<<dim3((m + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(a, b, n, m);
    jacobi_scaled<<<dim3((m + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(a, a, b, n, m);
}
