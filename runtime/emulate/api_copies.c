/* Copies and fills, finished when they return. */
#include "runtime/emulate/api_internal.h"
#include "runtime/emulate/copies.h"
#include "runtime/host/runtime.h"

#include <string.h>

enum { KIND_LAST = 4 /* by the pointers */ };

hipError_t ht_emulate_hipMemcpy(void *to, const void *from, size_t size, int kind) {
    if (ht_emulate_poisoned() != HT_HIP_SUCCESS)
        return ht_emulate_poisoned();
    if (size == 0)
        return HT_HIP_SUCCESS;
    if (kind < 0 || kind > KIND_LAST || !to || !from || !ht_emulate_inside(to, size) ||
        !ht_emulate_inside(from, size))
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    bool back = kind == HT_HIP_COPY_DEVICE_TO_HOST ||
                (kind == KIND_LAST && ht_emulate_on_device(from) && !ht_emulate_on_device(to));
    hipError_t error = ht_host_hipMemcpy(to, from, size, kind);
    if (back && error == HT_HIP_SUCCESS) {
        ht_memory_use use;
        ht_emulate_memory_use(from, &use);
        ht_copies_note(to, size, &use);
    }
    return ht_emulate_result(error);
}

hipError_t ht_emulate_hipMemcpyAsync(void *to, const void *from, size_t size, int kind,
                                     hipStream_t stream) {
    (void)stream;
    return ht_emulate_hipMemcpy(to, from, size, kind);
}

hipError_t ht_emulate_hipMemcpyWithStream(void *to, const void *from, size_t size, int kind,
                                          hipStream_t stream) {
    (void)stream;
    return ht_emulate_hipMemcpy(to, from, size, kind);
}

#define PLAIN_COPY(name, kind)                                                                     \
    hipError_t ht_emulate_##name(void *to, void *from, size_t size) {                              \
        return ht_emulate_hipMemcpy(to, from, size, kind);                                         \
    }                                                                                              \
    hipError_t ht_emulate_##name##Async(void *to, void *from, size_t size, hipStream_t stream) {   \
        (void)stream;                                                                              \
        return ht_emulate_hipMemcpy(to, from, size, kind);                                         \
    }
PLAIN_COPY(hipMemcpyHtoD, HT_HIP_COPY_HOST_TO_DEVICE)
PLAIN_COPY(hipMemcpyDtoH, HT_HIP_COPY_DEVICE_TO_HOST)
PLAIN_COPY(hipMemcpyDtoD, HT_HIP_COPY_DEVICE_TO_DEVICE)
#undef PLAIN_COPY

hipError_t ht_emulate_hipMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                    size_t size) {
    if (to_device != 0 || from_device != 0)
        return ht_emulate_result(HT_HIP_INVALID_DEVICE_ORDINAL);
    return ht_emulate_hipMemcpy(to, from, size, HT_HIP_COPY_DEVICE_TO_DEVICE);
}

hipError_t ht_emulate_hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                         size_t size, hipStream_t stream) {
    (void)stream;
    return ht_emulate_hipMemcpyPeer(to, to_device, from, from_device, size);
}

hipError_t ht_emulate_hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                  size_t width, size_t height, int kind) {
    if (width > to_pitch || width > from_pitch)
        return ht_emulate_result(HT_HIP_INVALID_PITCH);
    hipError_t error = HT_HIP_SUCCESS;
    for (size_t i = 0; i < height && error == HT_HIP_SUCCESS; ++i)
        error = ht_emulate_hipMemcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch,
                                     width, kind);
    return error;
}

hipError_t ht_emulate_hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                       size_t from_pitch, size_t width, size_t height, int kind,
                                       hipStream_t stream) {
    (void)stream;
    return ht_emulate_hipMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

hipError_t ht_emulate_hipMemset(void *to, int value, size_t size) {
    if (ht_emulate_poisoned() != HT_HIP_SUCCESS)
        return ht_emulate_poisoned();
    if (size > 0 && (!to || !ht_emulate_inside(to, size)))
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    return ht_emulate_result(ht_host_hipMemset(to, value, size));
}

hipError_t ht_emulate_hipMemsetAsync(void *to, int value, size_t size, hipStream_t stream) {
    (void)stream;
    return ht_emulate_hipMemset(to, value, size);
}

#define FILL(name, type)                                                                           \
    hipError_t ht_emulate_##name(void *to, type value, size_t count) {                             \
        if (count > 0 && (!to || !ht_emulate_inside(to, count * sizeof value)))                    \
            return ht_emulate_result(HT_HIP_INVALID_VALUE);                                        \
        for (size_t i = 0; i < count; ++i)                                                         \
            memcpy((char *)to + i * sizeof value, &value, sizeof value);                           \
        return HT_HIP_SUCCESS;                                                                     \
    }                                                                                              \
    hipError_t ht_emulate_##name##Async(void *to, type value, size_t count, hipStream_t stream) {  \
        (void)stream;                                                                              \
        return ht_emulate_##name(to, value, count);                                                \
    }
FILL(hipMemsetD8, unsigned char)
FILL(hipMemsetD16, unsigned short)
FILL(hipMemsetD32, int)
#undef FILL

hipError_t ht_emulate_hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    if (width > pitch)
        return ht_emulate_result(HT_HIP_INVALID_PITCH);
    hipError_t error = HT_HIP_SUCCESS;
    for (size_t i = 0; i < height && error == HT_HIP_SUCCESS; ++i)
        error = ht_emulate_hipMemset((char *)to + i * pitch, value, width);
    return error;
}

hipError_t ht_emulate_hipMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                       size_t height, hipStream_t stream) {
    (void)stream;
    return ht_emulate_hipMemset2D(to, pitch, value, width, height);
}

/* Finds `size` bytes from `offset` on in a variable. */
static hipError_t find_part(const void *symbol, size_t size, size_t offset, char **out) {
    void *address = NULL;
    size_t whole = 0;
    if (!ht_emulate_variable(symbol, &address, &whole))
        return ht_emulate_result(HT_HIP_INVALID_SYMBOL);
    if (offset > whole || size > whole - offset)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    *out = (char *)address + offset;
    return HT_HIP_SUCCESS;
}

hipError_t ht_emulate_hipMemcpyToSymbol(const void *symbol, const void *from, size_t size,
                                        size_t offset, int kind) {
    char *to = NULL;
    hipError_t error = find_part(symbol, size, offset, &to);
    return error == HT_HIP_SUCCESS ? ht_emulate_hipMemcpy(to, from, size, kind) : error;
}

hipError_t ht_emulate_hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size,
                                             size_t offset, int kind, hipStream_t stream) {
    (void)stream;
    return ht_emulate_hipMemcpyToSymbol(symbol, from, size, offset, kind);
}

hipError_t ht_emulate_hipMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                          int kind) {
    char *from = NULL;
    hipError_t error = find_part(symbol, size, offset, &from);
    return error == HT_HIP_SUCCESS ? ht_emulate_hipMemcpy(to, from, size, kind) : error;
}

hipError_t ht_emulate_hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size,
                                               size_t offset, int kind, hipStream_t stream) {
    (void)stream;
    return ht_emulate_hipMemcpyFromSymbol(to, symbol, size, offset, kind);
}

hipError_t ht_emulate_hipGetSymbolAddress(void **pointer, const void *symbol) {
    size_t size;
    if (pointer == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    return ht_emulate_variable(symbol, pointer, &size) ? HT_HIP_SUCCESS
                                                       : ht_emulate_result(HT_HIP_INVALID_SYMBOL);
}

hipError_t ht_emulate_hipGetSymbolSize(size_t *size, const void *symbol) {
    void *address;
    if (size == NULL)
        return ht_emulate_result(HT_HIP_INVALID_VALUE);
    return ht_emulate_variable(symbol, &address, size) ? HT_HIP_SUCCESS
                                                       : ht_emulate_result(HT_HIP_INVALID_SYMBOL);
}
