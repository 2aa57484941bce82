// One relaxation step with a reduction of the error over the block, of which nothing may change.
#include <hip/hip_runtime.h>
#define N 256
#define IDX(i, j) ((i) + (j) * N)

__global__ void relax_step(float *__restrict__ f, const float *__restrict__ f_old, float *__restrict__ error)
{
    __shared__ float tile[18][18];
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int ti = threadIdx.x + 1, tj = threadIdx.y + 1;
    tile[tj][ti] = f_old[IDX(i, j)];
    if (threadIdx.x == 0)
        tile[tj][ti - 1] = f_old[IDX(i - 1, j)];
    if (threadIdx.x == 15)
        tile[tj][ti + 1] = f_old[IDX(i + 1, j)];
    if (threadIdx.y == 0)
        tile[tj - 1][ti] = f_old[IDX(i, j - 1)];
    if (threadIdx.y == 15)
        tile[tj + 1][ti] = f_old[IDX(i, j + 1)];
    __syncthreads();
    float err = 0.0f;
    if (i < N - 1 && j < N - 1) {
        float value = 0.25f * (tile[tj][ti - 1] + tile[tj][ti + 1] + tile[tj - 1][ti] + tile[tj + 1][ti]);
        float difference = value - tile[tj][ti];
        err = difference * difference;
        f[IDX(i, j)] = value;
    }
    for (int offset = 8; offset > 0; offset /= 2)
        err += __shfl_down(err, offset, 16);
    __shared__ float rows[16];
    if (threadIdx.x == 0)
        rows[threadIdx.y] = err;
    __syncthreads();
    if (threadIdx.y == 0) {
        err = rows[threadIdx.x];
        for (int offset = 8; offset > 0; offset /= 2)
            err += __shfl_down(err, offset, 16);
        if (threadIdx.x == 0)
            atomicAdd(error, err);
    }
}

int main()
{
    float *f, *f_old, *error;
    hipMalloc((void **)&f, N * N * sizeof(float));
    hipMalloc((void **)&f_old, N * N * sizeof(float));
    hipMalloc((void **)&error, sizeof(float));
    relax_step<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(f, f_old, error);
    hipDeviceSynchronize();
}
