/* A program that uses HIP: app SOURCE WAY [COUNT] launches the kernels of shift.hip in one of the
 * ways that there are, prints a sum of what they computed, and exits with 3. */
#include "base/file.h"
#include "runtime/provider/hip.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 6, COLUMNS = 100, BLOCK = 64, INDICES = 90, CODE = 3 };

#define RUNTIME(result, name, parameters) result name parameters;
HT_HIP_RUNTIME_FUNCTIONS(RUNTIME)
HT_HIPRTC_FUNCTIONS(RUNTIME)

typedef struct dim3 {
    uint32_t x, y, z;
} dim3;
void **__hipRegisterFatBinary(const void *data);
void __hipRegisterFunction(void **module, const void *handle, char *host_name, const char *name,
                           unsigned threads, void *thread, void *block, void *block_size,
                           void *grid_size, int *wavefront);
hipError_t hipLaunchKernel(const void *handle, dim3 grid, dim3 block, void **arguments,
                           size_t shared, hipStream_t stream);
hipError_t by_threads(hipFunction_t function, uint32_t threads_x, uint32_t threads_y,
                      uint32_t threads_z, uint32_t block_x, uint32_t block_y, uint32_t block_z,
                      size_t shared, hipStream_t stream, void **arguments, void **extra,
                      hipEvent_t start, hipEvent_t stop,
                      uint32_t flags) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_"
                                              "tjjjjjjmP12ihipStream_tPPvS4_P11"
                                              "ihipEvent_tS6_j");

static void check(int result, const char *call) {
    if (result == 0)
        return;
    fprintf(stderr, "app: %s: %d\n", call, result);
    exit(1);
}
#define CHECK(call) check(call, #call)

static char *code;
static char names[2][64]; /* lowered */

static void compile(const char *path) {
    static const char *const expressions[] = {"shift", "gather"};
    const char *options[] = {"--offload-arch=gfx90a"}, *lowered;
    char *text = NULL;
    hiprtcProgram program;
    size_t size;
    CHECK(ht_file_read(path, 0, &text, NULL, NULL));
    CHECK(hiprtcCreateProgram(&program, text, "shift.hip", 0, NULL, NULL));
    for (int i = 0; i < 2; ++i)
        CHECK(hiprtcAddNameExpression(program, expressions[i]));
    CHECK(hiprtcCompileProgram(program, 1, options));
    for (int i = 0; i < 2; ++i) {
        CHECK(hiprtcGetLoweredName(program, expressions[i], &lowered));
        snprintf(names[i], sizeof names[i], "%s", lowered);
    }
    CHECK(hiprtcGetCodeSize(program, &size));
    code = malloc(size);
    CHECK(hiprtcGetCode(program, code));
    free(text);
}

/* In place of the stubs that clang makes of `shift<<<...>>>`, whose addresses stand for kernels. */
static char stubs[2];

static void register_all(void) {
    static struct {
        unsigned magic, version;
        const void *data, *unused;
    } wrapper = {0x48495046, 1, NULL, NULL};
    wrapper.data = code;
    void **module = __hipRegisterFatBinary(&wrapper);
    for (int i = 0; i < 2; ++i)
        __hipRegisterFunction(module, &stubs[i], names[i], names[i], ~0U, NULL, NULL, NULL, NULL,
                              NULL);
}

/* Launches with all arguments in one block of memory, where the code object has them. */
static void launch_packed(hipFunction_t function, dim3 grid, int kernel, void **arguments) {
    static const size_t sizes[2][5] = {{8, 8, 4, 4, 4}, {8, 8, 8, 4}};
    char block[64];
    size_t size = 0;
    for (int i = 0; i < 5 && sizes[kernel][i] > 0; ++i) {
        memcpy(block + size, arguments[i], sizes[kernel][i]);
        size += sizes[kernel][i];
    }
    void *extra[] = {(void *)1, block, (void *)2, &size, (void *)3};
    CHECK(hipModuleLaunchKernel(function, grid.x, grid.y, 1, BLOCK, 1, 1, 0, NULL, NULL, extra));
}

static void launch(const char *way, int kernel, dim3 grid, void **arguments) {
    static hipModule_t module;
    hipFunction_t function;
    if (strcmp(way, "host") == 0) {
        CHECK(hipLaunchKernel(&stubs[kernel], grid, (dim3){BLOCK, 1, 1}, arguments, 0, NULL));
        return;
    }
    if (module == NULL)
        CHECK(hipModuleLoadData(&module, code));
    CHECK(hipModuleGetFunction(&function, module, names[kernel]));
    if (strcmp(way, "threads") == 0)
        CHECK(by_threads(function, grid.x * BLOCK, grid.y, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL,
                         NULL, NULL, 0));
    else if (strcmp(way, "packed") == 0)
        launch_packed(function, grid, kernel, arguments);
    else
        CHECK(hipModuleLaunchKernel(function, grid.x, grid.y, 1, BLOCK, 1, 1, 0, NULL, arguments,
                                    NULL));
}

static double work(const char *way, int count) {
    float in[ROWS * COLUMNS], out[ROWS * COLUMNS], by = 0.5F;
    int32_t index[INDICES], rows = ROWS, columns = COLUMNS, indices = INDICES;
    void *memory[3];
    double sum = 0;
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        in[i] = (float)i;
    for (int i = 0; i < INDICES; ++i)
        index[i] = 7 + 3 * i;
    CHECK(hipMalloc(&memory[0], sizeof in));
    CHECK(hipMalloc(&memory[1], sizeof out));
    CHECK(hipMalloc(&memory[2], sizeof index));
    CHECK(hipMemcpy(memory[0], in, sizeof in, HT_HIP_COPY_HOST_TO_DEVICE));
    CHECK(hipMemcpy(memory[2], index, sizeof index, HT_HIP_COPY_HOST_TO_DEVICE));
    CHECK(hipMemset(memory[1], 0, sizeof out));
    void *of_shift[] = {&memory[0], &memory[1], &rows, &columns, &by};
    void *of_gather[] = {&memory[2], &memory[0], &memory[1], &indices};
    for (int i = 0; i < count; ++i)
        launch(way, 0, (dim3){(COLUMNS + BLOCK - 1) / BLOCK, ROWS, 1}, of_shift);
    launch(way, 1, (dim3){(INDICES + BLOCK - 1) / BLOCK, 1, 1}, of_gather);
    CHECK(hipMemcpy(out, memory[1], sizeof out, HT_HIP_COPY_DEVICE_TO_HOST));
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        sum += (double)out[i];
    for (int i = 0; i < 3; ++i)
        CHECK(hipFree(memory[i]));
    return sum;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    const char *way = argv[2];
    int count = argc > 3 ? atoi(argv[3]) : 2;
    if (strcmp(way, "nothing") == 0)
        return CODE;
    if (strcmp(way, "fork") == 0) {
        pid_t other = fork();
        way = "module";
        if (other > 0 && waitpid(other, NULL, 0) != other)
            return 1;
    }
    CHECK(hipInit(0));
    CHECK(hipSetDevice(0));
    compile(argv[1]);
    register_all();
    printf("sum %.1f\n", work(way, count));
    fflush(stdout);
    if (strcmp(way, "crash") == 0)
        abort();
    return CODE;
}
