// The compiler does not end.
// expect BLOCK=32 FAULT=1: timeout: compiler: no end within 1.5 s
// expect BLOCK=64 FAULT=1: timeout: compiler: no end within 1.5 s
// option compile_limit 1.5
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
template <int N, int K> struct nest {
    nest<N - 1, 2 * K> a;
    nest<N - 1, 2 * K + 1> b;
};
template <int K> struct nest<0, K> {
    char c;
};
#if FAULT == 1
nest<24, 1> all;
#endif
template <int BLOCK> __global__ void triple(const int *in, int *out, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = 3 * in[i] + 1;
}
