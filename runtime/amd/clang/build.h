/* One unit compiled and linked by clang for an AMD target. */
#ifndef HT_RUNTIME_AMD_CLANG_BUILD_H
#define HT_RUNTIME_AMD_CLANG_BUILD_H

#include "base/text.h"
#include "runtime/provider/hip.h"

#include <stddef.h>

/* As hiprtc is given it. Borrowed. */
typedef struct ht_amd_clang_unit {
    const char *source, *name;
    const char *const *headers, *const *include_names;
    size_t header_count;
    char *const
        *expressions; /* each becomes a variable __hiprtc_N, from 1 on, as hiprtc 5 makes it */
    size_t expression_count;
} ht_amd_clang_unit;

/* Gives the code object, free(), and what the tools said. */
hiprtcResult ht_amd_clang_build(const ht_amd_clang_unit *unit, const char *const *options,
                                size_t option_count, char **out_code, size_t *out_size,
                                ht_text *log);

#endif
