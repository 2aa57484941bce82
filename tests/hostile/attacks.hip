// Kernels that attack the machine they are tuned on, one a value of ATTACK; 0 is the honest one. The
// test (tests/runtime/job/hostile_test.c) defines BAIT, a folder that none of them may change, and
// PORT, a port of this machine that listens.
#include <hip/hip_runtime.h>
#pragma tune kernel(hostile)
#pragma tune problem(line : n)
#pragma tune param(ATTACK : 0..49 = 0)
#pragma tune block(64)
#pragma tune grid(ceil_div(problem.n, 64))
#pragma tune arg(in : in int[problem.n])
#pragma tune arg(out : out int[problem.n])
#pragma tune arg(n : int = problem.n)
#pragma tune reference(plain) block(64) grid(ceil_div(problem.n, 64))
extern "C" {
int system(const char *);
int fork();
int open(const char *, int, ...);
int creat(const char *, unsigned);
long write(int, const void *, unsigned long);
int close(int);
int unlink(const char *);
int rename(const char *, const char *);
int symlink(const char *, const char *);
int link(const char *, const char *);
int mkdir(const char *, unsigned);
int truncate(const char *, long);
int ftruncate(int, long);
int chmod(const char *, unsigned);
int fchmod(int, unsigned);
int kill(int, int);
int getppid();
int raise(int);
void abort();
void exit(int);
int socket(int, int, int);
int shutdown(int, int);
int connect(int, const void *, unsigned);
int ioctl(int, unsigned long, ...);
int memfd_create(const char *, unsigned);
void *malloc(unsigned long);
void *memset(void *, int, unsigned long);
void *mmap(void *, unsigned long, int, int, int, long);
int printf(const char *, ...);
int snprintf(char *, unsigned long, const char *, ...);
char *getenv(const char *);
void (*signal(int, void (*)(int)))(int);
int usleep(unsigned);
int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);
int pthread_attr_init(void *);
int pthread_attr_setstacksize(void *, unsigned long);
}

// Past the C library.
static __device__ long call(long number, long a = 0, long b = 0, long c = 0, long d = 0,
                            long e = 0) {
    long result;
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                 : "rcx", "r11", "memory");
    return result;
}
// With the numbers of 32-bit programs.
static __device__ long old_call(long number, long a, long b, long c) {
    long result;
    asm volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}
static __device__ void leave(const char *path) { close(open(path, 0x241, 0644)); }
static __device__ void swallow(int) {}
static __device__ void *late(void *) {
    for (;;)
        leave(BAIT "/late");
}
static __device__ void *idle(void *) {
    for (;;)
        usleep(100000);
}
static __device__ void reply(const char *json) {
    unsigned length = 0;
    while (json[length])
        ++length;
    write(3, &length, 4);
    write(3, json, length);
}

static __device__ void programs(int attack) {
    const char *words[] = {"/bin/sh", "-c", "touch " BAIT "/program", nullptr};
    if (attack == 1) system("touch " BAIT "/system");
    if (attack == 2) call(59, (long)words[0], (long)words, 0);
    if (attack == 3 && fork() == 0) leave(BAIT "/fork");
    if (attack == 4) call(58);                         // vfork
    if (attack == 5) call(56, 17);                     // clone, of a process
    if (attack == 6) call(322, memfd_create("x", 0), (long)"", (long)words, 0, 0x1000);
    if (attack == 7) old_call(11, (long)words[0], (long)words, 0);
    if (attack == 8) call(435, 0, 0);                  // clone3: there is none
}
static __device__ void network(int attack) {
    unsigned short address[8] = {2, (unsigned short)(PORT >> 8 | PORT << 8), 0x007f, 0x0100};
    int fd = -1;
    if (attack == 9) fd = socket(2, 1, 0);
    if (attack == 10) fd = socket(10, 2, 0);
    if (attack == 11) fd = socket(1, 1, 0);
    if (attack == 12) fd = call(425, 8, (long)address); // io_uring
    if (attack == 9) connect(fd, address, 16);
}
static __device__ void files(int attack) {
    char path[4096];
    snprintf(path, sizeof path, "%s/../spec.json", getenv("TMPDIR"));
    if (attack == 13) leave(BAIT "/open");
    if (attack == 14) leave("/tmp/hiptemper-hostile");
    if (attack == 15) unlink(BAIT "/victim");
    if (attack == 16) rename(BAIT "/victim", BAIT "/gone");
    if (attack == 17) symlink(BAIT "/victim", path);
    if (attack == 18) link(BAIT "/victim", BAIT "/second");
    if (attack == 19) truncate(BAIT "/victim", 0);
    if (attack == 20) chmod(BAIT "/victim", 0777);
    if (attack == 21) fchmod(open(BAIT "/victim", 0), 0777), fchmod(0, 0777);
    if (attack == 22) mkdir(BAIT "/folder", 0755);
    if (attack == 23) creat(path, 0600);               // another file of the job
    if (attack == 24) call(257, -100, (long)BAIT, 020200002, 0600); // openat, O_TMPFILE
    if (attack == 25) call(437, -100, (long)(BAIT "/openat2"), 0, 24);
    snprintf(path, sizeof path, "/proc/%d/mem", getppid());
    if (attack == 26) open(path, 2);
    for (int i = 0; attack == 27; ++i) {
        snprintf(path, sizeof path, "%s/%d", getenv("TMPDIR"), i);
        creat(path, 0600);
    }
}
static __device__ void others(int attack) {
    if (attack == 28) call(101, 16, getppid());        // ptrace
    if (attack == 29) kill(getppid(), 9);
    if (attack == 30) kill(-1, 15);
    if (attack == 31) call(311, getppid());            // process_vm_writev
    if (attack == 32) call(424, 0, 9);                 // pidfd_send_signal
    if (attack == 33) call(160, 7, (long)"0123456789abcdef"); // setrlimit
    if (attack == 34) call(157, 22, 0);                // prctl, of seccomp
    if (attack == 35) ioctl(0, 0x5412, "x");           // types into a terminal
    if (attack == 36) call(165, (long)"none", (long)BAIT, (long)"tmpfs"); // mount
    if (attack == 37) call(272, 0x10000000);           // unshare
    if (attack == 38) call(29, 0, 1 << 30, 01666);     // shmget
}
static __device__ void excess(int attack) {
    if (attack == 39)
        for (;;)
            memset(malloc(1 << 20), 1, 1 << 20);
    if (attack == 40) {
        while (mmap(nullptr, 1ul << 30, 3, 0x4022, -1, 0) != (void *)-1)
            continue;
        abort();
    }
    if (attack == 41)
        for (;;)
            printf("%0999d\n", 1);
    if (attack == 42) {
        static char filling[1 << 20];
        for (int i = 0;; ++i) {
            int fd = memfd_create("x", 0);
            for (int k = 0; k < 128; ++k)
                write(fd, filling, sizeof filling);
        }
    }
    unsigned long thread, attributes[8];
    if (attack == 43) {
        pthread_attr_init(attributes);
        pthread_attr_setstacksize(attributes, 65536);
        while (pthread_create(&thread, attributes, idle, nullptr) == 0)
            continue;
        abort();
    }
}
static __device__ void tuner(int attack) {
    unsigned long thread;
    if (attack == 44) reply("{\"status\":\"ok\",\"samples\":[0.000001]}"), usleep(100000);
    if (attack == 45) write(3, "\377\377\377\377garbage", 11);
    if (attack == 46) shutdown(3, 2), usleep(100000000);
    if (attack == 47) signal(31, swallow), leave(BAIT "/swallowed");
    if (attack == 48) pthread_create(&thread, nullptr, late, nullptr), usleep(100000);
    if (attack == 49) ftruncate(1, 0), write(1, "\033]0;all is well\a\n", 18), raise(6);
}

template <int ATTACK> __global__ void hostile(const int *in, int *out, int n) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i == 5 && ATTACK > 0) {
        programs(ATTACK);
        network(ATTACK);
        files(ATTACK);
        others(ATTACK);
        excess(ATTACK);
        tuner(ATTACK);
    }
    if (i < n)
        out[i] = 3 * in[i] + 1;
}
__global__ void plain(const int *in, int *out, int n) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n)
        out[i] = 3 * in[i] + 1;
}
