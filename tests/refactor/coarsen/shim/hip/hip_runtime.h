// Enough of HIP to run kernels without barriers in plain C++: threads one after the other.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct float2 {
    float x, y;
};
struct uint2 {
    unsigned x, y;
};
static inline float2 make_float2(float x, float y) {
    return {x, y};
}
static inline uint2 make_uint2(unsigned x, unsigned y) {
    return {x, y};
}

extern dim3 threadIdx, blockIdx, blockDim, gridDim;
extern unsigned shim_factor[3]; // by how much less of the grid is run

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)

using std::max;
using std::min;

template <typename T> static inline T atomicAdd(T *place, T value) {
    T before = *place;
    *place += value;
    return before;
}

template <typename F> static inline void shim_launch(dim3 grid, dim3 block, F thread) {
    grid.x = (grid.x + shim_factor[0] - 1) / shim_factor[0];
    grid.y = (grid.y + shim_factor[1] - 1) / shim_factor[1];
    grid.z = (grid.z + shim_factor[2] - 1) / shim_factor[2];
    gridDim = grid;
    blockDim = block;
    for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z)
        for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
            for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x)
                for (threadIdx.z = 0; threadIdx.z < block.z; ++threadIdx.z)
                    for (threadIdx.y = 0; threadIdx.y < block.y; ++threadIdx.y)
                        for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x)
                            thread();
}

#define hipLaunchKernelGGL(kernel, grid, block, lds, stream, ...)                                  \
    shim_launch(grid, block, [=] { kernel(__VA_ARGS__); })
#define HIP_KERNEL_NAME(...) __VA_ARGS__
