#include <hip/hip_runtime.h>

static unsigned long blocks_launched;

__global__ void smooth(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = (in[y * width + x] + in[y * width + (x > 0 ? x - 1 : 0)]) * 0.5f;
}

/* The author's grid is named elsewhere, and stays. */
void smooth_rows(const float *in, float *out, int width, int height)
{
    dim3 block(32, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    blocks_launched += grid.x * grid.y;
    smooth<<<grid, block>>>(in, out, width, height);
}
