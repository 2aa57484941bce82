/* A stand-in for libcuda.so.1, for tests: the host provider of the program that loads it, under the
 * CUDA driver's symbols. One "GPU" of compute capability 9.0 with warps of 32.
 *
 * HT_STANDIN_FAIL="cuMemAlloc_v2:2 cuLaunchKernel:719:3": the function fails with this code, from
 * its third call on. As with the real driver, a failed launch or an illegal address stays: every
 * later call fails with it until the process ends. */
#include "runtime/nvidia/driver.h"
#include "runtime/provider/provider.h"
#include "tests/runtime/nvidia/standin/image.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every function is declared as the provider will call it. */
#define DECLARE(name, parameters) int name parameters;
HT_CUDA_FUNCTIONS(DECLARE)

typedef struct module {
    hipModule_t host;
    char *names;
} module;

static const ht_hip *hip;
static int poison; /* a sticky error */

/* Returns the code that HT_STANDIN_FAIL demands of this call, or the sticky one. */
static int fails(const char *function, int *calls) {
    const char *plan = getenv("HT_STANDIN_FAIL");
    size_t length = strlen(function);
    (*calls)++;
    for (const char *at = plan; at && *at;) {
        int code = 0, from = 1;
        if (strncmp(at, function, length) == 0 && at[length] == ':' &&
            sscanf(at + length, ":%d:%d", &code, &from) >= 1 && *calls >= from)
            return code;
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return poison;
}

static int sticky(int code) {
    if (code >= 700 && code < 720)
        poison = code;
    return code;
}

#define BEGIN                                                                                      \
    static int calls;                                                                              \
    int failure = fails(__func__, &calls);                                                         \
    if (failure)                                                                                   \
        return sticky(failure);                                                                    \
    if (!hip)                                                                                      \
    return 3

#define POINTER(device) ((void *)(uintptr_t)(device))

typedef struct named_thread {
    int ends[2];
    atomic_int id;
} named_thread;

static void *wait_for_end(void *argument) {
    named_thread *of = argument;
    char end;
    atomic_store(&of->id, (int)gettid());
    (void)!read(of->ends[0], &end, 1);
    return NULL;
}

/* Names a thread as the real driver does (580.159, on an H200): fopen(..., "w"), which makes the
 * file anew. */
static bool is_renamed(const named_thread *of) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", atomic_load(&of->id));
    FILE *file = fopen(path, "w");
    bool written = file && fputs("cuda-EvtHandlr", file) >= 0;
    return file && fclose(file) == 0 && written;
}

/* Starts a thread and names it. The real driver does not start where that is refused, and returns
 * this error. */
static int thread_name(void) {
    enum { OPERATING_SYSTEM = 304 };
    named_thread of = {0};
    pthread_t thread;
    int code = OPERATING_SYSTEM;
    if (pipe(of.ends) != 0)
        return code;
    bool started = pthread_create(&thread, NULL, wait_for_end, &of) == 0;
    while (started && atomic_load(&of.id) == 0)
        sched_yield();
    if (started && is_renamed(&of))
        code = 0;
    close(of.ends[1]);
    if (started)
        pthread_join(thread, NULL);
    close(of.ends[0]);
    return code;
}

int cuInit(unsigned flags) {
    static int calls;
    int failure = fails(__func__, &calls);
    if (failure)
        return failure;
    (void)ht_provider_host.open(&hip, NULL); /* a run worker cannot start the compiler */
    return flags || !hip ? 999 : thread_name();
}
int cuDriverGetVersion(int *version) {
    *version = 13000;
    return 0;
}
int cuDeviceGetCount(int *count) {
    BEGIN;
    *count = 1;
    return 0;
}
int cuDeviceGet(ht_cu_device *device, int ordinal) {
    BEGIN;
    *device = ordinal;
    return ordinal == 0 ? 0 : 101;
}
int cuDeviceGetName(char *name, int length, ht_cu_device device) {
    BEGIN;
    snprintf(name, (size_t)length, "Stand-in GPU %d", device);
    return 0;
}
int cuDeviceGetPCIBusId(char *bus, int length, ht_cu_device device) {
    BEGIN;
    snprintf(bus, (size_t)length, "0000:42:00.%d", device);
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, ht_cu_device device) {
    static const int values[][2] = {
        {1, 1024},     {2, 1024},  {3, 1024},  {4, 64},         {5, 2147483647},
        {6, 65535},    {7, 65535}, {8, 49152}, {10, 32},        {16, 2},
        {38, 1 << 20}, {75, 9},    {76, 0},    {81, 228 << 10}, {97, 64 << 10},
    };
    BEGIN;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i][0] == attribute) {
            *value = values[i][1];
            return device == 0 ? 0 : 101;
        }
    return 1;
}
int cuDevicePrimaryCtxRetain(ht_cu_context *context, ht_cu_device device) {
    BEGIN;
    *context = (void *)(uintptr_t)(device + 1);
    return hip->hipSetDevice(1); /* host:wave32 */
}
int cuCtxSetCurrent(ht_cu_context context) {
    BEGIN;
    return context ? hip->hipSetDevice(1) : 201;
}
int cuCtxSynchronize(void) {
    BEGIN;
    return hip->hipDeviceSynchronize();
}
int cuMemAlloc_v2(ht_cu_pointer *pointer, size_t size) {
    void *made = NULL;
    BEGIN;
    int result = hip->hipMalloc(&made, size);
    *pointer = (uintptr_t)made;
    return result;
}
int cuMemFree_v2(ht_cu_pointer pointer) {
    BEGIN;
    return hip->hipFree(POINTER(pointer));
}
int cuMemcpyHtoD_v2(ht_cu_pointer to, const void *from, size_t size) {
    BEGIN;
    return hip->hipMemcpy(POINTER(to), from, size, HT_HIP_COPY_HOST_TO_DEVICE);
}
int cuMemcpyDtoH_v2(void *to, ht_cu_pointer from, size_t size) {
    BEGIN;
    return hip->hipMemcpy(to, POINTER(from), size, HT_HIP_COPY_DEVICE_TO_HOST);
}
int cuMemcpyDtoD_v2(ht_cu_pointer to, ht_cu_pointer from, size_t size) {
    BEGIN;
    return hip->hipMemcpy(POINTER(to), POINTER(from), size, HT_HIP_COPY_DEVICE_TO_DEVICE);
}
int cuMemsetD8_v2(ht_cu_pointer to, unsigned char value, size_t size) {
    BEGIN;
    return hip->hipMemset(POINTER(to), value, size);
}

int cuModuleLoadDataEx(ht_cu_module *out, const void *image, unsigned option_count, int *options,
                       void **values) {
    standin_header header;
    BEGIN;
    memcpy(&header, image, sizeof header);
    if (memcmp(header.mark, STANDIN_MARK, sizeof header.mark) != 0) {
        for (unsigned i = 0; i < option_count; i++)
            if (options[i] == HT_CU_JIT_ERROR_LOG_BUFFER)
                snprintf(values[i], 100, "stand-in: not an image of the stand-in NVRTC");
        return 200;
    }
    const char *host = (const char *)image + sizeof header;
    module *made = calloc(1, sizeof *made);
    int result = hip->hipModuleLoadData(&made->host, host);
    made->names = strndup(host + header.host_size, header.names_size);
    *out = made;
    return result;
}
int cuModuleUnload(ht_cu_module handle) {
    module *module = handle;
    BEGIN;
    int result = hip->hipModuleUnload(module->host);
    free(module->names);
    free(module);
    return result;
}

/* Returns the host's name for a name that NVRTC gave; NULL when there is none. free(). */
static char *host_name(const module *module, const char *name) {
    size_t length = strlen(name);
    for (const char *line = module->names; *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return strndup(line + length + 1, strcspn(line + length + 1, "\n"));
    return NULL;
}
int cuModuleGetFunction(ht_cu_function *function, ht_cu_module module, const char *name) {
    BEGIN;
    char *host = host_name(module, name);
    int result =
        host ? hip->hipModuleGetFunction(function, ((struct module *)module)->host, host) : 500;
    free(host);
    return result;
}
int cuModuleGetGlobal_v2(ht_cu_pointer *pointer, size_t *size, ht_cu_module module,
                         const char *name) {
    hipDeviceptr_t found = NULL;
    BEGIN;
    char *host = host_name(module, name);
    int result =
        host ? hip->hipModuleGetGlobal(&found, size, ((struct module *)module)->host, host) : 500;
    free(host);
    *pointer = (uintptr_t)found;
    return result;
}
int cuFuncGetAttribute(int *value, int attribute, ht_cu_function function) {
    BEGIN;
    *value = attribute == HT_CU_FUNC_REGISTERS     ? 32
             : attribute == HT_CU_FUNC_MAX_THREADS ? 1024
                                                   : 0;
    return function ? 0 : 400;
}
#ifndef STANDIN_OLD
int cuFuncSetAttribute(ht_cu_function function, int attribute, int value) {
    BEGIN;
    return function && attribute == HT_CU_FUNC_MAX_DYNAMIC_SHARED && value <= 64 << 10 ? 0 : 1;
}
#endif
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, ht_cu_function function, int threads,
                                                size_t dynamic_shared) {
    BEGIN;
    *blocks = threads > 0 && dynamic_shared <= 64 << 10 ? 2048 / threads : 0;
    return function ? 0 : 400;
}
int cuLaunchKernel(ht_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_shared,
                   ht_cu_stream stream, void **arguments, void **extra) {
    BEGIN;
    return sticky(hip->hipModuleLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y,
                                             block_z, dynamic_shared, stream, arguments, extra));
}
int cuEventCreate(ht_cu_event *event, unsigned flags) {
    BEGIN;
    return flags ? 1 : hip->hipEventCreate(event);
}
int cuEventDestroy_v2(ht_cu_event event) {
    BEGIN;
    return hip->hipEventDestroy(event);
}
int cuEventRecord(ht_cu_event event, ht_cu_stream stream) {
    BEGIN;
    return hip->hipEventRecord(event, stream);
}
int cuEventSynchronize(ht_cu_event event) {
    BEGIN;
    return hip->hipEventSynchronize(event);
}
int cuEventElapsedTime(float *milliseconds, ht_cu_event start, ht_cu_event stop) {
    BEGIN;
    return hip->hipEventElapsedTime(milliseconds, start, stop);
}
int cuGetErrorName(ht_cu_result error, const char **name) {
    *name = error == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == 200 ? "CUDA_ERROR_INVALID_IMAGE"
            : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : error == 719 ? "CUDA_ERROR_LAUNCH_FAILED"
                           : "CUDA_ERROR_OTHER";
    return 0;
}
int cuGetErrorString(ht_cu_result error, const char **words) {
    *words = hip && error == 719 ? hip->hipGetErrorString(error) : "stand-in error";
    return 0;
}
