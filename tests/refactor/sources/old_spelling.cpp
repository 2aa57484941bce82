// The older spelling of indices, a flattened grid, and launches with runtime sizes.
#include "hip/hip_runtime.h"
#include <cstdlib>

__global__ void flat_convolution(unsigned int *in, float *mask, int *out, uint2 size, uint2 maskSize,
                                 unsigned int paddedWidth)
{
    unsigned int tid = hipBlockDim_x * hipBlockIdx_x + hipThreadIdx_x;
    unsigned int width = size.x;
    unsigned int height = size.y;
    unsigned int x = tid % width;
    unsigned int y = tid / width;
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    unsigned int m = 0, n = 0;
    for (unsigned int j = y; j < (y + maskSize.y); ++j, m++) {
        n = 0;
        for (unsigned int i = x; i < (x + maskSize.x); ++i, n++)
            sum += (float)in[j * paddedWidth + i] * mask[m * maskSize.x + n];
    }
    sum += 0.5f;
    out[tid] = (int)sum;
}

class Runner
{
    unsigned int *in;
    float *mask;
    int *out;
    unsigned int width, height;
    size_t globalThreads, localThreads;

public:
    Runner() : globalThreads(0), localThreads(256) {}
    void run()
    {
        globalThreads = (width * height + localThreads - 1) / localThreads * localThreads;
        hipLaunchKernelGGL(flat_convolution, dim3(globalThreads / localThreads), dim3(localThreads), 0, 0,
                           in, mask, out, make_uint2(width, height), make_uint2(3, 3), width + 2);
    }
};

int main()
{
    Runner runner;
    runner.run();
}
