/* HIP's functions that launch, register and load, in front of the runtime's own. */
#include "runtime/preload/preload.h"

#include <stdint.h>

typedef struct dim3 {
    uint32_t x, y, z;
} dim3;

/* Around a file's device code, as clang puts it. */
typedef struct wrapper {
    unsigned magic, version;
    const void *data, *unused;
} wrapper;

#define REAL(result, name, parameters)                                                             \
    static void *slot;                                                                             \
    result(*real) parameters = (result(*) parameters)ht_preload_real(name, &slot)

/* ---- kernels ---- */

void **__hipRegisterFatBinary(const void *data);
void **__hipRegisterFatBinary(const void *data) {
    REAL(void **, "__hipRegisterFatBinary", (const void *));
    void **module = real != NULL ? real(data) : NULL;
    if (module != NULL)
        ht_preload_module_add(module, ((const wrapper *)data)->data, false);
    return module;
}

void __hipUnregisterFatBinary(void **module);
void __hipUnregisterFatBinary(void **module) {
    REAL(void, "__hipUnregisterFatBinary", (void **));
    ht_preload_module_remove(module);
    if (real != NULL)
        real(module);
}

#define FUNCTION_PARAMETERS                                                                        \
    (void **module, const void *handle, char *host_name, const char *name, unsigned threads,       \
     void *thread, void *block, void *block_size, void *grid_size, int *wavefront)
void __hipRegisterFunction FUNCTION_PARAMETERS;
void __hipRegisterFunction FUNCTION_PARAMETERS {
    REAL(void, "__hipRegisterFunction", FUNCTION_PARAMETERS);
    if (real == NULL)
        return;
    real(module, handle, host_name, name, threads, thread, block, block_size, grid_size, wavefront);
    ht_preload_kernel_add(handle, module, name);
}

#define MODULE(name, parameters, arguments)                                                        \
    hipError_t name parameters;                                                                    \
    hipError_t name parameters {                                                                   \
        REAL(hipError_t, #name, parameters);                                                       \
        hipError_t error = real != NULL ? real arguments : HT_PRELOAD_NOT_SUPPORTED;               \
        if (error == HT_HIP_SUCCESS && module != NULL)                                             \
            ht_preload_module_add(*module, image, true);                                           \
        return error;                                                                              \
    }
MODULE(hipModuleLoadData, (hipModule_t * module, const void *image), (module, image))
MODULE(hipModuleLoadDataEx,
       (hipModule_t * module, const void *image, unsigned count, void *options, void **values),
       (module, image, count, options, values))

hipError_t hipModuleLoad(hipModule_t *module, const char *path);
hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
    REAL(hipError_t, "hipModuleLoad", (hipModule_t *, const char *));
    hipError_t error = real != NULL ? real(module, path) : HT_PRELOAD_NOT_SUPPORTED;
    if (error == HT_HIP_SUCCESS && module != NULL)
        ht_preload_module_file(*module, path);
    return error;
}

hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleUnload(hipModule_t module) {
    REAL(hipError_t, "hipModuleUnload", (hipModule_t));
    ht_preload_module_remove(module);
    return real != NULL ? real(module) : HT_PRELOAD_NOT_SUPPORTED;
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
    REAL(hipError_t, "hipModuleGetFunction", (hipFunction_t *, hipModule_t, const char *));
    hipError_t error = real != NULL ? real(function, module, name) : HT_PRELOAD_NOT_SUPPORTED;
    if (error == HT_HIP_SUCCESS)
        ht_preload_kernel_add(*function, module, name);
    return error;
}

hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *symbol);
hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *symbol) {
    REAL(hipError_t, "hipGetFuncBySymbol", (hipFunction_t *, const void *));
    hipError_t error = real != NULL ? real(function, symbol) : HT_PRELOAD_NOT_SUPPORTED;
    if (error == HT_HIP_SUCCESS)
        ht_preload_kernel_alias(*function, symbol);
    return error;
}

/* ---- graphs ---- */

hipError_t hipStreamBeginCapture(hipStream_t stream, int mode);
hipError_t hipStreamBeginCapture(hipStream_t stream, int mode) {
    REAL(hipError_t, "hipStreamBeginCapture", (hipStream_t, int));
    hipError_t error = real != NULL ? real(stream, mode) : HT_PRELOAD_NOT_SUPPORTED;
    if (error == HT_HIP_SUCCESS)
        ht_preload_graph(true);
    return error;
}

hipError_t hipStreamEndCapture(hipStream_t stream, void **graph);
hipError_t hipStreamEndCapture(hipStream_t stream, void **graph) {
    REAL(hipError_t, "hipStreamEndCapture", (hipStream_t, void **));
    hipError_t error = real != NULL ? real(stream, graph) : HT_PRELOAD_NOT_SUPPORTED;
    if (error == HT_HIP_SUCCESS)
        ht_preload_graph(false);
    return error;
}

/* ---- launches ---- */

/* Those of kernels that host code registers. */
#define HOST_PARAMETERS                                                                            \
    (const void *handle, dim3 grid, dim3 block, void **arguments, size_t lds, hipStream_t stream)

typedef struct host_call {
    hipError_t(*real) HOST_PARAMETERS;
    const void *handle;
    dim3 grid, block;
    void **arguments;
    size_t lds;
    hipStream_t stream;
} host_call;

static hipError_t host_pass(void *context) {
    const host_call *in = context;
    return in->real(in->handle, in->grid, in->block, in->arguments, in->lds, in->stream);
}

static ht_preload_launch launch_of(const host_call *given) {
    return (ht_preload_launch){.handle = given->handle,
                               .grid = {given->grid.x, given->grid.y, given->grid.z},
                               .block = {given->block.x, given->block.y, given->block.z},
                               .lds = given->lds,
                               .stream = given->stream,
                               .arguments = given->arguments};
}

static hipError_t host_launch(host_call given) {
    const ht_preload_launch launch = launch_of(&given);
    return given.real != NULL ? ht_preload_launched(&launch, host_pass, &given)
                              : HT_PRELOAD_NOT_SUPPORTED;
}

#define HOST_LAUNCH(name)                                                                          \
    hipError_t name HOST_PARAMETERS;                                                               \
    hipError_t name HOST_PARAMETERS {                                                              \
        REAL(hipError_t, #name, HOST_PARAMETERS);                                                  \
        return host_launch((host_call){real, handle, grid, block, arguments, lds, stream});        \
    }
HOST_LAUNCH(hipLaunchKernel)
HOST_LAUNCH(hipLaunchKernel_spt) /* the default stream is the thread's */

#define EXTENDED_PARAMETERS                                                                        \
    (const void *handle, dim3 grid, dim3 block, void **arguments, size_t lds, hipStream_t stream,  \
     hipEvent_t start, hipEvent_t stop, int flags)
typedef struct extended_call {
    hipError_t(*real) EXTENDED_PARAMETERS;
    host_call of;
    hipEvent_t start, stop;
    int flags;
} extended_call;

static hipError_t extended_pass(void *context) {
    const extended_call *in = context;
    return in->real(in->of.handle, in->of.grid, in->of.block, in->of.arguments, in->of.lds,
                    in->of.stream, in->start, in->stop, in->flags);
}

hipError_t hipExtLaunchKernel EXTENDED_PARAMETERS;
hipError_t hipExtLaunchKernel EXTENDED_PARAMETERS {
    REAL(hipError_t, "hipExtLaunchKernel", EXTENDED_PARAMETERS);
    extended_call call = {
        real, {NULL, handle, grid, block, arguments, lds, stream}, start, stop, flags};
    const ht_preload_launch launch = launch_of(&call.of);
    return real != NULL ? ht_preload_launched(&launch, extended_pass, &call)
                        : HT_PRELOAD_NOT_SUPPORTED;
}

/* Those of modules' kernels. */
typedef struct module_call {
    void *real;
    hipFunction_t function;
    uint32_t grid[3], block[3];
    size_t lds;
    hipStream_t stream;
    void **arguments, **extra;
    hipEvent_t start, stop;
    uint32_t flags;
} module_call;

static hipError_t module_launch(module_call *given, const uint32_t blocks[3],
                                ht_preload_call pass) {
    const ht_preload_launch launch = {.handle = given->function,
                                      .grid = {blocks[0], blocks[1], blocks[2]},
                                      .block = {given->block[0], given->block[1], given->block[2]},
                                      .lds = given->lds,
                                      .stream = given->stream,
                                      .arguments = given->arguments,
                                      .extra = given->extra};
    return given->real != NULL ? ht_preload_launched(&launch, pass, given)
                               : HT_PRELOAD_NOT_SUPPORTED;
}

#define MODULE_PARAMETERS                                                                          \
    (hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,  \
     unsigned block_y, unsigned block_z, unsigned lds, hipStream_t stream, void **arguments,       \
     void **extra)
static hipError_t module_pass(void *context) {
    const module_call *in = context;
    hipError_t(*real) MODULE_PARAMETERS = (hipError_t(*) MODULE_PARAMETERS)in->real;
    return real(in->function, in->grid[0], in->grid[1], in->grid[2], in->block[0], in->block[1],
                in->block[2], (unsigned)in->lds, in->stream, in->arguments, in->extra);
}

hipError_t hipModuleLaunchKernel MODULE_PARAMETERS;
hipError_t hipModuleLaunchKernel MODULE_PARAMETERS {
    static void *slot;
    module_call call = {.real = ht_preload_real("hipModuleLaunchKernel", &slot),
                        .function = function,
                        .grid = {grid_x, grid_y, grid_z},
                        .block = {block_x, block_y, block_z},
                        .lds = lds,
                        .stream = stream,
                        .arguments = arguments,
                        .extra = extra};
    return module_launch(&call, call.grid, module_pass);
}

/* hipExtModuleLaunchKernel counts threads, not blocks. It is a function of C++ in HIP. */
#define THREADS_PARAMETERS                                                                         \
    (hipFunction_t function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x,  \
     uint32_t block_y, uint32_t block_z, size_t lds, hipStream_t stream, void **arguments,         \
     void **extra, hipEvent_t start, hipEvent_t stop, uint32_t flags)
#define THREADS_NAME                                                                               \
    "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_t"  \
    "S6_j"

static hipError_t threads_pass(void *context) {
    const module_call *in = context;
    hipError_t(*real) THREADS_PARAMETERS = (hipError_t(*) THREADS_PARAMETERS)in->real;
    return real(in->function, in->grid[0], in->grid[1], in->grid[2], in->block[0], in->block[1],
                in->block[2], in->lds, in->stream, in->arguments, in->extra, in->start, in->stop,
                in->flags);
}

static hipError_t threads_launch(module_call call) {
    uint32_t blocks[3];
    for (int i = 0; i < 3; ++i)
        blocks[i] = call.block[i] > 0 ? (call.grid[i] + call.block[i] - 1) / call.block[i] : 0;
    return module_launch(&call, blocks, threads_pass);
}

#define THREADS_LAUNCH(function_name, symbol)                                                      \
    hipError_t function_name THREADS_PARAMETERS __asm__(symbol);                                   \
    hipError_t function_name THREADS_PARAMETERS {                                                  \
        static void *slot;                                                                         \
        return threads_launch((module_call){.real = ht_preload_real(symbol, &slot),                \
                                            .function = function,                                  \
                                            .grid = {grid_x, grid_y, grid_z},                      \
                                            .block = {block_x, block_y, block_z},                  \
                                            .lds = lds,                                            \
                                            .stream = stream,                                      \
                                            .arguments = arguments,                                \
                                            .extra = extra,                                        \
                                            .start = start,                                        \
                                            .stop = stop,                                          \
                                            .flags = flags});                                      \
    }
THREADS_LAUNCH(threads_launch_of_c, "hipExtModuleLaunchKernel")
THREADS_LAUNCH(threads_launch_of_cpp, THREADS_NAME)
