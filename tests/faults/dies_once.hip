// It died, but not again: once is no proof.
// expect BLOCK=32 FAULT=1: ok
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
char *getenv(const char *);
int snprintf(char *, unsigned long, const char *, ...);
int access(const char *, int);
int creat(const char *, unsigned);
int close(int);
}
template <int BLOCK, int FAULT>
__global__ void triple(const int *in, int *out, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (FAULT == 1 && BLOCK == 32 && i == 5) {
        char path[4096];
        snprintf(path, sizeof path, "%s/died", getenv("TMPDIR"));
        if (access(path, 0) != 0) {
            close(creat(path, 0600));
            abort();
        }
    }
    if (i < n)
        out[i] = 3 * in[i] + 1;
}
