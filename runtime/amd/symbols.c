#include "runtime/amd/symbols.h"

#include "base/memory.h"
#include "base/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ht_amd_runtime_names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                            "libamdhip64.so.5", "libamdhip64.so", NULL};
const char *const ht_amd_hiprtc_names[] = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                                           "libhiprtc.so", NULL};

#define INSTALL_HINT                                                                               \
    "install ROCm's HIP runtime (Debian: apt-get install libamdhip64-5), or set ROCM_PATH to "     \
    "where it is"

/* By the loader's search path, then below ROCM_PATH and ROCm's own folder. On failure `out_reason`
 * tells what is wrong with a library that is there, or is empty. */
static void *library_open(const char *const *names, char *out_reason, size_t size) {
    const char *folders[] = {NULL, getenv("ROCM_PATH"), "/opt/rocm"};
    out_reason[0] = '\0';
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        for (size_t i = 0; names[i] && (f == 0 || folders[f]); i++) {
            char *path =
                f == 0 ? ht_strdup(names[i]) : ht_format("%s/lib/%s", folders[f], names[i]);
            void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            free(path);
            if (library)
                return library;
            const char *reason = dlerror();
            if (reason && !strstr(reason, "No such file"))
                snprintf(out_reason, size, "%s", reason);
        }
    }
    return NULL;
}

/* The loaders below return the first name that the library lacks, or NULL.
 * dlsym's object pointer becomes a function pointer by its bytes, as POSIX blesses and ISO C does
 * not express. */
#define LOAD(result, name, parameters)                                                             \
    symbol = dlsym(library, #name);                                                                \
    memcpy(&hip->name, &symbol, sizeof symbol);                                                    \
    if (!symbol && !missing)                                                                       \
        missing = #name;

static const char *runtime_symbols(void *library, ht_hip *hip) {
    const char *missing = NULL;
    void *symbol;
    HT_HIP_RUNTIME_FUNCTIONS(LOAD)
    return missing;
}

static const char *hiprtc_symbols(void *library, ht_hip *hip) {
    const char *missing = NULL;
    void *symbol;
    HT_HIPRTC_FUNCTIONS(LOAD)
    return missing;
}

#undef LOAD

/* ROCm 6 gave the properties a new layout and a new symbol; the old symbol keeps the old layout.
 * The offsets are fixed by the binary interface: 396 for hipDeviceProp_tR0000, 1160 for
 * hipDeviceProp_tR0600. */
static void properties_symbol(void *library, ht_amd_symbols *symbols) {
    void *symbol = dlsym(library, "hipGetDevicePropertiesR0600");
    symbols->arch_offset = symbol ? 1160 : 396;
    if (!symbol)
        symbol = dlsym(library, "hipGetDeviceProperties");
    memcpy(&symbols->properties, &symbol, sizeof symbol);
}

static ht_status missing_library(const char *const *names, const char *reason, ht_error *error) {
    ht_text tried = {0};
    for (size_t i = 0; names[i]; i++)
        ht_text_printf(&tried, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
    ht_status status =
        ht_error_set(error, HT_ERROR_MISSING, "no library %s loads%s%s%s; " INSTALL_HINT,
                     tried.data, *reason ? " (" : "", reason, *reason ? ")" : "");
    ht_text_free(&tried);
    return status;
}

ht_status ht_amd_symbols_load(const char *const *runtime_names, const char *const *hiprtc_names,
                              ht_amd_symbols *out_symbols, ht_error *error) {
    *out_symbols = (ht_amd_symbols){0};
    char reason[400];
    void *runtime = library_open(runtime_names, reason, sizeof reason);
    if (!runtime)
        return missing_library(runtime_names, reason, error);
    const char *missing = runtime_symbols(runtime, &out_symbols->hip);
    properties_symbol(runtime, out_symbols);
    if (!missing && !out_symbols->properties)
        missing = "hipGetDeviceProperties";
    if (missing)
        return ht_error_set(error, HT_ERROR_MISSING,
                            "%s has no function %s, so its version does not fit; " INSTALL_HINT,
                            runtime_names[0], missing);
    if (!hiprtc_symbols(runtime, &out_symbols->hip))
        return HT_OK;
    void *hiprtc = library_open(hiprtc_names, reason, sizeof reason);
    if (!hiprtc)
        return missing_library(hiprtc_names, reason, error);
    missing = hiprtc_symbols(hiprtc, &out_symbols->hip);
    if (missing)
        return ht_error_set(error, HT_ERROR_MISSING,
                            "%s has no function %s, so its version does not fit; " INSTALL_HINT,
                            hiprtc_names[0], missing);
    return HT_OK;
}
