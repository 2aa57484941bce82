/* Streams and events. Everything is finished when its call returns, so streams order nothing. */
#include "base/memory.h"
#include "runtime/emulate/api_internal.h"
#include "runtime/host/runtime.h"

#include <stdlib.h>

typedef struct stream {
    unsigned flags;
    int priority;
} stream;

hipError_t ht_emulate_hipStreamCreateWithPriority(hipStream_t *made, unsigned flags, int priority) {
    if (made == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    stream *fresh = ht_alloc(1, sizeof *fresh);
    *fresh = (stream){flags, priority};
    *made = fresh;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipStreamCreate(hipStream_t *made) {
    return ht_emulate_hipStreamCreateWithPriority(made, 0, 0);
}

hipError_t ht_emulate_hipStreamCreateWithFlags(hipStream_t *made, unsigned flags) {
    return ht_emulate_hipStreamCreateWithPriority(made, flags, 0);
}

/* The handles 0, 1 and 2 mean streams that need no making. */
static bool is_built_in(hipStream_t handle) {
    return (uintptr_t)handle <= 2;
}

hipError_t ht_emulate_hipStreamDestroy(hipStream_t handle) {
    if (is_built_in(handle))
        return ht_emulate_result(HT_HIP_INVALID_RESOURCE);
    free(handle);
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipStreamSynchronize(hipStream_t handle) {
    (void)handle;
    return ht_emulate_poisoned();
}

hipError_t ht_emulate_hipStreamQuery(hipStream_t handle) {
    (void)handle;
    return ht_emulate_poisoned();
}

hipError_t ht_emulate_hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned flags) {
    (void)handle, (void)flags;
    return event ? HT_HIP_SUCCESS : ht_emulate_result(HT_HIP_INVALID_RESOURCE);
}

hipError_t ht_emulate_hipStreamGetFlags(hipStream_t handle, unsigned *flags) {
    if (flags == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *flags = is_built_in(handle) ? 0 : ((const stream *)handle)->flags;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipStreamGetPriority(hipStream_t handle, int *priority) {
    if (priority == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *priority = is_built_in(handle) ? 0 : ((const stream *)handle)->priority;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipStreamAddCallback(hipStream_t handle, ht_stream_callback callback,
                                           void *data, unsigned flags) {
    (void)flags;
    if (callback == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    callback(handle, ht_emulate_poisoned(), data);
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipLaunchHostFunc(hipStream_t handle, ht_host_function function, void *data) {
    (void)handle;
    if (function == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    function(data);
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipEventCreate(hipEvent_t *event) {
    return ht_emulate_result(ht_host_hipEventCreate(event));
}

hipError_t ht_emulate_hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
    (void)flags;
    return ht_emulate_result(ht_host_hipEventCreate(event));
}

hipError_t ht_emulate_hipEventDestroy(hipEvent_t event) {
    return ht_emulate_result(ht_host_hipEventDestroy(event));
}

hipError_t ht_emulate_hipEventRecord(hipEvent_t event, hipStream_t stream) {
    return ht_emulate_result(ht_host_hipEventRecord(event, stream));
}

hipError_t ht_emulate_hipEventSynchronize(hipEvent_t event) {
    hipError_t error = ht_emulate_result(ht_host_hipEventSynchronize(event));
    return error == HT_HIP_SUCCESS ? ht_emulate_poisoned() : error;
}

hipError_t ht_emulate_hipEventQuery(hipEvent_t event) {
    return ht_emulate_hipEventSynchronize(event);
}

hipError_t ht_emulate_hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
    return ht_emulate_result(ht_host_hipEventElapsedTime(milliseconds, start, stop));
}
