// Accesses outside, by the number that is passed; 0: there is none.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

__global__ void mirror(int *p, int way) {
    __shared__ int part[64];
    int own[4] = {0, 1, 2, 3};
    part[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x + (way == 2)] = part[63 - threadIdx.x];
    p[threadIdx.x] += own[way == 3 ? threadIdx.x + 1 : 0];
}

int main(int argc, char **argv) {
    int way = argc > 1 ? atoi(argv[1]) : 0, *p, *h = new int[10];
    if (hipMalloc(&p, 64 * sizeof(int)) != hipSuccess)
        return 1;
    (void)hipMemset(p, 0, 64 * sizeof(int));
    mirror<<<1, 64>>>(p, way);
    (void)hipMemcpy(h, p, 10 * sizeof(int), hipMemcpyDeviceToHost);
    h[way == 1 ? 10 : 0] = 7;
    printf("end %d %s\n", h[0], hipGetErrorName(hipGetLastError()));
    delete[] h;
    return 4;
}
