/* Opening ROCm's libraries: fills a HIP table by dlsym, so that neither building nor starting needs
 * ROCm. */
#ifndef HT_RUNTIME_AMD_SYMBOLS_H
#define HT_RUNTIME_AMD_SYMBOLS_H

#include "base/error.h"
#include "runtime/hip.h"

/* hipGetDeviceProperties, of which every layout fits into 8 KiB; `layout` tells where the
 * architecture's name is. */
typedef hipError_t (*ht_amd_properties_function)(void *properties, int device);
enum { HT_AMD_PROPERTIES_SIZE = 8192 };

typedef struct ht_amd_symbols {
    ht_hip hip;
    ht_amd_properties_function properties;
    size_t arch_offset; /* of gcnArchName, a char[256], in the properties */
} ht_amd_symbols;

/* Library names to try, in order; NULL ends. */
extern const char *const ht_amd_runtime_names[];
extern const char *const ht_amd_hiprtc_names[];

/* Opens the first library that is there, `hiprtc_names` only for hiprtc functions that the runtime
 * lacks. Libraries stay open. A missing library or symbol is HT_ERROR_MISSING with what to install.
 * Calls nothing in them. */
ht_status ht_amd_symbols_load(const char *const *runtime_names, const char *const *hiprtc_names,
                              ht_amd_symbols *out_symbols, ht_error *error);

#endif
