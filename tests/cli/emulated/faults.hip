// What kernels do wrong, by the first argument.
#include <hip/hip_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fails(int n) {
    assert(n > 1);
}

__global__ void diverges(int *out) {
    if (threadIdx.x < 3)
        out[threadIdx.x] = __shfl(threadIdx.x, 0);
    __syncthreads();
}

int main(int argc, char **argv) {
    int *memory;
    const char *which = argc > 1 ? argv[1] : "";
    hipMalloc((void **)&memory, 64 * sizeof(int));
    if (strcmp(which, "assert") == 0) {
        fails<<<1, 4>>>(1);
    } else if (strcmp(which, "stuck") == 0) {
        diverges<<<1, 64>>>(memory);
    } else if (strcmp(which, "write") == 0) {
        fprintf(stderr, "opening\n");
        return fopen("/tmp/hiptemper-emulate-must-not-be", "w") ? 1 : 2;
    } else if (strcmp(which, "crash") == 0) {
        abort();
    }
    printf("%s\n", hipGetErrorName(hipDeviceSynchronize()));
    return 9;
}
