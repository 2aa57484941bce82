/* Functions that host code calls when clang has compiled it: registration of a file's device code
 * and its kernels, and launches of these; and launches by numbers of threads. */
#include "base/memory.h"
#include "runtime/provider/hip.h"
#include "tests/runtime/standin/fault.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_FUNCTION = 98, MAX = 64 };

typedef struct dim3 {
    uint32_t x, y, z;
} dim3;

typedef struct wrapper {
    unsigned magic, version;
    const void *data, *unused;
} wrapper;

typedef struct binary {
    const void *image;
    hipModule_t module;
} binary;

static struct {
    const void *handle;
    binary *of;
    const char *name;
} functions[MAX];
static size_t function_count;

hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                 void **arguments, void **extra);

void **__hipRegisterFatBinary(const void *data);
void **__hipRegisterFatBinary(const void *data) {
    binary *made = ht_alloc(1, sizeof *made);
    made->image = ((const wrapper *)data)->data;
    return (void **)made;
}

void __hipUnregisterFatBinary(void **module);
void __hipUnregisterFatBinary(void **module) {
    free(module);
}

void __hipRegisterFunction(void **module, const void *handle, char *host_name, const char *name,
                           unsigned threads, void *thread, void *block, void *block_size,
                           void *grid_size, int *wavefront);
void __hipRegisterFunction(void **module, const void *handle, char *host_name, const char *name,
                           unsigned threads, void *thread, void *block, void *block_size,
                           void *grid_size, int *wavefront) {
    (void)host_name, (void)threads, (void)thread, (void)block, (void)block_size, (void)grid_size,
        (void)wavefront;
    if (function_count == MAX)
        return;
    functions[function_count].handle = handle;
    functions[function_count].of = (binary *)module;
    functions[function_count++].name = name;
}

/* As HIP's own runtime does, it comes by functions that a program calls, too. */
hipError_t hipLaunchKernel(const void *handle, dim3 grid, dim3 block, void **arguments,
                           size_t shared, hipStream_t stream);
hipError_t hipLaunchKernel(const void *handle, dim3 grid, dim3 block, void **arguments,
                           size_t shared, hipStream_t stream) {
    int fault = standin_fault("hipLaunchKernel", NULL);
    if (fault)
        return fault;
    for (size_t i = 0; i < function_count; i++) {
        hipFunction_t function;
        binary *of = functions[i].of;
        if (functions[i].handle != handle)
            continue;
        hipError_t error = of->module ? 0 : hipModuleLoadData(&of->module, of->image);
        if (!error)
            error = hipModuleGetFunction(&function, of->module, functions[i].name);
        return error ? error
                     : hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                                             block.z, (unsigned)shared, stream, arguments, NULL);
    }
    return INVALID_FUNCTION;
}

#define THREADS                                                                                    \
    (hipFunction_t function, uint32_t threads_x, uint32_t threads_y, uint32_t threads_z,           \
     uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t shared, hipStream_t stream,      \
     void **arguments, void **extra, hipEvent_t start, hipEvent_t stop, uint32_t flags)
hipError_t by_threads THREADS __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12"
                                      "ihipStream_tPPvS4_P11ihipEvent_tS6_j");
hipError_t by_threads THREADS {
    (void)start, (void)stop, (void)flags;
    return hipModuleLaunchKernel(function, threads_x / block_x, threads_y / block_y,
                                 threads_z / block_z, block_x, block_y, block_z, (unsigned)shared,
                                 stream, arguments, extra);
}
