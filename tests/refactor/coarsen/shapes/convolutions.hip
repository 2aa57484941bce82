// Convolutions as people write them. Every kernel has a launcher run_NAME(in, w, out, W, H); in and w hold more than
// anybody reads, out is compared as a whole.
#include <hip/hip_runtime.h>

#define BLOCK 16
#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))
const int kBlock = 8;
const int kRadius = 2;

__global__ void conv2d_nchw(const float *in, const float *w, float *out, int C, int H, int W, int K,
                            int R, int S) {
    int OH = H - R + 1;
    int OW = W - S + 1;
    int ow = blockIdx.x * blockDim.x + threadIdx.x;
    int oh = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z % K;
    int n = blockIdx.z / K;

    if (ow >= OW || oh >= OH)
        return;

    float sum = 0.0f;
    for (int c = 0; c < C; c++) {
        for (int r = 0; r < R; r++) {
            for (int s = 0; s < S; s++) {
                sum += in[((n * C + c) * H + oh + r) * W + ow + s] * w[((k * C + c) * R + r) * S + s];
            }
        }
    }
    out[((n * K + k) * OH + oh) * OW + ow] = sum;
}
void run_conv2d_nchw(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(conv2d_nchw, dim3((W + 15) / 16, (H + 3) / 4, 2 * 3), dim3(16, 4), 0, 0, in, w, out, 2, H + 2,
                       W + 2, 3, 3, 3);
}

// padding and stride, the bounds tested for each element
__global__ void conv2d_padded(const float *in, const float *w, float *out, int H, int W, int OH, int OW, int pad,
                              int stride) {
    const int x = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    const int y = hipBlockIdx_y;
    if (x < OW && y < OH) {
        float acc = 0.0f;
        for (int r = 0; r < 3; ++r) {
            const int iy = y * stride + r - pad;
            if (iy < 0 || iy >= H)
                continue;
            for (int s = 0; s < 3; ++s) {
                const int ix = x * stride + s - pad;
                if (ix >= 0 && ix < W)
                    acc += in[iy * W + ix] * w[r * 3 + s]; // only inside
            }
        }
        out[y * OW + x] = acc;
    }
}
void run_conv2d_padded(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(conv2d_padded, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w, out, 2 * H, 2 * W, H, W, 1, 2);
}

__global__ void conv2d_same(const float *__restrict__ in, const float *__restrict__ w, float *__restrict__ out, int H,
                            int W) {
    int x = threadIdx.x + BLOCK * blockIdx.x, y = blockIdx.y;
    if (x >= W)
        return;
    float acc = 0.0f;
#pragma unroll
    for (int r = -1; r <= 1; ++r)
#pragma unroll
        for (int s = -1; s <= 1; ++s) {
            int ix = x + s, iy = y + r;
            if (ix < 0 || iy < 0 || ix >= W || iy >= H)
                continue;
            acc += in[iy * W + ix] * w[(r + 1) * 3 + s + 1];
        }
    out[y * W + x] = acc;
}
void run_conv2d_same(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(conv2d_same, dim3(CEIL_DIV(W, BLOCK), H), dim3(BLOCK), 0, 0, in, w, out, H, W);
}

__global__ void depthwise3x3(const float *input, const float *filter, float *output, int channels, int in_h, int in_w,
                             int out_h, int out_w, int stride, int pad) {
    const int out_x = threadIdx.x + blockIdx.x * kBlock;
    const int out_y = threadIdx.y + blockIdx.y * kBlock;
    if (out_x >= out_w || out_y >= out_h) return;

    const int plane = blockIdx.z;  // n * channels + c
    const int c = plane % channels;
    const float *in = input + plane * in_h * in_w;
    const float *f = filter + c * 9;

    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        const int y = out_y * stride - pad + i;
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            const int x = out_x * stride - pad + j;
            if (y >= 0 && y < in_h && x >= 0 && x < in_w) {
                sum += in[y * in_w + x] * f[i * 3 + j];
            }
        }
    }
    output[(plane * out_h + out_y) * out_w + out_x] = sum;
}
void run_depthwise3x3(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(depthwise3x3, dim3((W + kBlock - 1) / kBlock, (H + kBlock - 1) / kBlock, 3),
                       dim3(kBlock, kBlock), 0, 0, in, w, out, 3, H, W, H, W, 1, 1);
}

__device__ inline float relu(float v) { return v > 0.0f ? v : 0.0f; }

__global__ __launch_bounds__(64) void conv1x1(float *out, const float *in, const float *weight, const float *bias,
                                              const unsigned in_channels, const unsigned out_channels,
                                              const unsigned pixels)
{
    const unsigned pixel = blockDim.x * blockIdx.x + threadIdx.x;
    const unsigned oc = blockIdx.y;

    if (pixel < pixels)
    {
        float acc = bias[oc];
        for (unsigned ic = 0; ic < in_channels; ic++)
            acc += weight[oc * in_channels + ic] * in[ic * pixels + pixel];
        out[oc * pixels + pixel] = relu(acc);
    }
}
void run_conv1x1(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(conv1x1, dim3(CEIL_DIV(W * H, 64), 3), dim3(64), 0, 0, out, in, w, w + 20, 5, 3, W * H);
}

__global__ void blur_rows(float *dst, const float *src, const float *taps, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        float value = 0.f;
        for (int k = -kRadius; k <= kRadius; ++k) {
            int xx = min(max(x + k, 0), width - 1);
            value += taps[k + kRadius] * src[y * width + xx];
        }
        dst[y * width + x] = value;
    }
}
void run_blur_rows(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(blur_rows, dim3((W + 31) / 32, (H + 1) / 2), dim3(32, 2), 0, 0, out, in, w, W, H);
}

__global__ void blur_columns(float *dst, const float *src, const float *taps, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (y < height) {
        if (x < width) {
            float value = 0.f;
            for (int k = -kRadius; k <= kRadius; ++k) {
                int yy = min(max(y + k, 0), height - 1);
                value += taps[k + kRadius] * src[yy * width + x];
            }
            dst[y * width + x] = value;
        }
    }
}
void run_blur_columns(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(blur_columns, dim3((W + 31) / 32, (H + 1) / 2), dim3(32, 2), 0, 0, out, in, w, W, H);
}

__constant__ float taps5[25] = {1, -2, 3, .5f, .25f, 7, 6, 5, 4, 3, 2, 1, 0, -1, -2, .1f, .2f, .3f, .4f, .5f, 1, 2, 3, 4, 5};

__global__ void filter_constant(const float *input, float *output, const uint2 size)
{
    const size_t x = static_cast<size_t>(blockDim.x) * blockIdx.x + threadIdx.x;
    const size_t y = static_cast<size_t>(blockDim.y) * blockIdx.y + threadIdx.y;
    const size_t width = size.x, height = size.y;
    if(x >= width || y >= height)
    {
        return;
    }

    const size_t padded_width = width + 4;

    float sum = 0.0f;
    for(size_t mask_y = 0; mask_y < 5; ++mask_y)
    {
        for(size_t mask_x = 0; mask_x < 5; ++mask_x)
        {
            sum += input[(y + mask_y) * padded_width + x + mask_x] * taps5[mask_y * 5 + mask_x];
        }
    }
    output[y * width + x] = sum;
}
void run_filter_constant(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(filter_constant, dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16), 0, 0, in, out,
                       make_uint2(W, H));
}

// a flattened index, taken apart by division
__global__ void conv_flat(const float *in, const float *w, float *out, int total, int OH, int OW)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total)
        return;
    const int ow = i % OW;
    const int oh = (i / OW) % OH;
    const int k = i / OW / OH;
    float acc = 0;
    for (int r = 0; r < 3; ++r) {
        for (int s = 0; s < 3; ++s)
            acc += in[(oh + r) * (OW + 2) + ow + s] * w[(k * 3 + r) * 3 + s];
    }
    out[i] = acc;
}
void run_conv_flat(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(conv_flat, dim3((W * H * 3 + 63) / 64), dim3(64), 0, 0, in, w, out, W * H * 3, H, W);
}

template <typename T> __device__ T mul_add(T a, T b, T c) { return a * b + c; }

template <typename T, int TAPS>
__global__ void fir(const T *__restrict__ signal, const T *__restrict__ taps, T *__restrict__ out, const int n)
{
    const int n_out = n - TAPS + 1;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_out)
        return;

    const T *s = signal + blockIdx.y * n;
    T acc = 0;
    for (int t = 0; t < TAPS; ++t)
        acc = mul_add(s[i + t], taps[t], acc);
    out[blockIdx.y * n_out + i] = acc;
}
void run_fir(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(fir<float, 5>), dim3((W + 63) / 64, H), dim3(64), 0, 0, in, w, out, W + 4);
}

// address macros that take names from around them
#define x_idx(b, c, h, v) X[((b) * C + (c)) * Hin * Win + (h) * Win + (v)]
#define w_idx(m, c, p, q) Wt[(m) * C * K * K + (c) * K * K + (p) * K + (q)]
#define y_idx(b, m, h, v) Y[(b) * M * Hout * Wout + (m) * Hout * Wout + (h) * Wout + (v)]
template <typename T>
__global__ void conv3d_s1(const T *__restrict__ X, const T *__restrict__ Wt, T *__restrict__ Y, const int C,
                          const int M, const int K, const int Hin, const int Win, const int Hout, const int Wout)
{
    const int n = blockIdx.z;
    const int m = blockIdx.y / Hout;
    const int h = blockIdx.y % Hout;
    const int w = blockIdx.x * BLOCK + threadIdx.x;
    if (h < Hout && w < Wout) {
        T s = 0;
        for (int c = 0; c < C; c++)
            for (int p = 0; p < K; p++)
                for (int q = 0; q < K; q++)
                    s += x_idx(n, c, h + p, w + q) * w_idx(m, c, p, q);
        y_idx(n, m, h, w) = s;
    }
}
void run_conv3d_s1(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(conv3d_s1<float>), dim3((W + BLOCK - 1) / BLOCK, H * 2, 2), dim3(BLOCK), 0, 0,
                       in, w, out, 2, 2, 3, H + 2, W + 2, H, W);
}

__global__ void maxpool(const float *i_img, float *o_img, const int Hstride, const int Vstride, const int o_w,
                        const int o_h)
{
    unsigned int x = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x >= o_w || y >= o_h)
        return;
    float maxval = -1e30f;
    for (int r = 0; r < Vstride; r++) {
        const unsigned row = (y * Vstride + r) * o_w * Hstride;
        for (int c = 0; c < Hstride; c++)
            maxval = fmaxf(maxval, i_img[row + x * Hstride + c]);
    }
    o_img[y * o_w + x] = maxval;
}
void run_maxpool(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(maxpool, dim3((W + 7) / 8, (H + 7) / 8), dim3(8, 8), 0, 0, in, out, 2, 2, W, H);
}
