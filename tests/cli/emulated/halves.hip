// Halves as ROCm 6 has them: members of a half2 are halves, operators are there on the host, too.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void sums(const __half2 *in, __half *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half2 pair = in[i];
    pair.y = pair.y * __half(2.0f);
    out[i] = pair.x + pair.y;
}

int main() {
    const int n = 64;
    __half2 pairs[n], *device_pairs;
    __half results[n], *device_results;
    for (int i = 0; i < n; ++i) {
        pairs[i] = __half2(__half(float(i)), __half(0.5f));
        pairs[i].x += __half(1.0f);
    }
    hipMalloc(&device_pairs, sizeof pairs);
    hipMalloc(&device_results, sizeof results);
    hipMemcpy(device_pairs, pairs, sizeof pairs, hipMemcpyHostToDevice);
    sums<<<1, n>>>(device_pairs, device_results, n);
    hipMemcpy(results, device_results, sizeof results, hipMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        __half expected = pairs[i].x + pairs[i].y * __half(2.0f);
        if (!(results[i] == expected) || float(expected) != float(i) + 2)
            ++wrong;
    }
    printf("%s\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
