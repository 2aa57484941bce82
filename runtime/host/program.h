/* hiprtc's functions, compiled by clang for this machine. */
#ifndef HT_RUNTIME_HOST_PROGRAM_H
#define HT_RUNTIME_HOST_PROGRAM_H

#include "runtime/provider/hip.h"

#define HT_HOST_DECLARE(result, name, parameters) result ht_host_##name parameters;
HT_HIPRTC_FUNCTIONS(HT_HOST_DECLARE)
#undef HT_HOST_DECLARE

/* hiprtc's result codes that are given here. */
enum {
    HT_HIPRTC_ERROR_INVALID_INPUT = 3,
    HT_HIPRTC_ERROR_INVALID_PROGRAM = 4,
    HT_HIPRTC_ERROR_INVALID_OPTION = 5,
    HT_HIPRTC_ERROR_NAMES_AFTER_COMPILATION = 8,
    HT_HIPRTC_ERROR_NO_LOWERED_NAMES = 9,
    HT_HIPRTC_ERROR_NAME_NOT_VALID = 10,
    HT_HIPRTC_ERROR_INTERNAL = 11
};

#endif
