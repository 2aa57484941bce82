/* Events, recorded on the device's clock. */
#include "base/memory.h"
#include "runtime/host/clock.h"
#include "runtime/host/errors.h"
#include "runtime/host/runtime.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

static _Atomic uint64_t device_clock;

uint64_t ht_host_thread_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t ht_host_wall_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void ht_host_clock_advance(uint64_t nanoseconds) {
    atomic_fetch_add(&device_clock, nanoseconds);
}

typedef struct event {
    bool recorded;
    uint64_t at;
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
    at->at = atomic_load(&device_clock);
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
    *milliseconds = (float)(((double)to->at - (double)from->at) * 1e-6);
    return HT_HIP_SUCCESS;
}

hipError_t ht_host_hipDeviceSynchronize(void) {
    return HT_HIP_SUCCESS;
}
