#include <hip/hip_runtime.h>

#define TILE 16

// a matrix with its rows as columns
__global__ void turned(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

void turn(const float *in, float *out, int width, int height)
{
    turned<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, TILE)>>>(in, out, width, height);
}

int main()
{
    const int width = 640, height = 480;
    float *in, *out;
    hipMalloc(&in, width * height * sizeof(float));
    hipMalloc(&out, width * height * sizeof(float));
    turn(in, out, width, height);
    return hipDeviceSynchronize();
}
