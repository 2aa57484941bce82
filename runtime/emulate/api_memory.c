/* Memory: device memory between fences, host and managed memory the same, all known by its range.
 */
#include "base/machine_memory.h"
#include "base/memory.h"
#include "runtime/emulate/api_internal.h"
#include "runtime/host/fence.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PITCH = 256, FENCE = 1 << 20 /* the least, on both sides (fence.h) */ };
/* hipMemoryType of ROCm 5. */
enum { MEMORY_HOST = 0, MEMORY_DEVICE = 1, MEMORY_MANAGED = 3 };

/* hipPointerAttribute_t */
struct ht_emulate_pointer {
    int type, device;
    void *device_pointer, *host_pointer;
    int managed;
    unsigned flags;
};

typedef struct range {
    char *start;
    size_t size;
    int type;
    unsigned flags;
    bool owned;    /* not registered by the program */
    size_t number; /* from 1, in the order of their making */
    ht_memory_use use;
} range;

static range *ranges;
static size_t range_count, made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(void *start, size_t size, int type, unsigned flags, bool owned) {
    pthread_mutex_lock(&lock);
    HT_GROW(ranges, range_count);
    ranges[range_count++] = (range){start, size, type, flags, owned, ++made, {0}};
    pthread_mutex_unlock(&lock);
}

/* Finds the range that a pointer points into; the latest first, as programs free it first. */
static bool find(const void *pointer, range *out) {
    const char *at = pointer;
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = range_count; i-- > 0 && !found;)
        if (at >= ranges[i].start && at < ranges[i].start + ranges[i].size) {
            *out = ranges[i];
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Takes out the range that starts at `pointer`. */
static bool forget(const void *pointer, range *out) {
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = range_count; i-- > 0 && !found;)
        if (ranges[i].start == pointer) {
            *out = ranges[i];
            ranges[i] = ranges[--range_count];
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

bool ht_emulate_inside(const void *pointer, size_t size) {
    range in;
    return !find(pointer, &in) || size <= in.size - (size_t)((const char *)pointer - in.start);
}

bool ht_emulate_on_device(const void *pointer) {
    range in;
    return find(pointer, &in) && in.type == MEMORY_DEVICE;
}

bool ht_emulate_memory_after(const void *pointer, size_t *out_bytes) {
    range in;
    if (!find(pointer, &in))
        return false;
    *out_bytes = in.size - (size_t)((const char *)pointer - in.start);
    return true;
}

void ht_emulate_memory_note(const void *pointer, struct ht_memory_user user) {
    const char *at = pointer;
    pthread_mutex_lock(&lock);
    for (size_t i = range_count; i-- > 0;) {
        ht_memory_use *use = &ranges[i].use;
        if (at < ranges[i].start || at >= ranges[i].start + ranges[i].size)
            continue;
        uint32_t known = 0;
        while (known < use->count && (use->items[known].launch != user.launch ||
                                      use->items[known].argument != user.argument))
            ++known;
        if (user.launch >= HT_CAPTURE_LAUNCHES || known == HT_MEMORY_USES)
            use->more = true;
        else if (known == use->count)
            use->items[use->count++] = user;
        break;
    }
    pthread_mutex_unlock(&lock);
}

void ht_emulate_memory_use(const void *pointer, ht_memory_use *out_use) {
    range in;
    *out_use = (ht_memory_use){0};
    if (!find(pointer, &in))
        return;
    *out_use = in.use;
    out_use->offset = (uint64_t)((const char *)pointer - in.start);
}

size_t ht_emulate_buffers(ht_check_buffer **out_buffers) {
    pthread_mutex_lock(&lock);
    size_t count = range_count;
    ht_check_buffer *buffers = ht_alloc(count + 1, sizeof *buffers);
    for (size_t i = 0; i < count; ++i)
        buffers[i] = (ht_check_buffer){.name = ht_format("allocation %zu", ranges[i].number),
                                       .data = ranges[i].start,
                                       .bytes = ranges[i].size,
                                       .guard = ranges[i].owned ? FENCE : 0,
                                       .element = 1};
    pthread_mutex_unlock(&lock);
    *out_buffers = buffers;
    return count;
}

void ht_emulate_buffers_free(ht_check_buffer *buffers, size_t count) {
    for (size_t i = 0; i < count; ++i)
        free((char *)buffers[i].name);
    free(buffers);
}

static hipError_t allocate(void **pointer, size_t size, int type, unsigned flags) {
    if (pointer == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *pointer = NULL;
    if (size == 0)
        return HT_HIP_SUCCESS;
    *pointer = ht_fence_alloc(size);
    if (*pointer == NULL)
        return ht_emulate_result(HT_HIP_OUT_OF_MEMORY);
    note(*pointer, size, type, flags, true);
    return HT_HIP_SUCCESS;
}

static hipError_t release(void *pointer, bool owned) {
    range gone;
    if (pointer == NULL)
        return HT_HIP_SUCCESS;
    if (!forget(pointer, &gone))
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    if (owned && gone.owned)
        ht_fence_free(pointer);
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipMalloc(void **pointer, size_t size) {
    return allocate(pointer, size, MEMORY_DEVICE, 0);
}

hipError_t ht_emulate_hipFree(void *pointer) {
    return release(pointer, true);
}

hipError_t ht_emulate_hipMallocAsync(void **pointer, size_t size, hipStream_t stream) {
    (void)stream;
    return allocate(pointer, size, MEMORY_DEVICE, 0);
}

hipError_t ht_emulate_hipFreeAsync(void *pointer, hipStream_t stream) {
    (void)stream;
    return release(pointer, true);
}

hipError_t ht_emulate_hipHostMalloc(void **pointer, size_t size, unsigned flags) {
    return allocate(pointer, size, MEMORY_HOST, flags);
}

hipError_t ht_emulate_hipHostAlloc(void **pointer, size_t size, unsigned flags) {
    return allocate(pointer, size, MEMORY_HOST, flags);
}

hipError_t ht_emulate_hipMallocHost(void **pointer, size_t size) {
    return allocate(pointer, size, MEMORY_HOST, 0);
}

hipError_t ht_emulate_hipMemAllocHost(void **pointer, size_t size) {
    return allocate(pointer, size, MEMORY_HOST, 0);
}

hipError_t ht_emulate_hipHostFree(void *pointer) {
    return release(pointer, true);
}

hipError_t ht_emulate_hipFreeHost(void *pointer) {
    return release(pointer, true);
}

hipError_t ht_emulate_hipHostRegister(void *pointer, size_t size, unsigned flags) {
    if (pointer == NULL || size == 0)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    note(pointer, size, MEMORY_HOST, flags, false);
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipHostUnregister(void *pointer) {
    return release(pointer, false);
}

hipError_t ht_emulate_hipHostGetDevicePointer(void **device, void *host, unsigned flags) {
    (void)flags;
    range in;
    if (device == NULL || !find(host, &in))
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *device = host;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipHostGetFlags(unsigned *flags, void *host) {
    range in;
    if (flags == NULL || !find(host, &in))
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *flags = in.flags;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipMallocManaged(void **pointer, size_t size, unsigned flags) {
    return allocate(pointer, size, MEMORY_MANAGED, flags);
}

hipError_t ht_emulate_hipMemAdvise(const void *pointer, size_t size, int advice, int device) {
    (void)pointer, (void)size, (void)advice, (void)device;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipMemPrefetchAsync(const void *pointer, size_t size, int device,
                                          hipStream_t stream) {
    (void)pointer, (void)size, (void)device, (void)stream;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    if (pitch == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return allocate(pointer, *pitch * height, MEMORY_DEVICE, 0);
}

hipError_t ht_emulate_hipMemAllocPitch(void **pointer, size_t *pitch, size_t width, size_t height,
                                       unsigned element) {
    (void)element;
    return ht_emulate_hipMallocPitch(pointer, pitch, width, height);
}

hipError_t ht_emulate_hipPointerGetAttributes(ht_emulate_pointer *attributes, const void *pointer) {
    range in;
    if (attributes == NULL || !find(pointer, &in))
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *attributes = (ht_emulate_pointer){.type = in.type == MEMORY_MANAGED ? MEMORY_DEVICE : in.type,
                                       .device_pointer = (void *)pointer,
                                       .managed = in.type == MEMORY_MANAGED,
                                       .flags = in.flags};
    if (in.type != MEMORY_DEVICE)
        attributes->host_pointer = (void *)pointer;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipMemGetAddressRange(void **base, size_t *size, void *pointer) {
    range in;
    if (!find(pointer, &in))
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    if (base != NULL)
        *base = in.start;
    if (size != NULL)
        *size = in.size;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipMemPtrGetInfo(void *pointer, size_t *size) {
    return ht_emulate_hipMemGetAddressRange(NULL, size, pointer);
}

hipError_t ht_emulate_hipMemGetInfo(size_t *available, size_t *total) {
    if (available != NULL)
        *available = (size_t)ht_machine_memory_usable();
    if (total != NULL)
        *total = (size_t)ht_machine_memory();
    return HT_HIP_SUCCESS;
}
