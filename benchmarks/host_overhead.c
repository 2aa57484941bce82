/* The cost of emulation: CPU nanoseconds a thread, a barrier and a shuffle of the host provider,
 * and wall-clock seconds a compile. Kernels run on one core (OMP_NUM_THREADS=1 unless set), so that
 * the numbers are of one thread of execution. */
#include "base/clock.h"
#include "runtime/provider/provider.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char source[] = "#include <hip/hip_runtime.h>\n"
                             "__global__ void empty(float *) {}\n"
                             "__global__ void store(float *out) {\n"
                             "  out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;\n"
                             "}\n"
                             "template <int N> __global__ void barriers(float *out) {\n"
                             "  for (int i = 0; i < N; ++i) __syncthreads();\n"
                             "}\n"
                             "__global__ void exchange(float *out) {\n"
                             "  __shared__ float t[1024];\n"
                             "  float sum = 0;\n"
                             "  for (int i = 0; i < 100; ++i) {\n"
                             "    t[threadIdx.x] = sum + i;\n"
                             "    __syncthreads();\n"
                             "    sum += t[threadIdx.x ^ 1];\n"
                             "    __syncthreads();\n"
                             "  }\n"
                             "  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n"
                             "}\n"
                             "__global__ void shuffles(float *out) {\n"
                             "  float v = threadIdx.x;\n"
                             "  for (int i = 0; i < 100; ++i) v += __shfl_xor(v, 1);\n"
                             "  out[blockIdx.x * blockDim.x + threadIdx.x] = v;\n"
                             "}\n";

static const char *const names[] = {"empty",         "store",    "barriers<1>",
                                    "barriers<100>", "exchange", "shuffles"};
enum { NAMES = sizeof names / sizeof *names };

static const ht_hip *hip;

/* Returns the CPU time of this process alone: other programs may be running. */
static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void check(int result, const char *what) {
    if (result == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, hip->hipGetErrorString(result));
    exit(1);
}

static void check_compile(hiprtcResult result, hiprtcProgram program) {
    if (result == 0)
        return;
    size_t size;
    hip->hiprtcGetProgramLogSize(program, &size);
    char *log = malloc(size);
    hip->hiprtcGetProgramLog(program, log);
    fprintf(stderr, "%s", log);
    exit(1);
}

static hiprtcProgram compile(void) {
    hiprtcProgram program;
    check_compile(hip->hiprtcCreateProgram(&program, source, "overhead.hip", 0, NULL, NULL), NULL);
    for (int i = 0; i < NAMES; ++i)
        hip->hiprtcAddNameExpression(program, names[i]);
    check_compile(hip->hiprtcCompileProgram(program, 0, NULL), program);
    return program;
}

static hipModule_t load(hiprtcProgram program) {
    size_t size;
    hip->hiprtcGetCodeSize(program, &size);
    char *code = malloc(size);
    hip->hiprtcGetCode(program, code);
    hipModule_t module;
    check(hip->hipModuleLoadData(&module, code), "hipModuleLoadData");
    free(code);
    return module;
}

/* Returns the fastest of several launches, in nanoseconds a thread. */
static double time_kernel(hiprtcProgram program, hipModule_t module, const char *name,
                          unsigned blocks, unsigned threads, void *out) {
    const char *lowered;
    hipFunction_t function;
    hip->hiprtcGetLoweredName(program, name, &lowered);
    check(hip->hipModuleGetFunction(&function, module, lowered), name);
    void *arguments[] = {&out};
    double best = 1e30;
    for (int i = 0; i < 15; ++i) {
        double start = cpu_seconds();
        check(hip->hipModuleLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments,
                                         NULL),
              name);
        double spent = cpu_seconds() - start;
        best = spent < best ? spent : best;
    }
    return best * 1e9 / ((double)blocks * threads);
}

int main(void) {
    if (!getenv("OMP_NUM_THREADS"))
        omp_set_num_threads(1);
    ht_error error;
    if (ht_provider_host.open(&hip, &error) != HT_OK) {
        fprintf(stderr, "%s\n", error.message);
        return ht_status_exit_code(error.status);
    }
    hiprtcProgram program = compile();
    double best = 1e30;
    for (int i = 0; i < 5; ++i) {
        double start = ht_clock_seconds();
        hiprtcProgram again = compile();
        double spent = ht_clock_seconds() - start;
        best = spent < best ? spent : best;
        hip->hiprtcDestroyProgram(&again);
    }
    printf("compile of %d small kernels: %.3f s\n\n", NAMES, best);
    hipModule_t module = load(program);
    void *out;
    check(hip->hipMalloc(&out, 1 << 20), "hipMalloc");
    printf(
        "ns a thread      empty   store  1 barrier  100 barriers  exchange (200)  100 shuffles\n");
    for (unsigned threads = 64; threads <= 1024; threads *= 4) {
        printf("block of %4u  ", threads);
        static const int width[NAMES] = {8, 8, 11, 14, 16, 14};
        for (int i = 0; i < NAMES; ++i)
            printf("%*.1f", width[i],
                   time_kernel(program, module, names[i], 16384 / threads, threads, out));
        printf("\n");
    }
    hip->hipFree(out);
    hip->hipModuleUnload(module);
    hip->hiprtcDestroyProgram(&program);
    return 0;
}
