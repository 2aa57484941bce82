/* HIP's modules and launches over the CUDA driver. */
#include "runtime/nvidia/hip.h"
#include "runtime/nvidia/target.h"

#include <stdint.h>
#include <stdio.h>

#define CALL(expression)                                                                           \
    ht_nvidia_result(ht_nvidia_driver() ? ht_nvidia_driver()->expression : HT_CU_NO_DEVICE, NULL)

/* Returns what a refused image means to a user, to follow the driver's own words. */
static const char *image_hint(ht_cu_result result) {
    switch (result) {
    case HT_CU_NO_BINARY:
        return "the image is for another architecture than this GPU's";
    case HT_CU_UNSUPPORTED_PTX:
    case HT_CU_INVALID_IMAGE:
        return "the driver may be older than NVRTC: update the driver, or set HIPTEMPER_NVRTC to "
               "an older libnvrtc.so";
    default:
        return "";
    }
}

static hipError_t module_load_data(hipModule_t *module, const void *image) {
    const ht_nvidia_symbols *cuda = ht_nvidia_driver();
    char log[800] = "", more[1000];
    int options[] = {HT_CU_JIT_ERROR_LOG_BUFFER, HT_CU_JIT_ERROR_LOG_SIZE};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    if (!cuda)
        return ht_nvidia_result(HT_CU_NO_DEVICE, NULL);
    ht_cu_result result = cuda->cuModuleLoadDataEx(module, image, 2, options, values);
    log[sizeof log - 1] = '\0';
    const char *hint = image_hint(result);
    snprintf(more, sizeof more, "%s%s%s", log, *log && *hint ? "; " : "", hint);
    return ht_nvidia_result(result, more);
}

static hipError_t module_unload(hipModule_t module) {
    return CALL(cuModuleUnload(module));
}

/* Allows shared memory above 48 KiB, which must be asked for, once a kernel. To allow all there is
 * costs nothing: a launch takes what it says. */
static hipError_t allow_dynamic_shared(hipFunction_t function) {
    int most = ht_nvidia_device_attribute(HT_CU_MAX_SHARED_PER_BLOCK_OPTIN), fixed = 0;
    if (most <= HT_NVIDIA_STATIC_SHARED)
        return HT_HIP_SUCCESS;
    hipError_t result = CALL(cuFuncGetAttribute(&fixed, HT_CU_FUNC_SHARED, function));
    return result ? result
                  : CALL(cuFuncSetAttribute(function, HT_CU_FUNC_MAX_DYNAMIC_SHARED, most - fixed));
}

static hipError_t module_get_function(hipFunction_t *function, hipModule_t module,
                                      const char *name) {
    hipError_t result = CALL(cuModuleGetFunction(function, module, name));
    return result ? result : allow_dynamic_shared(*function);
}

static hipError_t module_get_global(hipDeviceptr_t *pointer, size_t *size, hipModule_t module,
                                    const char *name) {
    ht_cu_pointer found = 0;
    hipError_t result = CALL(cuModuleGetGlobal_v2(&found, size, module, name));
    if (pointer)
        *pointer = (void *)(uintptr_t)found;
    return result;
}

static hipError_t module_launch_kernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                       unsigned grid_z, unsigned block_x, unsigned block_y,
                                       unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                       void **arguments, void **extra) {
    return CALL(cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                               dynamic_lds, stream, arguments, extra));
}

void ht_nvidia_modules_fill(ht_hip *out_hip) {
    out_hip->hipModuleLoadData = module_load_data;
    out_hip->hipModuleUnload = module_unload;
    out_hip->hipModuleGetFunction = module_get_function;
    out_hip->hipModuleGetGlobal = module_get_global;
    out_hip->hipModuleLaunchKernel = module_launch_kernel;
}
