// Kernels that read and write elements side by side, and some that only seem to.
#include <hip/hip_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
void run_add(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(add, dim3((W * H + 15) / 16), dim3(16), 0, 0, in, w, out, W * H);
}

// a row's part is the same for all, a column's is not
__global__ void rows(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    const int at = y * W + x;
    float v = in[at] + w[x] * w[y];
    out[at] = v > 0 ? v : v * 0.25f;
}
void run_rows(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(rows, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w, out, W, H);
}

// what is read behind a store may be what it stored
__global__ void chained(const float *in, float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    a[i] = in[i] * 2;
    c[i] = b[i] + in[i];
}
void run_chained(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(chained, dim3((W * H + 15) / 16), dim3(16), 0, 0, in, out, out,
                       out + W * H, W * H);
}

// the last of two stores to one place stays
__global__ void covered(const float *in, const float *w, float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i];
    a[i] = v * w[i];
    b[i] = v;
}
void run_covered(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(covered, dim3((W * H + 15) / 16), dim3(16), 0, 0, in, w, out, out, W * H);
}

// an input that is the output, element by element
__global__ void onto(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * 3 + 1;
}
void run_onto(const float *in, const float *w, float *out, int W, int H) {
    (void)in, (void)w;
    hipLaunchKernelGGL(onto, dim3((W * H + 15) / 16), dim3(16), 0, 0, out, out, W * H);
}

__global__ void some(const float *in, const float *w, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i];
    if (v > 0)
        out[i] = w[i];
}
void run_some(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(some, dim3((W * H + 15) / 16), dim3(16), 0, 0, in, w, out, W * H);
}

__global__ void ends_early(const float *in, const float *w, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i];
    if (v < 0)
        return;
    out[i] = w[i] + v;
}
void run_ends_early(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(ends_early, dim3((W * H + 15) / 16), dim3(16), 0, 0, in, w, out, W * H);
}

__global__ void bytes(const unsigned char *in, const short *w, short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * w[i] + (short)(i & 7);
}
void run_bytes(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(bytes, dim3((W * H + 15) / 16), dim3(16), 0, 0, (const unsigned char *)in,
                       (const short *)w, (short *)out, W * H);
}

struct pair {
    float a, b;
};
__global__ void pairs(const pair *in, const float *w, pair *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    pair v = in[i];
    v.a *= w[i];
    out[i] = v;
}
void run_pairs(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(pairs, dim3((W * H + 15) / 16), dim3(16), 0, 0, (const pair *)in, w,
                       (pair *)out, W * H);
}

struct careful {
    float a;
    __device__ careful &operator=(const careful &other) {
        a = other.a + 1;
        return *this;
    }
};
__global__ void counted(const careful *in, careful *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
void run_counted(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(counted, dim3((W * H + 15) / 16), dim3(16), 0, 0, (const careful *)in,
                       (careful *)out, W * H);
}

// elements lie apart, or where another says
__global__ void spread(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    int from = w[x] > 0 ? x : 0;
    out[x * H + y] = in[2 * x] + in[y * W + from];
}
void run_spread(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(spread, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w, out, W, H);
}

// padding: tests that all outputs of a thread pass but those at the edge
__global__ void padded(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = w[9];
    for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s) {
            int iy = y + r - 1, ix = x + s - 1;
            if (iy < 0 || iy >= H || ix < 0 || ix >= W)
                continue;
            sum += in[iy * W + ix] * w[r * 3 + s];
        }
    out[y * W + x] = sum;
}
void run_padded(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(padded, dim3((W + 15) / 16, (H + 3) / 4), dim3(16, 4), 0, 0, in, w, out, W,
                       H);
}

// the same, as a condition around the work, in each row
__global__ void wrapped(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H) {
        float sum = 0;
        for (int s = -4; s <= 4; ++s) {
            const int ix = x + s;
            if (ix >= 0 && ix < W) {
                const float v = in[y * W + ix];
                sum += v * w[s + 4];
            }
        }
        out[y * W + x] = sum;
    }
}
void run_wrapped(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(wrapped, dim3((W + 15) / 16, (H + 3) / 4), dim3(16, 4), 0, 0, in, w, out, W,
                       H);
}

// an output in the middle of a thread's may be tested away
__global__ void holed(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 0;
    for (int s = 0; s < 3; ++s) {
        if (x % 4 == 2)
            continue;
        sum += in[y * W + x + s] * w[s];
    }
    out[y * W + x] = sum;
}
void run_holed(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(holed, dim3((W + 15) / 16, (H + 3) / 4), dim3(16, 4), 0, 0, in, w, out, W,
                       H);
}

// in place: each output its own element
__global__ void axpy(const float *in, float *out, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a * in[i] + out[i];
}
void run_axpy(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(axpy, dim3((W * H + 15) / 16), dim3(16), 0, 0, in, out, w[0], W * H);
}

__global__ void scaled(const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    out[y * W + x] *= w[x];
}
void run_scaled(const float *in, const float *w, float *out, int W, int H) {
    (void)in;
    hipLaunchKernelGGL(scaled, dim3((W + 15) / 16, H), dim3(16), 0, 0, w, out, W, H);
}

__global__ void positive(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = out[i];
    if (v < 0)
        out[i] = v * 0.125f;
}
void run_positive(const float *in, const float *w, float *out, int W, int H) {
    (void)in, (void)w;
    hipLaunchKernelGGL(positive, dim3((W * H + 15) / 16), dim3(16), 0, 0, out, W * H);
}

// a result that is added to what is there
__global__ void epilogue(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H) {
        float sum = 0;
        for (int k = 0; k < 5; ++k)
            sum += in[y * W + k] * w[k * W + x];
        out[y * W + x] = w[7] * sum + w[8] * out[y * W + x];
    }
}
void run_epilogue(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(epilogue, dim3((W + 15) / 16, (H + 3) / 4), dim3(16, 4), 0, 0, in, w, out, W,
                       H);
}

// a macro's argument stands in it twice, once under a condition
#define SQUARE(v) ((v) * (v))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
__global__ void squares(const float *in, const float *w, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = SQUARE(in[i]) + LARGER(w[i], 0.5f) + LARGER(0.25f, in[i + 1]);
}
void run_squares(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(squares, dim3((W * H + 15) / 16), dim3(16), 0, 0, in, w, out, W * H);
}
