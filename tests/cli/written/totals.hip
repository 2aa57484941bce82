#include <hip/hip_runtime.h>

// a total for each block of 64 numbers
__global__ void totals(const float *in, float *out, int n)
{
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

void sum(const float *in, float *out, int n)
{
    totals<<<(n + 63) / 64, 64, 64 * sizeof(float)>>>(in, out, n);
}

int main()
{
    const int n = 131072;
    float *in, *out;
    hipMalloc(&in, n * sizeof(float));
    hipMalloc(&out, (n + 63) / 64 * sizeof(float));
    sum(in, out, n);
    return hipDeviceSynchronize();
}
