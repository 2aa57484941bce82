#include "runtime/host/errors.h"

#include <stdarg.h>
#include <stdio.h>

static __thread hipError_t last, detailed;
static __thread char detail[2048];

hipError_t ht_host_fail(hipError_t code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    last = detailed = code;
    return code;
}

hipError_t ht_host_last_error(void) {
    hipError_t error = last;
    last = HT_HIP_SUCCESS;
    return error;
}

const char *ht_host_error_string(hipError_t error) {
    if (error == HT_HIP_SUCCESS)
        return "no error";
    if (error == detailed)
        return detail;
    switch (error) {
#define HT_HIP_ERROR_WORDS(value, name, words)                                                     \
    case value:                                                                                    \
        return words;
        HT_HIP_ERRORS(HT_HIP_ERROR_WORDS)
#undef HT_HIP_ERROR_WORDS
    default:
        return "unknown error";
    }
}
