/* Errors: the last of a thread, what a failed kernel leaves, names and words. */
#include "runtime/emulate/api_internal.h"

#include <stdatomic.h>

static __thread hipError_t last;
static atomic_int left; /* by a kernel */

hipError_t ht_emulate_result(hipError_t error) {
    if (error != HT_HIP_SUCCESS)
        last = error;
    return error;
}

void ht_emulate_poison(hipError_t error) {
    atomic_store(&left, error);
}

hipError_t ht_emulate_poisoned(void) {
    return ht_emulate_result(atomic_load(&left));
}

hipError_t ht_emulate_hipGetLastError(void) {
    hipError_t error = last;
    last = HT_HIP_SUCCESS;
    return error;
}

hipError_t ht_emulate_hipPeekAtLastError(void) {
    return last;
}

static const struct {
    hipError_t code;
    const char *name, *words;
} errors[] = {
    {0, "hipSuccess", "no error"},
    {1, "hipErrorInvalidValue", "invalid argument"},
    {2, "hipErrorOutOfMemory", "out of memory"},
    {3, "hipErrorNotInitialized", "initialization error"},
    {9, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "hipErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "hipErrorInvalidSymbol", "invalid device symbol"},
    {17, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {52, "hipErrorMissingConfiguration", "__global__ function call is not configured"},
    {98, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {100, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {101, "hipErrorInvalidDevice", "invalid device ordinal"},
    {200, "hipErrorInvalidImage", "device kernel image is invalid"},
    {201, "hipErrorInvalidContext", "invalid device context"},
    {215, "hipErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {302, "hipErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
    {303, "hipErrorSharedObjectInitFailed", "shared object initialization failed"},
    {304, "hipErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
    {400, "hipErrorInvalidHandle", "invalid resource handle"},
    {500, "hipErrorNotFound", "named symbol not found"},
    {600, "hipErrorNotReady", "device not ready"},
    {700, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "hipErrorLaunchOutOfResources", "too many resources requested for launch"},
    {710, "hipErrorAssert", "device-side assert triggered"},
    {719, "hipErrorLaunchFailure", "unspecified launch failure"},
    {801, "hipErrorNotSupported", "operation not supported"},
    {999, "hipErrorUnknown", "unknown error"}};

static size_t place_of(hipError_t error) {
    size_t i = 0, end = sizeof errors / sizeof *errors - 1;
    while (i < end && errors[i].code != error)
        ++i;
    return i;
}

const char *ht_emulate_hipGetErrorString(hipError_t error) {
    return errors[place_of(error)].words;
}

const char *ht_emulate_hipGetErrorName(hipError_t error) {
    return errors[place_of(error)].name;
}

hipError_t ht_emulate_hipDrvGetErrorString(hipError_t error, const char **words) {
    if (words == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *words = ht_emulate_hipGetErrorString(error);
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipDrvGetErrorName(hipError_t error, const char **words) {
    if (words == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *words = ht_emulate_hipGetErrorName(error);
    return HT_HIP_SUCCESS;
}
