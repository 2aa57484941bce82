#pragma once
#include <hip/hip_runtime.h>

// column sums over the depth of a volume
__global__ void column(const float *in, float *out, int nxy, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nxy) {
        float sum = 0.0f;
        for (int z = 0; z < nz; ++z)
            sum += in[z * nxy + i];
        out[i] = sum;
    }
}
