// It starts a process in a session of its own, by one in between that ends, and with nothing open.
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
int setsid();
int close(int);
int execl(const char *, const char *, ...);
void _exit(int);
unsigned sleep(unsigned);
}
__device__ void leave() {
    setsid();
    if (fork() != 0)
        _exit(0);
    setsid();
    for (int fd = 0; fd < 100; ++fd)
        close(fd);
    execl("/bin/sleep", "hiptemper-test-session", "1000", (char *)nullptr);
}
template <int BLOCK, int FAULT>
__global__ void triple(const int *in, int *out, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (FAULT == 1 && BLOCK == 32 && i == 5) {
        if (fork() == 0)
            leave();
        sleep(1);
        abort();
    }
    if (i < n)
        out[i] = 3 * in[i] + 1;
}
