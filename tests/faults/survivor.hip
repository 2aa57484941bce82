// It leaves a process of its own behind, which must not live on.
// expect BLOCK=32 FAULT=1: crash: SIGABRT
// option sandbox 0
#include <hip/hip_runtime.h>
#pragma tune kernel(triple)
#pragma tune problem(line : n)
#pragma tune param(BLOCK : 32, 64 = 64)
#pragma tune param(FAULT : 0, 1 = 0)
#pragma tune block(BLOCK)
#pragma tune grid(ceil_div(problem.n, BLOCK))
#pragma tune arg(in : in int[problem.n])
#pragma tune arg(out : out int[problem.n])
#pragma tune arg(n : int = problem.n)
extern "C" {
void abort();
int fork();
unsigned sleep(unsigned);
}
template <int BLOCK, int FAULT>
__global__ void triple(const int *in, int *out, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (FAULT == 1 && BLOCK == 32 && i == 5) {
        if (fork() == 0)
            for (;;)
                sleep(1000);
        abort();
    }
    if (i < n)
        out[i] = 3 * in[i] + 1;
}
