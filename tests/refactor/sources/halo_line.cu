#include <stdio.h>
#include <stdlib.h>
#include <hip/hip_runtime.h>

#define REACH 7
#define THREADS 256

__global__ void halo_line(const int *__restrict__ in, int *__restrict__ out)
{
    __shared__ int cache[THREADS + 2 * REACH];
    int g = threadIdx.x + blockIdx.x * blockDim.x;
    int l = threadIdx.x + REACH;

    cache[l] = in[g];
    if (threadIdx.x < REACH) {
        cache[l - REACH] = g < REACH ? 0 : in[g - REACH];
        cache[l + THREADS] = in[g + THREADS];
    }
    __syncthreads();

    int sum = 0;
    for (int o = -REACH; o <= REACH; o++)
        sum += cache[l + o];
    out[g] = sum;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        printf("usage: %s <length, a multiple of %d>\n", argv[0], THREADS);
        return 1;
    }
    int length = atoi(argv[1]);
    int *in, *out;
    hipMalloc((void **)&in, (length + REACH) * sizeof(int));
    hipMalloc((void **)&out, length * sizeof(int));
    dim3 grid(length / THREADS);
    dim3 block(THREADS);
    hipLaunchKernelGGL(halo_line, grid, block, 0, 0, in, out);
    hipDeviceSynchronize();
    return 0;
}
