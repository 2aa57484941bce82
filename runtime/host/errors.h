/* HIP's error codes as far as this provider gives them, and the text of the last failure. */
#ifndef HT_RUNTIME_HOST_ERRORS_H
#define HT_RUNTIME_HOST_ERRORS_H

#include "runtime/provider/hip.h"

/* X(value, name, words) */
#define HT_HIP_ERRORS(X)                                                                           \
    X(1, INVALID_VALUE, "invalid argument")                                                        \
    X(2, OUT_OF_MEMORY, "out of memory")                                                           \
    X(9, INVALID_CONFIGURATION, "invalid launch configuration")                                    \
    X(101, INVALID_DEVICE, "invalid device ordinal")                                               \
    X(200, INVALID_IMAGE, "device kernel image is invalid")                                        \
    X(302, SYMBOL_NOT_FOUND, "shared object symbol not found")                                     \
    X(303, LOAD_FAILED, "shared object initialization failed")                                     \
    X(304, OPERATING_SYSTEM, "OS call failed or operation not supported on this OS")               \
    X(400, INVALID_HANDLE, "invalid resource handle")                                              \
    X(500, NOT_FOUND, "named symbol not found")                                                    \
    X(600, NOT_READY, "event not recorded")                                                        \
    X(701, OUT_OF_RESOURCES, "out of resources for launch")                                        \
    X(710, ASSERT, "device-side assertion failed")                                                 \
    X(719, LAUNCH_FAILURE, "unspecified launch failure")                                           \
    X(801, NOT_SUPPORTED, "operation not supported")

enum {
#define HT_HIP_ERROR_VALUE(value, name, words) HT_HIP_ERROR_##name = value,
    HT_HIP_ERRORS(HT_HIP_ERROR_VALUE)
#undef HT_HIP_ERROR_VALUE
};

/* Notes a failure of this OS thread and returns `code`; the text is what hipGetErrorString gives
 * for that code until the next failure. */
hipError_t ht_host_fail(hipError_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

hipError_t ht_host_last_error(void); /* hipGetLastError */
const char *ht_host_error_string(hipError_t error);

#endif
