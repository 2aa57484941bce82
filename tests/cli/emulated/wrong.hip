#include <hip/hip_runtime.h>
__device__ void f() {
    undeclared();
}
int main() {}
