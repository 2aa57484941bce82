/* Shared by the functions of api.h. */
#ifndef HT_RUNTIME_EMULATE_API_INTERNAL_H
#define HT_RUNTIME_EMULATE_API_INTERNAL_H

#include "runtime/emulate/api.h"
#include "runtime/emulate/capture.h"
#include "runtime/emulate/report.h"
#include "runtime/host/check.h"

/* HIP's codes; those that runtime/host/errors.h has are the same. */
enum {
    HT_HIP_INVALID_VALUE = 1,
    HT_HIP_OUT_OF_MEMORY = 2,
    HT_HIP_INVALID_CONFIGURATION = 9,
    HT_HIP_INVALID_PITCH = 12,
    HT_HIP_INVALID_SYMBOL = 13,
    HT_HIP_INVALID_POINTER = 17,
    HT_HIP_MISSING_CONFIGURATION = 52,
    HT_HIP_INVALID_FUNCTION = 98,
    HT_HIP_INVALID_DEVICE_ORDINAL = 101,
    HT_HIP_UNSUPPORTED_LIMIT = 215,
    HT_HIP_INVALID_RESOURCE = 400
};

/* Notes an error as this thread's last, and returns it; 0 leaves the last one. */
hipError_t ht_emulate_result(hipError_t error);
/* A kernel failed while it ran: what waits for the device returns this from now on. */
void ht_emulate_poison(hipError_t error);
/* The error that a kernel left; 0: none. */
hipError_t ht_emulate_poisoned(void);

/* Address and size of the variable that host code knows by `symbol`; false when there is none. */
bool ht_emulate_variable(const void *symbol, void **out_address, size_t *out_size);

/* The program's memory as checking mode sees it; the array, and the names in it, are the caller's
 * to free with the next function. */
size_t ht_emulate_buffers(ht_check_buffer **out_buffers);
void ht_emulate_buffers_free(ht_check_buffer *buffers, size_t count);

/* Returns true if `size` bytes from `pointer` lie within the allocation that it points into, or it
 * points into none. */
bool ht_emulate_inside(const void *pointer, size_t size);
/* Returns true if it points into memory that hipMalloc gave, or one like it. */
bool ht_emulate_on_device(const void *pointer);
/* Returns true if it points into an allocation; *out_bytes: those of it from there on. */
bool ht_emulate_memory_after(const void *pointer, size_t *out_bytes);
/* Notes that a kernel's argument points into the allocation. */
void ht_emulate_memory_note(const void *pointer, struct ht_memory_user user);
/* The arguments that did, of the allocation that it points into; none where it points into none. */
void ht_emulate_memory_use(const void *pointer, ht_memory_use *out_use);

#endif
