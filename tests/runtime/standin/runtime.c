/* HIP's own symbols over the host provider of the program that opened this library. Devices are
 * those of $HT_STANDIN_GPUS (architectures between commas; "gfx90a:sramecc+:xnack-" without it).
 * Each build exports the symbols of one version of ROCm (CMakeLists.txt). */
#include "base/memory.h"
#include "tests/runtime/standin/fault.h"
#include "tests/runtime/standin/twin.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INVALID_VALUE = 1,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    NOT_FOUND = 500,
    GPUS_MAX = 8,
    ARCH_SIZE = 64
};

typedef struct module {
    hipModule_t host;
    standin_twin twin;
} module;

#define FORWARD(function, ...)                                                                     \
    int fault = standin_fault(#function, NULL);                                                    \
    const ht_hip *host = standin_host();                                                           \
    return fault ? fault : host ? host->function(__VA_ARGS__) : INVALID_DEVICE

static int read_gpus(char archs[GPUS_MAX][ARCH_SIZE]) {
    const char *text = getenv("HT_STANDIN_GPUS");
    int count = 0;
    if (!text)
        text = "gfx90a:sramecc+:xnack-";
    while (*text && count < GPUS_MAX) {
        size_t length = strcspn(text, ",");
        snprintf(archs[count++], ARCH_SIZE, "%.*s", (int)length, text);
        text += length + (text[length] == ',');
    }
    return count;
}

/* Returns the architecture of a device, NULL when there is no such device. Wavefronts of 32 are the
 * host's second device. */
static const char *arch_of(int device, int *out_host) {
    static _Thread_local char archs[GPUS_MAX][ARCH_SIZE];
    if (device < 0 || device >= read_gpus(archs))
        return NULL;
    *out_host = strncmp(archs[device], "gfx1", 4) == 0;
    return archs[device];
}

hipError_t hipInit(unsigned flags) {
    FORWARD(hipInit, flags);
}

hipError_t hipGetDeviceCount(int *count) {
    char archs[GPUS_MAX][ARCH_SIZE];
    int fault = standin_fault("hipGetDeviceCount", NULL);
    *count = read_gpus(archs);
    return fault ? fault : *count ? 0 : 100;
}

hipError_t hipSetDevice(int device) {
    int host_device = 0;
    if (!arch_of(device, &host_device))
        return INVALID_DEVICE;
    FORWARD(hipSetDevice, host_device);
}

hipError_t hipDeviceGetName(char *name, int length, int device) {
    int host_device, fault = standin_fault("hipDeviceGetName", NULL);
    const char *arch = arch_of(device, &host_device);
    if (fault || !arch)
        return fault ? fault : INVALID_DEVICE;
    snprintf(name, (size_t)length, "Stand-in %d", device);
    return 0;
}

hipError_t hipDeviceGetAttribute(int *value, int attribute, int device) {
    int host_device = 0;
    if (!arch_of(device, &host_device))
        return INVALID_DEVICE;
    FORWARD(hipDeviceGetAttribute, value, attribute, host_device);
}

/* Writes in capitals, as ROCm writes it and /sys does not. */
hipError_t hipDeviceGetPCIBusId(char *bus, int length, int device) {
    int host_device, fault = standin_fault("hipDeviceGetPCIBusId", NULL);
    if (fault || !arch_of(device, &host_device))
        return fault ? fault : INVALID_DEVICE;
    snprintf(bus, (size_t)length, "0000:C%d:00.0", device);
    return 0;
}

hipError_t hipDriverGetVersion(int *version) {
    int fault = standin_fault("hipDriverGetVersion", NULL);
    *version = HT_STANDIN_VERSION;
    return fault;
}

/* $HT_STANDIN_LAYOUT "none" stands for a layout of the future. */
static hipError_t properties(const char *function, char *out, int device, size_t arch_offset,
                             size_t warp_offset) {
    int host_device, fault = standin_fault(function, NULL);
    const char *arch = arch_of(device, &host_device), *layout = getenv("HT_STANDIN_LAYOUT");
    if (fault || !arch)
        return fault ? fault : INVALID_DEVICE;
    int32_t warp = host_device ? 32 : 64;
    bool moved = layout && strcmp(layout, "none") == 0;
    snprintf(out, 256, "Stand-in %d", device);
    memcpy(out + warp_offset, &warp, sizeof warp);
    snprintf(out + arch_offset + (moved ? 8 : 0), 256, "%s", arch);
    return 0;
}

hipError_t hipGetDeviceProperties(void *out, int device) {
    return properties("hipGetDeviceProperties", out, device, 396, 276);
}

#ifdef HT_STANDIN_R0600
hipError_t hipGetDevicePropertiesR0600(void *out, int device) {
    return properties("hipGetDevicePropertiesR0600", out, device, 1160, 308);
}
#endif

hipError_t hipMalloc(void **pointer, size_t size) {
    FORWARD(hipMalloc, pointer, size);
}

hipError_t hipFree(void *pointer) {
    FORWARD(hipFree, pointer);
}

hipError_t hipMemcpy(void *to, const void *from, size_t size, int kind) {
    FORWARD(hipMemcpy, to, from, size, kind);
}

hipError_t hipMemset(void *pointer, int value, size_t size) {
    FORWARD(hipMemset, pointer, value, size);
}

hipError_t hipModuleLoadData(hipModule_t *out, const void *image) {
    int fault = standin_fault("hipModuleLoadData", NULL);
    const ht_hip *host = standin_host();
    if (fault || !host)
        return fault ? fault : INVALID_IMAGE;
    module *made = ht_alloc(1, sizeof *made);
    hipError_t error = INVALID_IMAGE;
    if (standin_twin_read(image, &made->twin)) {
        if (made->twin.image)
            error = host->hipModuleLoadData(&made->host, made->twin.image);
        else
            fprintf(stderr, "the stand-in has no twin: %s\n", made->twin.log);
    }
    if (error) {
        standin_twin_free(&made->twin);
        free(made);
        return error;
    }
    *out = made;
    return 0;
}

hipError_t hipModuleUnload(hipModule_t handle) {
    int fault = standin_fault("hipModuleUnload", NULL);
    module *gone = handle;
    if (fault)
        return fault;
    hipError_t error = standin_host()->hipModuleUnload(gone->host);
    standin_twin_free(&gone->twin);
    free(gone);
    return error;
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t handle, const char *name) {
    const module *from = handle;
    const char *own = standin_twin_name(&from->twin, name);
    if (!own)
        return NOT_FOUND;
    FORWARD(hipModuleGetFunction, function, from->host, own);
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *size, hipModule_t handle,
                              const char *name) {
    const module *from = handle;
    const char *own = standin_twin_name(&from->twin, name);
    if (!own)
        return NOT_FOUND;
    FORWARD(hipModuleGetGlobal, pointer, size, from->host, own);
}

#ifndef HT_STANDIN_LACKS_LAUNCH
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                 void **arguments, void **extra) {
    FORWARD(hipModuleLaunchKernel, function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
            dynamic_lds, stream, arguments, extra);
}
#endif

hipError_t hipEventCreate(hipEvent_t *event) {
    FORWARD(hipEventCreate, event);
}

hipError_t hipEventDestroy(hipEvent_t event) {
    FORWARD(hipEventDestroy, event);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    FORWARD(hipEventRecord, event, stream);
}

hipError_t hipEventSynchronize(hipEvent_t event) {
    FORWARD(hipEventSynchronize, event);
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
    FORWARD(hipEventElapsedTime, milliseconds, start, stop);
}

hipError_t hipDeviceSynchronize(void) {
    FORWARD(hipDeviceSynchronize, );
}

hipError_t hipGetLastError(void) {
    FORWARD(hipGetLastError, );
}

const char *hipGetErrorString(hipError_t error) {
    const ht_hip *host = standin_host();
    return host ? host->hipGetErrorString(error) : "no host provider";
}
