/* Buffers on the heap and events on the monotonic clock; every operation is finished when it
 * returns. */
#include "base/memory.h"
#include "runtime/host/errors.h"
#include "runtime/host/runtime.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ALIGNMENT = 256 };

hipError_t ht_host_hipMalloc(void **pointer, size_t size) {
    if (!pointer)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipMalloc: no place for the pointer");
    *pointer = NULL;
    if (size == 0)
        return HT_HIP_SUCCESS;
    if (posix_memalign(pointer, ALIGNMENT, size) != 0) {
        *pointer = NULL;
        return ht_host_fail(HT_HIP_ERROR_OUT_OF_MEMORY, "hipMalloc: no memory for %zu bytes", size);
    }
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipFree(void *pointer) {
    free(pointer);
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipMemcpy(void *to, const void *from, size_t size, int kind) {
    if (kind < 0 || kind > 4)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipMemcpy: unknown direction %d", kind);
    if (size && (!to || !from))
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipMemcpy: a null pointer");
    if (size)
        memmove(to, from, size);
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipMemset(void *pointer, int value, size_t size) {
    if (size && !pointer)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipMemset: a null pointer");
    if (size)
        memset(pointer, value, size);
    return HT_HIP_SUCCESS;
}

typedef struct event {
    bool recorded;
    struct timespec at;
} event;

hipError_t ht_host_hipEventCreate(hipEvent_t *made) {
    if (!made)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipEventCreate: no place for the event");
    *made = ht_alloc(1, sizeof(event));
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipEventDestroy(hipEvent_t gone) {
    if (!gone)
        return ht_host_fail(HT_HIP_ERROR_INVALID_HANDLE, "hipEventDestroy: no event");
    free(gone);
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipEventRecord(hipEvent_t handle, hipStream_t stream) {
    (void)stream;
    event *at = handle;
    if (!at)
        return ht_host_fail(HT_HIP_ERROR_INVALID_HANDLE, "hipEventRecord: no event");
    clock_gettime(CLOCK_MONOTONIC, &at->at);
    at->recorded = true;
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipEventSynchronize(hipEvent_t handle) {
    return handle ? HT_HIP_SUCCESS
                  : ht_host_fail(HT_HIP_ERROR_INVALID_HANDLE, "hipEventSynchronize: no event");
}

hipError_t ht_host_hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
    const event *from = start, *to = stop;
    if (!milliseconds || !from || !to)
        return ht_host_fail(HT_HIP_ERROR_INVALID_HANDLE, "hipEventElapsedTime: no event");
    if (!from->recorded || !to->recorded)
        return ht_host_fail(HT_HIP_ERROR_INVALID_HANDLE,
                            "hipEventElapsedTime: an event that was not recorded");
    *milliseconds = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 +
                            (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipDeviceSynchronize(void) {
    return HT_HIP_SUCCESS;
}
