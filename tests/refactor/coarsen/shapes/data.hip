// Types, pointers, arrays, macros.
#include <hip/hip_runtime.h>

__global__ void bumped_pointers(const float *in, const float *w, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    const float *p = in + y * W + x;
    const float *f = w;
    float acc = 0.f;
    for (int r = 0; r < 3; ++r) {
        for (int s = 0; s < 3; ++s)
            acc += p[s] * *f++;
        p += W;
    }
    float *o = &out[y * W + x];
    *o = acc + *p;
}
void run_bumped_pointers(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(bumped_pointers, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w, out, W, H);
}

// parameters that move
__global__ void moved_parameters(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= W)
        return;
    in += blockIdx.y * W;
    out += blockIdx.y * W;
    out[x] = in[x] - in[x + 1];
}
void run_moved_parameters(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(moved_parameters, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void moved_by_x(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= W)
        return;
    in += blockIdx.y * W + x;
    out += blockIdx.y * W + x;
    *out = *in++;
    *out += in[0];
}
void run_moved_by_x(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(moved_by_x, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// small arrays: one for all, one for each
__global__ void windows(const float *in, const float *w, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x < W && y < H) {
        float taps[3], window[5] = {0}, sums[2][2] = {};
        for (int i = 0; i < 3; ++i)
            taps[i] = w[i] * 2.f;
        for (int i = 0; i < 5; ++i)
            window[i] = in[y * W + x + i];
        for (int i = 0; i < 3; ++i) {
            sums[0][0] += window[i] * taps[i];
            sums[1][i % 2] += window[i + 2] * taps[2 - i];
        }
        out[y * W + x] = sums[0][0] - sums[1][0] * sums[1][1];
    }
}
void run_windows(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(windows, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w, out, W, H);
}

__global__ void vectors(const float *in, float *out, int W, int H) {
    const unsigned long x = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;
    const int y = (int)blockIdx.y;
    if (x < W && y < H) {
        float2 v = make_float2(in[x], in[x + y]);
        v.x += 1.f;
        float2 u;
        u.x = v.y;
        u.y = v.x * 2.f;
        for (int i = 0; i < 3; ++i)
            u.x += u.y * v.x;
        out[y * W + x] = u.x + u.y;
    }
}
void run_vectors(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(vectors, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// unsigned arithmetic that wraps around
__global__ void unsigned_wrap(const float *in, float *out, unsigned W, unsigned H) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= W || y >= H) return;
    unsigned left = x - 2;
    float v = 0.f;
    if (left < W)
        v = in[y * W + left];
    size_t far = x - 3u;
    if (far < W)
        v += in[far];
    out[y * W + x] = v;
}
void run_unsigned_wrap(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(unsigned_wrap, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// x captured by a macro, and a result too
#define AT(r, c) in[(y + (r)) * W + x + (c)]
#define INSIDE(c) (x + (c) >= 0 && x + (c) < W)
__global__ void captured(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float acc = AT(0, 0) * 2.f;
    for (int s = 0; s < 3; ++s)
        acc += AT(1, s);
    out[y * W + x] = acc;
}
void run_captured(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(captured, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void captured_in_condition(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float acc = 0.f;
    for (int s = -1; s <= 1; ++s)
        if (INSIDE(s))
            acc += AT(1, s);
    out[y * W + x] = acc;
}
void run_captured_in_condition(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(captured_in_condition, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

#define ACCUMULATE(v) acc += (v)
#define FOR(i, n) for (int i = 0; i < (n); ++i)
#define WIDTH (W - 1)
__global__ void statement_macros(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= WIDTH || y >= H)
        return;
    float acc = 0.f;
    FOR(s, 3) {
        ACCUMULATE(in[y * W + x + s]);
    }
    out[y * W + x] = acc;
}
void run_statement_macros(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(statement_macros, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

#define SQUARE(a) ((a) * (a))
__global__ void macro_arguments(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= WIDTH || y >= H)
        return;
    float t = SQUARE(in[y * W + x]);
    FOR(i, 2)
        t += SQUARE(x) + SQUARE(in[SQUARE(i) + x]);
    out[y * W + x] = t;
}
void run_macro_arguments(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(macro_arguments, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// parts of the index under names of their own; several variables in one declaration
__global__ void named_parts(const float *in, float *out, int W, int H) {
    const int tx = threadIdx.x, bx = blockIdx.x;
    const int y = blockIdx.y, x = bx * 16 + tx, last = W - 1;
    if (x > last)
        return;
    int a = y * W, b = a + x, c = 3;
    float v = in[b], u = in[a];
    c += x;
    out[b] = v * u + in[c];
}
void run_named_parts(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(named_parts, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// names that are taken
__global__ void taken_names(const float *in, float *out, int W, int cx) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float x0 = 2.f;
    if (x < W) {
        int next_x = x + 1;
        out[blockIdx.y * W + x] = in[next_x] * x0 + cx;
    }
}
void run_taken_names(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(taken_names, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__device__ void split(float v, float &whole, float &rest) {
    whole = floorf(v);
    rest = v - whole;
}
__device__ float row_sum(const float *row, int x) {
    float s = 0.f;
    for (int i = 0; i < 3; ++i)
        s += row[x + i];
    return s;
}
__global__ void device_functions(const float *in, float *out, int W, int H) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float whole, rest;
    split(row_sum(in + y * W, x) * 4.f, whole, rest);
    float k = 0.f, unused = 0.f;
    split(in[y] * 3.f, k, unused);
    out[y * W + x] = whole * rest + k;
}
void run_device_functions(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(device_functions, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// a pointer into a local array, a reference, an address
__global__ void aliases(const float *in, float *out, int W, int H) {
    int y = blockIdx.y;
    float local[4] = {0.f, 1.f, 2.f, 3.f};
    float *p = local + 1;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= W || y >= H)
        return;
    p[0] += in[x];
    p[1] *= in[y * W + x];
    float &last = local[3];
    last += p[0];
    out[y * W + x] = local[1] + local[2] * last;
}
void run_aliases(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(aliases, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

struct image {
    const float *data;
    int width, height;
};

// a parameter that is a struct; the index held twice
__global__ void struct_parameter(image img, float *out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned again = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= img.width || y >= img.height) return;
    float sum = 0.f;
    for (int i = 0; i < 3; ++i) sum += img.data[y * img.width + again + i];
    out[y * img.width + x] = sum;
}
void run_struct_parameter(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    image img = {in, W, H};
    hipLaunchKernelGGL(struct_parameter, dim3((W + 15) / 16, H), dim3(16), 0, 0, img, out);
}

template <bool SCALED, typename T>
__global__ void flags(const T *in, const T *w, T *out, int W, int H)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    using number = T;
    constexpr int taps = 3;
    number acc[2] = {}, *const row = out + y * W;
    for (int t = 0; t < taps; ++t)
        acc[t % 2] += in[y * W + x + t] * (SCALED ? w[t] : number(1));
    if constexpr (SCALED)
        acc[0] *= T(2);
    row[x] = max(acc[0], acc[1]);
}
void run_flags(const float *in, const float *w, float *out, int W, int H) {
    hipLaunchKernelGGL(HIP_KERNEL_NAME(flags<true, float>), dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w, out, W, H);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(flags<false, float>), dim3((W + 15) / 16, H), dim3(16), 0, 0, in, w,
                       out + W * H, W, H);
}

// sizes that must not change
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WINDOW_SIZE (sizeof window / sizeof(float))
__global__ void measured(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W)
        return;
    float window[5];
    for (unsigned i = 0; i < COUNT(window); ++i)
        window[i] = in[y * W + x + i];
    float sum = 0.f;
    for (unsigned i = 0; i < WINDOW_SIZE; ++i)
        sum += window[i];
    out[y * W + x] = sum;
}
void run_measured(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(measured, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void typed_by_x(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= W)
        return;
    decltype(x) next = x + 1;
    out[blockIdx.y * W + x] = in[next];
}
void run_typed_by_x(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(typed_by_x, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}
