// What exported dispatchers run in: HIP's names as plain C++, where a launch is only noted.
#pragma once
#include <cstddef>
#include <cstdio>
#include <cstdlib>

typedef int hipError_t;
enum { hipErrorInvalidValue = 1, hipErrorInvalidConfiguration = 9 };
typedef void *hipStream_t;

#define __global__
#define hipLaunchKernelGGL(kernel, grid, block, bytes, ...) note(#kernel, grid, block, bytes)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

static struct {
    int count;
    dim3 grid, block;
    size_t bytes;
} noted;

static void note(const char *, dim3 grid, dim3 block, size_t bytes) {
    noted = {noted.count + 1, grid, block, bytes};
}
static hipError_t hipGetLastError() {
    return 0;
}
static float buffer[1];

// Prints the choice, the error, and what was launched.
static void print(int choice, hipError_t error) {
    printf("%d %d %d %u %u %u %u %u %u %zu\n", choice, error, noted.count, noted.grid.x, noted.grid.y, noted.grid.z,
           noted.block.x, noted.block.y, noted.block.z, noted.bytes);
    noted = {};
}
