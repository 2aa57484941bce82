/*
 * direct convolution, NCHW, one thread per output pixel.
 * x is expected to be padded already (H, W include the padding), stride 1.
 */
#include <hip/hip_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void conv2d(const float *x, const float *w, float *y,
                       int C, int H, int W, int K, int R, int S)
{
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
                sum += x[((n * C + c) * H + oh + r) * W + ow + s] * w[((k * C + c) * R + r) * S + s];
            }
        }
    }
    y[((n * K + k) * OH + oh) * OW + ow] = sum;
}

void conv2d_forward(const float *d_x, const float *d_w, float *d_y,
                    int N, int C, int H, int W, int K, int R, int S)
{
    int OH = H - R + 1;
    int OW = W - S + 1;
    dim3 threads(16, 16);
    dim3 blocks((OW + 15) / 16, (OH + 15) / 16, N * K);
    hipLaunchKernelGGL(conv2d, blocks, threads, 0, 0, d_x, d_w, d_y, C, H, W, K, R, S);
}

static void conv2d_cpu(const float *x, const float *w, float *y,
                       int N, int C, int H, int W, int K, int R, int S)
{
    int OH = H - R + 1, OW = W - S + 1;
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++)
            for (int oh = 0; oh < OH; oh++)
                for (int ow = 0; ow < OW; ow++) {
                    double sum = 0;
                    for (int c = 0; c < C; c++)
                        for (int r = 0; r < R; r++)
                            for (int s = 0; s < S; s++)
                                sum += (double)x[((n * C + c) * H + oh + r) * W + ow + s] *
                                       w[((k * C + c) * R + r) * S + s];
                    y[((n * K + k) * OH + oh) * OW + ow] = (float)sum;
                }
}

int main(void)
{
    const int N = 2, C = 16, H = 58, W = 58, K = 32, R = 3, S = 3;
    const int OH = H - R + 1, OW = W - S + 1;
    size_t nx = (size_t)N * C * H * W, nw = (size_t)K * C * R * S, ny = (size_t)N * K * OH * OW;

    float *x = (float *)malloc(nx * sizeof(float));
    float *w = (float *)malloc(nw * sizeof(float));
    float *y = (float *)malloc(ny * sizeof(float));
    float *expected = (float *)malloc(ny * sizeof(float));
    for (size_t i = 0; i < nx; i++)
        x[i] = rand() / (float)RAND_MAX - 0.5f;
    for (size_t i = 0; i < nw; i++)
        w[i] = rand() / (float)RAND_MAX - 0.5f;

    float *d_x, *d_w, *d_y;
    if (hipMalloc((void **)&d_x, nx * sizeof(float)) != hipSuccess ||
        hipMalloc((void **)&d_w, nw * sizeof(float)) != hipSuccess ||
        hipMalloc((void **)&d_y, ny * sizeof(float)) != hipSuccess) {
        fprintf(stderr, "out of device memory\n");
        return 1;
    }
    (void)hipMemcpy(d_x, x, nx * sizeof(float), hipMemcpyHostToDevice);
    (void)hipMemcpy(d_w, w, nw * sizeof(float), hipMemcpyHostToDevice);

    conv2d_forward(d_x, d_w, d_y, N, C, H, W, K, R, S);
    if (hipMemcpy(y, d_y, ny * sizeof(float), hipMemcpyDeviceToHost) != hipSuccess) {
        fprintf(stderr, "kernel failed\n");
        return 1;
    }

    conv2d_cpu(x, w, expected, N, C, H, W, K, R, S);
    float worst = 0;
    for (size_t i = 0; i < ny; i++)
        worst = fmaxf(worst, fabsf(y[i] - expected[i]));
    printf("max difference %g: %s\n", worst, worst < 1e-3f ? "PASS" : "FAIL");

    (void)hipFree(d_x);
    (void)hipFree(d_w);
    (void)hipFree(d_y);
    free(x);
    free(w);
    free(y);
    free(expected);
    return worst < 1e-3f ? 0 : 1;
}
