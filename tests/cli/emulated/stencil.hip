// A two-dimensional stencil over pitched memory, with coefficients in constant memory, structures
// as arguments, and a count in a device variable.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

struct extent {
    int width, height;
    size_t pitch;
};
struct weights {
    float centre, side;
};
struct shape {
    char kind;
    short unused;
    double scale;
};
struct large {
    int values[20];
};

__constant__ float coefficients[2];
__device__ int edges;
static __device__ float offset;

__global__ void blur(const float *in, float *out, extent size, weights w, shape s, large l,
                     bool scaled, unsigned char zero, float4 lanes, __half half) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size.width || y >= size.height)
        return;
    size_t row = size.pitch / sizeof(float);
    float value = in[y * row + x];
    if (x == 0 || y == 0 || x == size.width - 1 || y == size.height - 1) {
        atomicAdd(&edges, 1);
    } else {
        value = w.centre * coefficients[0] * value +
                w.side * coefficients[1] *
                    (in[y * row + x - 1] + in[y * row + x + 1] + in[(y - 1) * row + x] +
                     in[(y + 1) * row + x]);
        if (scaled && s.kind == 'x')
            value *= (float)s.scale * std::sqrt((float)l.values[19]);
        value += offset + zero + lanes.w + __half2float(half);
    }
    out[y * row + x] = value;
}

int main() {
    const int width = 37, height = 21;
    std::vector<float> host(width * height), result(width * height);
    for (int i = 0; i < width * height; ++i)
        host[i] = i % 11;
    float *in, *out, c[2] = {0.5f, 0.125f}, shift = 1;
    size_t pitch;
    hipMallocPitch((void **)&in, &pitch, width * sizeof(float), height);
    hipMallocPitch((void **)&out, &pitch, width * sizeof(float), height);
    hipMemcpy2D(in, pitch, host.data(), width * sizeof(float), width * sizeof(float), height,
                hipMemcpyHostToDevice);
    hipMemcpyToSymbol(HIP_SYMBOL(coefficients), c, sizeof c);
    hipMemcpyToSymbol(HIP_SYMBOL(offset), &shift, sizeof shift);
    int zero = 0, count = 0;
    hipMemcpyToSymbol(HIP_SYMBOL(edges), &zero, sizeof zero);
    large l = {};
    l.values[19] = 4;
    blur<<<dim3(5, 3), dim3(8, 8)>>>(in, out, extent{width, height, pitch}, weights{2, 4},
                                     shape{'x', 0, 3}, l, true, 0, make_float4(0, 0, 0, 1), __float2half(1));
    hipMemcpy2D(result.data(), width * sizeof(float), out, pitch, width * sizeof(float), height,
                hipMemcpyDeviceToHost);
    hipMemcpyFromSymbol(&count, HIP_SYMBOL(edges), sizeof count);
    int wrong = count != 2 * (width + height) - 4;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int i = y * width + x;
            float expected = host[i];
            if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
                expected = (expected + 0.5f * (host[i - 1] + host[i + 1] + host[i - width] +
                                               host[i + width])) *
                               6 +
                           3;
            wrong += std::fabs(result[i] - expected) > 1e-4f;
        }
    printf("%d wrong, %d at the edges: %s\n", wrong, count, wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
