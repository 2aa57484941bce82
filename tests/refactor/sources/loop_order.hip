// Loops that add up.
#include <hip/hip_runtime.h>

__global__ void conv(const float *x, const float *w, float *y, int C, int H, int W, int R, int S)
{
    int ow = blockIdx.x * blockDim.x + threadIdx.x;
    int oh = blockIdx.y * blockDim.y + threadIdx.y;
    int P = H - R + 1, Q = W - S + 1;
    if (ow >= Q || oh >= P)
        return;
    float sum = 0.0f;
    for (int c = 0; c < C; c++)
        for (int r = 0; r < R; r++)
            for (int s = 0; s < S; s++) {
                int ih = oh + r;
                if (ih < 1)
                    continue;
                sum += x[(c * H + ih) * W + ow + s] * w[(c * R + r) * S + s];
            }
    y[oh * Q + ow] = sum;
}

// Whole numbers: any order gives the same.
__global__ void whole(const int *a, const int *b, int *out, int n, int m, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0, most = -1000000;
    for (int j = 0; j < m; ++j) {
        for (int l = 1; l <= k; l++) {
            sum += a[i * m + j] * b[l];
            most = max(most, a[i * m + j] - b[l]);
        }
    }
    out[i] = sum + most;
}

// An index is declared between the loops.
__global__ void padded(const float *x, const float *w, float *y, int C, int H, int W, int R)
{
    int ow = blockIdx.x * blockDim.x + threadIdx.x;
    int oh = blockIdx.y * blockDim.y + threadIdx.y;
    if (ow >= W || oh >= H)
        return;
    float sum = 0.0f;
    for (int c = 0; c < C; c++)
        for (int r = 0; r < R; r++) {
            const int ih = oh + r - R / 2;
            for (int s = 0; s < R; s++) {
                const int iw = ow + s - R / 2;
                if (ih >= 0 && ih < H && iw >= 0 && iw < W)
                    sum += x[(c * H + ih) * W + iw] * w[(c * R + r) * R + s];
            }
        }
    y[oh * W + ow] = sum;
}

// What keeps the order: each for a reason of its own.
__global__ void kept(const float *x, const int *n, float *y, int C, int R, int S)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= C)
        return;
    float sum = 0.0f, last = 0.0f, mean = 0.0f;
    for (int c = 0; c < C; ++c)
        for (int r = 0; r <= c; ++r) // how far it goes depends on the other
            sum += x[r];
    for (int c = 0; c < C; ++c)
        for (int r = 0; r < R; ++r)
            last = x[c * R + r]; // which one is the last?
    for (int c = 0; c < C; ++c)
        for (int r = 0; r < R; ++r) {
            mean += x[r];
            if (mean > 10.0f) // what there is so far is asked for
                break;
        }
    for (int c = 0; c < C; ++c) {
        float least = x[c]; // beside the inner loop
        for (int r = 0; r < R; ++r)
            sum += least * x[r];
    }
    for (int c = 0; c < C; ++c)
        for (int r = 0; r < n[0]; ++r) // memory says how far
            sum += x[r];
    int count = 0;
    for (int c = 0; c < C; ++c)
        for (int r = 0; r < R; ++r)
            count += 7.5f * x[r]; // cut off each time
    for (int c = 0; c < C; ++c)
        for (int r = 0; r < R; ++r)
            y[C + i * R + r] = x[c]; // memory
    y[i] = sum + last + mean + count;
}

void host(int C, int H, int W, int R, int S, int n, int m, int k)
{
    float *x, *w, *y;
    hipMalloc(&x, C * H * W * sizeof(float));
    hipMalloc(&w, C * R * S * sizeof(float));
    hipMalloc(&y, (H - R + 1) * (W - S + 1) * sizeof(float));
    dim3 block(16, 8), grid((W - S + 16) / 16, (H - R + 8) / 8);
    conv<<<grid, block>>>(x, w, y, C, H, W, R, S);
    dim3 all((W + 15) / 16, (H + 7) / 8);
    padded<<<all, block>>>(x, w, y, C, H, W, R);
    int *a, *b, *out;
    hipMalloc(&a, n * m * sizeof(int));
    hipMalloc(&b, (k + 1) * sizeof(int));
    hipMalloc(&out, n * sizeof(int));
    whole<<<(n + 63) / 64, 64>>>(a, b, out, n, m, k);
    kept<<<(C + 63) / 64, 64>>>(x, a, y, C, R, S);
}
