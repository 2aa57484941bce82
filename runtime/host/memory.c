/* Buffers between fences; every operation is finished when it returns, and counts in the device's
 * time. */
#include "runtime/host/clock.h"
#include "runtime/host/errors.h"
#include "runtime/host/fence.h"
#include "runtime/host/runtime.h"

#include <string.h>

hipError_t ht_host_hipMalloc(void **pointer, size_t size) {
    if (!pointer)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipMalloc: no place for the pointer");
    *pointer = NULL;
    if (size == 0)
        return HT_HIP_SUCCESS;
    *pointer = ht_fence_alloc(size);
    if (!*pointer)
        return ht_host_fail(HT_HIP_ERROR_OUT_OF_MEMORY, "hipMalloc: no memory for %zu bytes", size);
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipFree(void *pointer) {
    ht_fence_free(pointer);
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipMemcpy(void *to, const void *from, size_t size, int kind) {
    if (kind < 0 || kind > 4)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipMemcpy: unknown direction %d", kind);
    if (size && (!to || !from))
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipMemcpy: a null pointer");
    uint64_t start = ht_host_thread_time();
    if (size)
        memmove(to, from, size);
    ht_host_clock_advance(ht_host_thread_time() - start);
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipMemset(void *pointer, int value, size_t size) {
    if (size && !pointer)
        return ht_host_fail(HT_HIP_ERROR_INVALID_VALUE, "hipMemset: a null pointer");
    uint64_t start = ht_host_thread_time();
    if (size)
        memset(pointer, value, size);
    ht_host_clock_advance(ht_host_thread_time() - start);
    return HT_HIP_SUCCESS;
}
