// Sums by shared memory, static and dynamic, by shuffles and by atomics; a template kernel.
#include <hip/hip_cooperative_groups.h> // before HIP's runtime, which older headers do not take
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

template <class T, int BLOCK> __global__ void sum(const T *in, T *out, int n) {
    __shared__ T part[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : T(0);
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, part[0]);
}

__global__ void sum_dynamic(const int *in, int *out, int n) {
    extern __shared__ int part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    int total = 0;
    if (threadIdx.x == 0) {
        for (int k = 0; k < blockDim.x; ++k)
            total += part[k];
        atomicAdd(out, total);
    }
}

__global__ void sum_waves(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    for (int step = warpSize / 2; step > 0; step /= 2)
        value += __shfl_down(value, step);
    unsigned long long lanes = __ballot(1);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(out, value + (lanes == 0 ? 1 : 0));
}

int main() {
    const int n = 5000;
    std::vector<int> host(n);
    std::vector<double> reals(n);
    int expected = 0;
    for (int i = 0; i < n; ++i) {
        host[i] = i % 17;
        reals[i] = host[i];
        expected += host[i];
    }
    int *in, *out, got[3] = {0, 0, 0};
    double *real_in, *real_out, real_got = 0;
    hipMalloc(&in, n * sizeof(int));
    hipMalloc(&out, sizeof got);
    hipMalloc((void **)&real_in, n * sizeof(double));
    hipMalloc((void **)&real_out, sizeof(double));
    hipMemcpy(in, host.data(), n * sizeof(int), hipMemcpyHostToDevice);
    hipMemcpy(real_in, reals.data(), n * sizeof(double), hipMemcpyHostToDevice);
    hipMemset(out, 0, sizeof got);
    hipMemset(real_out, 0, sizeof(double));
    dim3 grid((n + 127) / 128), block(128);
    hipLaunchKernelGGL((sum<int, 128>), grid, block, 0, 0, in, out, n);
    sum_dynamic<<<grid, block, 128 * sizeof(int)>>>(in, out + 1, n);
    sum_waves<<<grid, block>>>(in, out + 2, n);
    sum<double, 64><<<(n + 63) / 64, 64>>>(real_in, real_out, n);
    hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost);
    hipMemcpy(&real_got, real_out, sizeof real_got, hipMemcpyDeviceToHost);
    bool good =
        got[0] == expected && got[1] == expected && got[2] == expected && real_got == expected;
    printf("%d %d %d %g, expected %d: %s\n", got[0], got[1], got[2], real_got, expected,
           good ? "PASS" : "FAIL");
    return good ? 0 : 1;
}
