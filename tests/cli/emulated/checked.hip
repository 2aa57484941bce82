// Faults that checking mode finds, by the first argument; each gives the right result otherwise.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void reverse(int *data, int n, bool wait) {
    __shared__ int part[64];
    part[threadIdx.x] = data[threadIdx.x];
    if (wait)
        __syncthreads();
    data[threadIdx.x] = part[n - 1 - threadIdx.x]; // line 12
}

__global__ void add(int *data, int n) {
    if (threadIdx.x <= n)
        data[threadIdx.x] += 1; // line 17
}

__global__ void count(int *data) {
    atomicAdd(data, 1);
    data[1] = 1; // line 22: by both blocks
}

int main(int argc, char **argv) {
    int *data, which = argc > 1 ? atoi(argv[1]) : 0;
    hipMalloc((void **)&data, 63 * sizeof(int));
    hipMemset(data, 0, 63 * sizeof(int));
    reverse<<<1, 32>>>(data, 32, which != 1);
    add<<<1, 64>>>(data, which == 2 ? 63 : 62);
    if (which == 3)
        count<<<2, 1>>>(data);
    printf("%s\n", hipGetErrorName(hipDeviceSynchronize()));
    return 0;
}
