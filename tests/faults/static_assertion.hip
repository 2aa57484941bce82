// It fails a static_assert.
// expect BLOCK=32 FAULT=1: compile: test.hip:18:19: error: static assertion failed
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
template <int BLOCK, int FAULT>
__global__ void triple(const int *in, int *out, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = 3 * in[i] + 1;
    static_assert(FAULT != 1 || BLOCK != 32, "tiles of 32 do not fit");
}
