#include <hip/hip_runtime.h>

#define THREADS 256

/* The grid is a number that no analysis follows: it is a size of its own. */
__global__ void spread(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1.0f;
}

static int cover(int n, int per)
{
    int count = 0;
    while (count * per < n)
        ++count;
    return count;
}

void run(const float *in, float *out, int n)
{
    int blocks = cover(n, THREADS);
    spread<<<blocks, 256>>>(in, out, n);
}
