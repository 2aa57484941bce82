// Text that does not parse.
// expect BLOCK=32 FAULT=1: compile: 
// expect BLOCK=64 FAULT=1: compile: 
#include <hip/hip_runtime.h>
#ifndef FAULT
#define FAULT 0
#endif
#pragma tune kernel(triple)
#pragma tune problem(line : n)
#pragma tune param(BLOCK : 32, 64 = 64)
#pragma tune param(FAULT : 0, 1 = 0)
#pragma tune block(BLOCK)
#pragma tune grid(ceil_div(problem.n, BLOCK))
#pragma tune arg(in : in int[problem.n])
#pragma tune arg(out : out int[problem.n])
#pragma tune arg(n : int = problem.n)
#if FAULT == 1
int int;
#endif
template <int BLOCK> __global__ void triple(const int *in, int *out, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = 3 * in[i] + 1;
}
