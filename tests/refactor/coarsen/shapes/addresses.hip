// A thread's own arrays that are filled by way of their address.
#include <hip/hip_runtime.h>

struct view {
    float *at;
    __device__ float &operator[](int i) { return at[i]; }
};
struct holder {
    float *at;
    __device__ holder(float *p) : at(p) {}
    __device__ float &operator[](int i) { return at[i]; }
};

__device__ inline void fill_array(float v, float p[4]) {
    for (int i = 0; i < 4; ++i)
        p[i] = v * (i + 1);
}
template <typename T> __device__ inline void fill_any(float v, T &&p) {
    for (int i = 0; i < 4; ++i)
        p[i] = v * (i + 1);
}
template <typename T> __device__ inline void fill_copy(float v, T p) {
    for (int i = 0; i < 4; ++i)
        p[i] = v * (i + 1);
}
template <typename T> __device__ inline void fill_view(float v, T p) {
    for (int i = 0; i < 4; ++i)
        p[i] = v * (i + 1);
}
__device__ inline float *same(float *p) { return p; }

__global__ void array_parameter(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float p[4];
    fill_array(in[y * W + x], p);
    float most = -1;
    for (int j = 0; j < 4; ++j)
        most = fmaxf(most, p[j] - j);
    out[y * W + x] = most;
}
void run_array_parameter(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(array_parameter, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void forwarded(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float p[4];
    fill_any(in[y * W + x], p);
    float most = -1;
    for (int j = 0; j < 4; ++j)
        most = fmaxf(most, p[j] - j);
    out[y * W + x] = most;
}
void run_forwarded(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(forwarded, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void deduced(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float p[4];
    fill_copy(in[y * W + x], p);
    float most = -1;
    for (int j = 0; j < 4; ++j)
        most = fmaxf(most, p[j] - j);
    out[y * W + x] = most;
}
void run_deduced(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(deduced, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void listed(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float p[4];
    view w{p};
    fill_view(in[y * W + x], w);
    float most = -1;
    for (int j = 0; j < 4; ++j)
        most = fmaxf(most, p[j] - j);
    out[y * W + x] = most;
}
void run_listed(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(listed, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void constructed(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float p[4];
    holder w(p);
    fill_view(in[y * W + x], w);
    float most = -1;
    for (int j = 0; j < 4; ++j)
        most = fmaxf(most, p[j] - j);
    out[y * W + x] = most;
}
void run_constructed(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(constructed, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void assigned(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float p[4];
    view w;
    w.at = p;
    fill_view(in[y * W + x], w);
    float most = -1;
    for (int j = 0; j < 4; ++j)
        most = fmaxf(most, p[j] - j);
    out[y * W + x] = most;
}
void run_assigned(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(assigned, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

__global__ void returned(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float p[4];
    float *q = same(p);
    fill_copy(in[y * W + x], q);
    float most = -1;
    for (int j = 0; j < 4; ++j)
        most = fmaxf(most, p[j] - j);
    out[y * W + x] = most;
}
void run_returned(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(returned, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

template <typename T> __device__ inline void fill_typed(T v, T *p) {
    for (int i = 0; i < 4; ++i)
        p[i] = v * (i + 1);
}
template <typename T> __global__ void pointed(const T *in, T *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    T p[2][2];
    fill_typed(in[y * W + x], &(p[0][0]));
    T most = -1;
    for (int j = 0; j < 2; ++j)
        most = fmaxf(most, p[j][1] - j);
    out[y * W + x] = most;
}
void run_pointed(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(pointed<float>, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

struct steps {
    static __device__ void add(float &to, float v) { to += v; }
};
__global__ void by_static(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    float sum = 1;
    steps::add(sum, in[y * W + x]);
    out[y * W + x] = sum;
}
void run_by_static(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(by_static, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// A function of the user's that has the name of one which changes nothing.
template <typename T> __device__ inline void clamp(T &to, T least, T most) {
    to += least < most ? least : most;
}
template <typename T> __global__ void named_alike(const T *in, T *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    T sum = 1;
    clamp(sum, in[y * W + x], in[y * W]);
    out[y * W + x] = sum;
}
void run_named_alike(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(named_alike<float>, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}

// The same by way of objects, of a static method, of a template and of one that changes its object.
struct counted {
    float all;
    static __device__ void add(float &to, float v) { to += v; }
    template <typename T> __device__ void gain(T &to, T v) { to += v; }
    __device__ void take(float v) { all += v; }
};
__global__ void by_object(const float *in, float *out, int W, int H) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= W || y >= H)
        return;
    counted by;
    by.all = 0;
    float sum = 1, more = 2;
    by.add(sum, in[y * W + x]);
    by.gain(more, in[y * W + x]);
    by.take(in[y * W + x]);
    out[y * W + x] = sum + more * by.all;
}
void run_by_object(const float *in, const float *w, float *out, int W, int H) {
    (void)w;
    hipLaunchKernelGGL(by_object, dim3((W + 15) / 16, H), dim3(16), 0, 0, in, out, W, H);
}
