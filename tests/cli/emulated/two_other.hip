#include <hip/hip_runtime.h>

static __device__ int value = 20;
namespace {
__global__ void store(int *out) {
    *out = value + 2;
}
} // namespace

__global__ void declared_elsewhere(int *out) {
    *out = ADDED;
}

void other_file(int *out) {
    store<<<1, 1>>>(out);
}
