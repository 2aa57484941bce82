// Enough of HIP to run whole programs in plain C++, barriers too: each thread of a block is a
// fiber, which gives way to the next one at a barrier.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;
#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipGridDim_x (gridDim.x)

using std::max;
using std::min;

typedef int hipError_t;
enum { hipSuccess };
template <typename T> static inline hipError_t hipMalloc(T **place, size_t bytes) {
    *place = (T *)malloc(bytes + 64);
    return hipSuccess;
}
static inline hipError_t hipFree(void *place) {
    free(place);
    return hipSuccess;
}

template <typename T> static inline T atomicAdd(T *place, T value) {
    T before = *place;
    *place += value;
    return before;
}

struct shim_fiber {
    ucontext_t context;
    std::vector<char> stack;
    dim3 thread;
    bool ended = false;
};
static ucontext_t shim_scheduler;
static shim_fiber *shim_running;
static std::function<void()> *shim_body;

static inline void __syncthreads() {
    swapcontext(&shim_running->context, &shim_scheduler);
}

static void shim_enter() {
    (*shim_body)();
    shim_running->ended = true;
}

static inline void shim_block(std::vector<shim_fiber> &fibers) {
    size_t number = 0, left = fibers.size();
    for (shim_fiber &fiber : fibers) {
        fiber.stack.resize(65536);
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.data();
        fiber.context.uc_stack.ss_size = fiber.stack.size();
        fiber.context.uc_link = &shim_scheduler;
        makecontext(&fiber.context, shim_enter, 0);
        fiber.ended = false;
        fiber.thread = dim3(number % blockDim.x, number / blockDim.x % blockDim.y,
                            number / blockDim.x / blockDim.y);
        ++number;
    }
    while (left > 0)
        for (shim_fiber &fiber : fibers) {
            if (fiber.ended)
                continue;
            shim_running = &fiber;
            threadIdx = fiber.thread;
            swapcontext(&shim_scheduler, &fiber.context);
            left -= fiber.ended;
        }
}

template <typename F> static inline void shim_launch(dim3 grid, dim3 block, F thread) {
    std::function<void()> body = thread;
    std::vector<shim_fiber> fibers(block.x * block.y * block.z);
    shim_body = &body;
    gridDim = grid;
    blockDim = block;
    for (unsigned z = 0; z < grid.z; ++z)
        for (unsigned y = 0; y < grid.y; ++y)
            for (unsigned x = 0; x < grid.x; ++x) {
                blockIdx = dim3(x, y, z);
                shim_block(fibers);
            }
}

#define hipLaunchKernelGGL(kernel, grid, block, lds, stream, ...)                                  \
    shim_launch(grid, block, [=] { (kernel)(__VA_ARGS__); })
