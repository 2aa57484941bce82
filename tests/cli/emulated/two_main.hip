// The main of two files; each has a kernel and a variable of the same name as the other.
#include <hip/hip_runtime.h>

#include <cstdio>

void other_file(int *out);
__global__ void declared_elsewhere(int *out);

static __device__ int value;
namespace {
__global__ void store(int *out) {
    *out = value + 1;
}
} // namespace

int main() {
    int *out, got[3], first = 10;
    hipMalloc(&out, sizeof got);
    hipMemcpyToSymbol(HIP_SYMBOL(value), &first, sizeof first);
    store<<<1, 1>>>(out);
    other_file(out + 1);
    declared_elsewhere<<<1, 1>>>(out + 2);
    hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost);
    bool good = got[0] == 11 && got[1] == 22 && got[2] == 33;
    printf("%d %d %d: %s\n", got[0], got[1], got[2], good ? "PASS" : "FAIL");
    return good ? 0 : 1;
}
