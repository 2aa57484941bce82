/* HIP's devices, memory, events and errors over the CUDA driver. */
#include "runtime/nvidia/hip.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DEVICES_MAX = 64 };

static const ht_nvidia_symbols *cuda; /* NULL without a driver */
static const ht_error *driver_missing;
static ht_cu_context contexts[DEVICES_MAX]; /* primary ones, retained for the process */
static int current_device = -1;             /* of the last hipSetDevice */
static _Thread_local int bound_device = -1; /* whose context is current on this thread */

static _Thread_local hipError_t last_error, described;
static _Thread_local char description[1200];

hipError_t ht_nvidia_result(ht_cu_result result, const char *more) {
    if (result == HT_HIP_SUCCESS)
        return result;
    last_error = result;
    described = more && *more ? result : 0;
    if (described)
        snprintf(description, sizeof description, "%s", more);
    return result;
}

static hipError_t context_bind(int ordinal) {
    ht_cu_device device;
    if (!cuda)
        return HT_CU_NO_DEVICE;
    if (ordinal < 0 || ordinal >= DEVICES_MAX)
        return HT_CU_INVALID_DEVICE;
    ht_cu_result result = 0;
    if (!contexts[ordinal]) {
        result = cuda->cuDeviceGet(&device, ordinal);
        if (!result)
            result = cuda->cuDevicePrimaryCtxRetain(&contexts[ordinal], device);
    }
    if (!result)
        result = cuda->cuCtxSetCurrent(contexts[ordinal]);
    if (!result)
        bound_device = current_device = ordinal;
    return result;
}

/* Returns the driver. As in HIP, a thread that chose no device has the process's. */
const ht_nvidia_symbols *ht_nvidia_driver(void) {
    if (cuda && bound_device < 0 && current_device >= 0)
        (void)context_bind(current_device);
    return cuda;
}

int ht_nvidia_device_attribute(int attribute) {
    ht_cu_device device;
    int value = 0;
    int ordinal = bound_device >= 0 ? bound_device : 0;
    if (!cuda || cuda->cuDeviceGet(&device, ordinal) ||
        cuda->cuDeviceGetAttribute(&value, attribute, device))
        return 0;
    return value;
}

#define CALL(expression) ht_nvidia_result(ht_nvidia_driver() ? (expression) : HT_CU_NO_DEVICE, NULL)

static hipError_t init(unsigned flags) {
    return CALL(cuda->cuInit(flags));
}
static hipError_t get_device_count(int *count) {
    return CALL(cuda->cuDeviceGetCount(count));
}
static hipError_t set_device(int device) {
    return ht_nvidia_result(context_bind(device), NULL);
}
static hipError_t device_get_name(char *name, int length, int ordinal) {
    ht_cu_device device;
    hipError_t result = CALL(cuda->cuDeviceGet(&device, ordinal));
    return result ? result : CALL(cuda->cuDeviceGetName(name, length, device));
}

/* hipDeviceAttribute_t to CUdevice_attribute, for what the tuner asks. */
static const struct {
    int hip, cuda;
} attributes[] = {
    {5, HT_CU_CLOCK_RATE},
    {19, HT_CU_L2_CACHE_SIZE},
    {23, HT_CU_COMPUTE_MAJOR},
    {26, HT_CU_MAX_BLOCK_DIM_X},
    {27, HT_CU_MAX_BLOCK_DIM_X + 1},
    {28, HT_CU_MAX_BLOCK_DIM_X + 2},
    {29, HT_CU_MAX_GRID_DIM_X},
    {30, HT_CU_MAX_GRID_DIM_X + 1},
    {31, HT_CU_MAX_GRID_DIM_X + 2},
    {56, HT_CU_MAX_THREADS_PER_BLOCK},
    {63, HT_CU_MULTIPROCESSOR_COUNT},
    {74, HT_CU_MAX_SHARED_PER_BLOCK},
    {87, HT_CU_WARP_SIZE},
    {10002, HT_CU_MAX_SHARED_PER_MULTIPROCESSOR},
};

static hipError_t device_get_attribute(int *value, int attribute, int ordinal) {
    ht_cu_device device;
    hipError_t result = CALL(cuda->cuDeviceGet(&device, ordinal));
    if (result)
        return result;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].hip == attribute)
            return CALL(cuda->cuDeviceGetAttribute(value, attributes[i].cuda, device));
    return ht_nvidia_result(HT_CU_INVALID_VALUE, "this device attribute is not mapped to CUDA's");
}
static hipError_t driver_get_version(int *version) {
    return CALL(cuda->cuDriverGetVersion(version));
}

static ht_cu_pointer device_pointer(const void *pointer) {
    return (ht_cu_pointer)(uintptr_t)pointer;
}
static hipError_t allocate(void **pointer, size_t size) {
    ht_cu_pointer made = 0;
    hipError_t result = CALL(cuda->cuMemAlloc_v2(&made, size));
    *pointer = (void *)(uintptr_t)made;
    return result;
}
static hipError_t release(void *pointer) {
    return pointer ? CALL(cuda->cuMemFree_v2(device_pointer(pointer))) : HT_HIP_SUCCESS;
}
static hipError_t copy(void *to, const void *from, size_t size, int kind) {
    switch (kind) {
    case HT_HIP_COPY_HOST_TO_DEVICE:
        return CALL(cuda->cuMemcpyHtoD_v2(device_pointer(to), from, size));
    case HT_HIP_COPY_DEVICE_TO_HOST:
        return CALL(cuda->cuMemcpyDtoH_v2(to, device_pointer(from), size));
    case HT_HIP_COPY_DEVICE_TO_DEVICE:
        return CALL(cuda->cuMemcpyDtoD_v2(device_pointer(to), device_pointer(from), size));
    default:
        return ht_nvidia_result(HT_CU_INVALID_VALUE, "hipMemcpy: this kind of copy is not known");
    }
}
static hipError_t fill(void *pointer, int value, size_t size) {
    return CALL(cuda->cuMemsetD8_v2(device_pointer(pointer), (unsigned char)value, size));
}

static hipError_t event_create(hipEvent_t *event) {
    return CALL(cuda->cuEventCreate(event, 0));
}
static hipError_t event_destroy(hipEvent_t event) {
    return CALL(cuda->cuEventDestroy_v2(event));
}
static hipError_t event_record(hipEvent_t event, hipStream_t stream) {
    return CALL(cuda->cuEventRecord(event, stream));
}
static hipError_t event_synchronize(hipEvent_t event) {
    return CALL(cuda->cuEventSynchronize(event));
}
static hipError_t event_elapsed_time(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
    return CALL(cuda->cuEventElapsedTime(milliseconds, start, stop));
}
static hipError_t device_synchronize(void) {
    return CALL(cuda->cuCtxSynchronize());
}

static hipError_t get_last_error(void) {
    hipError_t error = last_error;
    last_error = HT_HIP_SUCCESS;
    return error;
}

static const char *get_error_string(hipError_t error) {
    static _Thread_local char text[1400];
    const char *name = NULL, *words = NULL;
    if (error == HT_HIP_SUCCESS)
        return "no error";
    if (cuda) {
        cuda->cuGetErrorName(error, &name);
        cuda->cuGetErrorString(error, &words);
    }
    const char *more = described == error ? description : "";
    if (!cuda && error == HT_CU_NO_DEVICE)
        more = driver_missing->message;
    if (name)
        snprintf(text, sizeof text, "%.200s%s%.400s%s%.750s", name, words ? ": " : "",
                 words ? words : "", *more ? "; " : "", more);
    else
        snprintf(text, sizeof text, "CUDA error %d%s%.750s", error, *more ? "; " : "", more);
    return text;
}

void ht_nvidia_runtime_fill(ht_hip *out_hip, const ht_nvidia_symbols *symbols) {
    cuda = symbols->has_driver ? symbols : NULL;
    driver_missing = &symbols->driver_missing;
    out_hip->hipInit = init;
    out_hip->hipGetDeviceCount = get_device_count;
    out_hip->hipSetDevice = set_device;
    out_hip->hipDeviceGetName = device_get_name;
    out_hip->hipDeviceGetAttribute = device_get_attribute;
    out_hip->hipDriverGetVersion = driver_get_version;
    out_hip->hipMalloc = allocate;
    out_hip->hipFree = release;
    out_hip->hipMemcpy = copy;
    out_hip->hipMemset = fill;
    out_hip->hipEventCreate = event_create;
    out_hip->hipEventDestroy = event_destroy;
    out_hip->hipEventRecord = event_record;
    out_hip->hipEventSynchronize = event_synchronize;
    out_hip->hipEventElapsedTime = event_elapsed_time;
    out_hip->hipDeviceSynchronize = device_synchronize;
    out_hip->hipGetLastError = get_last_error;
    out_hip->hipGetErrorString = get_error_string;
}

void ht_nvidia_hip_fill(ht_hip *out_hip, const ht_nvidia_symbols *symbols) {
    ht_nvidia_runtime_fill(out_hip, symbols);
    ht_nvidia_modules_fill(out_hip);
    ht_nvidia_compiler_fill(out_hip, symbols);
}
