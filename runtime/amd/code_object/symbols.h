/* Opening ROCm's libraries: fills a HIP table by dlsym, so that neither building nor starting needs
 * ROCm. */
#ifndef HT_RUNTIME_AMD_CODE_OBJECT_SYMBOLS_H
#define HT_RUNTIME_AMD_CODE_OBJECT_SYMBOLS_H

#include "base/error.h"
#include "runtime/provider/hip.h"

#include <stdbool.h>
#include <stddef.h>

/* Every layout of hipDeviceProp_t fits into 8 KiB. */
typedef hipError_t (*ht_amd_properties_function)(void *properties, int device);
enum { HT_AMD_PROPERTIES_SIZE = 8192, HT_AMD_PROPERTIES_WAYS = 4 };

/* One way of asking for a device's properties: a function, and where its layout has what is wanted
 * of it. */
typedef struct ht_amd_properties {
    const char *symbol;
    ht_amd_properties_function get;
    size_t arch_offset; /* of gcnArchName, a char[256] */
    size_t warp_offset; /* of warpSize, an int */
} ht_amd_properties;

typedef struct ht_amd_symbols {
    ht_hip hip;
    ht_amd_properties properties[HT_AMD_PROPERTIES_WAYS]; /* to be tried in this order */
    size_t properties_count;                              /* at least 1 */
    /* hipDeviceGetPCIBusId, for the clocks; NULL when the library has none. */
    hipError_t (*bus_id)(char *bus, int length, int device);
    char runtime[512]; /* the files that were opened; equal when one has all */
    char hiprtc[512];
} ht_amd_symbols;

/* Library names to try, in order; NULL ends. */
extern const char *const ht_amd_runtime_names[];
extern const char *const ht_amd_hiprtc_names[];

/* Opens the first library that is there, `hiprtc_names` only for hiprtc functions that the runtime
 * lacks (ROCm 7), and then the one next to the runtime before others. Where: in $HIPTEMPER_ROCM and
 * nowhere else when that is set (the folder of the libraries, or the one above their lib or lib64);
 * else the loader's path, $ROCM_PATH/lib, $HIP_PATH/lib, /opt/rocm/lib. Libraries stay open. A
 * missing library or symbol is HT_ERROR_MISSING with the file and what to do. Calls nothing in
 * them. */
ht_status ht_amd_symbols_load(const char *const *runtime_names, const char *const *hiprtc_names,
                              ht_amd_symbols *out_symbols, ht_error *error);

/* The first of other libraries of ROCm that is there, looked for in the same places; NULL when none
 * is. It stays open. */
void *ht_amd_library_open(const char *const *names);

/* A function that is looked for, and the address of the pointer that it is put into. */
typedef struct ht_amd_wanted {
    const char *name;
    void *pointer;
} ht_amd_wanted;
/* Returns false if a library lacks one of them. */
bool ht_amd_library_symbols(void *library, const ht_amd_wanted *wanted, size_t count);

#endif
