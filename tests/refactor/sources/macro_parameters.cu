// Already parameterized by macros that a tuner gives with -D.
#include <hip/hip_runtime.h>
#ifndef block_w
#define block_w 16
#endif
#ifndef block_h
#define block_h 16
#endif
#ifndef per_thread_x
#define per_thread_x 1
#endif
#ifndef use_columns
#define use_columns 1
#endif
#ifndef fw
#define fw 5
#endif
#define fh 5
#define border_w ((fw / 2) * 2)
#define border_h ((fh / 2) * 2)
#define image_w 256
#define image_h 256
#define input_w (image_w + border_w)
#if (use_columns == 1) && ((block_w % 32) != 0)
#define extra_columns (32 - (border_w % 32))
#else
#define extra_columns 0
#endif

__constant__ float d_filter[33 * 33];

__global__ void tuned_convolution(float *output, float *input, float *filter)
{
    int ty = threadIdx.y;
    int tx = threadIdx.x;
    int by = blockIdx.y * block_h;
    int bx = blockIdx.x * block_w * per_thread_x;
    __shared__ float sh_input[block_h + border_h][block_w * per_thread_x + border_w + extra_columns];
#pragma unroll
    for (int j = ty; j < block_h + border_h; j += block_h) {
#pragma unroll
        for (int i = tx; i < block_w * per_thread_x + border_w; i += block_w) {
#if ((image_h % block_h) != 0)
            if (by + j < image_h + border_h)
#endif
                sh_input[j][i] = input[(by + j) * input_w + bx + i];
        }
    }
    __syncthreads();
    float sum[per_thread_x];
#pragma unroll
    for (int t = 0; t < per_thread_x; t++)
        sum[t] = 0.0f;
#pragma unroll
    for (int i = 0; i < fh; i++)
#pragma unroll
        for (int j = 0; j < fw; j++)
#pragma unroll
            for (int t = 0; t < per_thread_x; t++)
                sum[t] += sh_input[ty + i][tx + j + t * block_w] * d_filter[i * fw + j];
#pragma unroll
    for (int t = 0; t < per_thread_x; t++)
        output[(by + ty) * image_w + bx + tx + t * block_w] = sum[t];
}

__global__ void plain_convolution(float *output, float *input, float *filter)
{
    int y = blockIdx.y * block_h + threadIdx.y;
    int x = blockIdx.x * block_w + threadIdx.x;
    float sum = 0.0f;
    if (y < image_h && x < image_w) {
        for (int j = 0; j < fh; j++)
            for (int i = 0; i < fw; i++)
                sum += input[(y + j) * input_w + x + i] * filter[j * fw + i];
        output[y * image_w + x] = sum;
    }
}
