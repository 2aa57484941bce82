#include <hip/hip_runtime.h>

// moving sums along rows of an image
__global__ void smooth(const float *in, float *out, int width, int height, int taps)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int t = 0; t < taps; ++t)
            sum += in[y * (width + taps) + x + t];
        out[y * width + x] = sum * 0.25f;
    }
}

void smooth_rows(const float *in, float *out, int width, int height, int taps)
{
    dim3 block(32, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    smooth<<<grid, block>>>(in, out, width, height, taps);
}

int main()
{
    const int width = 640, height = 480, taps = 5;
    float *in, *out;
    hipMalloc(&in, (width + taps) * height * sizeof(float));
    hipMalloc(&out, width * height * sizeof(float));
    smooth_rows(in, out, width, height, taps);
    return hipDeviceSynchronize();
}
