/* Allocations, as the program asks the runtime for them. */
#include "base/memory.h"
#include "runtime/preload/preload.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct range {
    const char *start;
    size_t size;
} range;

static range *ranges;
static size_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ht_preload_memory_add(const void *start, size_t size) {
    if (start == NULL || size == 0)
        return;
    pthread_mutex_lock(&lock);
    HT_GROW(ranges, count);
    ranges[count++] = (range){start, size};
    pthread_mutex_unlock(&lock);
}

void ht_preload_memory_remove(const void *start) {
    pthread_mutex_lock(&lock);
    for (size_t i = count; i-- > 0;)
        if (ranges[i].start == start) {
            ranges[i] = ranges[--count];
            break;
        }
    pthread_mutex_unlock(&lock);
}

bool ht_preload_memory_after(const void *pointer, size_t *out_bytes) {
    const char *at = pointer;
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = count; i-- > 0 && !found;)
        if (at >= ranges[i].start && at < ranges[i].start + ranges[i].size) {
            *out_bytes = ranges[i].size - (size_t)(at - ranges[i].start);
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Each function asks the real one and notes what it gave. */
#define MEMORY(name, parameters, arguments, bytes)                                                 \
    hipError_t name parameters;                                                                    \
    hipError_t name parameters {                                                                   \
        static void *slot;                                                                         \
        hipError_t(*real) parameters = (hipError_t(*) parameters)ht_preload_real(#name, &slot);    \
        hipError_t error = real != NULL ? real arguments : HT_PRELOAD_NOT_SUPPORTED;               \
        if (error == HT_HIP_SUCCESS && pointer != NULL)                                            \
            ht_preload_memory_add(*pointer, bytes);                                                \
        return error;                                                                              \
    }

MEMORY(hipMalloc, (void **pointer, size_t size), (pointer, size), size)
MEMORY(hipMallocAsync, (void **pointer, size_t size, hipStream_t stream), (pointer, size, stream),
       size)
MEMORY(hipMallocFromPoolAsync, (void **pointer, size_t size, void *pool, hipStream_t stream),
       (pointer, size, pool, stream), size)
MEMORY(hipExtMallocWithFlags, (void **pointer, size_t size, unsigned flags), (pointer, size, flags),
       size)
MEMORY(hipMallocManaged, (void **pointer, size_t size, unsigned flags), (pointer, size, flags),
       size)
MEMORY(hipHostMalloc, (void **pointer, size_t size, unsigned flags), (pointer, size, flags), size)
MEMORY(hipHostAlloc, (void **pointer, size_t size, unsigned flags), (pointer, size, flags), size)
MEMORY(hipMallocHost, (void **pointer, size_t size), (pointer, size), size)
MEMORY(hipMemAllocHost, (void **pointer, size_t size), (pointer, size), size)
MEMORY(hipMallocPitch, (void **pointer, size_t *pitch, size_t width, size_t height),
       (pointer, pitch, width, height), *pitch *height)
MEMORY(hipMemAllocPitch,
       (void **pointer, size_t *pitch, size_t width, size_t height, unsigned element),
       (pointer, pitch, width, height, element), *pitch *height)

/* Memory is forgotten before it is given back: another thread may get it at once. */
#define FREE(name, parameters, arguments)                                                          \
    hipError_t name parameters;                                                                    \
    hipError_t name parameters {                                                                   \
        static void *slot;                                                                         \
        hipError_t(*real) parameters = (hipError_t(*) parameters)ht_preload_real(#name, &slot);    \
        ht_preload_memory_remove(pointer);                                                         \
        return real != NULL ? real arguments : HT_PRELOAD_NOT_SUPPORTED;                           \
    }

FREE(hipFree, (void *pointer), (pointer))
FREE(hipFreeAsync, (void *pointer, hipStream_t stream), (pointer, stream))
FREE(hipHostFree, (void *pointer), (pointer))
FREE(hipFreeHost, (void *pointer), (pointer))
