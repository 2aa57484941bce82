// A function that is not there fails with hipErrorNotSupported, and the program goes on.
#include <hip/hip_runtime.h>

#include <cstdio>

int main() {
    hipGraph_t graph;
    for (int i = 0; i < 3; ++i) {
        hipError_t error = hipGraphCreate(&graph, 0); // line 9
        printf("%s\n", hipGetErrorName(error));
    }
    hipGraphDestroy(nullptr); // line 12
    return 5;
}
