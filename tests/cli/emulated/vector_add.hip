// c = a + b; prints its arguments; its exit code is the number of them.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
    const int n = 1000;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; ++i) {
        a[i] = i;
        b[i] = 2 * i;
    }
    float *da, *db, *dc;
    hipMalloc(&da, n * sizeof(float));
    hipMalloc(&db, n * sizeof(float));
    hipMalloc(&dc, n * sizeof(float));
    hipMemcpy(da, a.data(), n * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(db, b.data(), n * sizeof(float), hipMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    hipMemcpy(c.data(), dc, n * sizeof(float), hipMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        if (c[i] != 3 * i) {
            printf("wrong at %d: %g\n", i, c[i]);
            return 100;
        }
    for (int i = 1; i < argc; ++i)
        printf("[%s]", argv[i]);
    printf(" PASS\n");
    return argc - 1;
}
