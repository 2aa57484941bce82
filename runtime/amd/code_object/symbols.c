#include "runtime/amd/code_object/symbols.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEWEST_FIRST(stem)                                                                         \
    {stem ".10", stem ".9", stem ".8", stem ".7", stem ".6", stem ".5", stem, NULL}
const char *const ht_amd_runtime_names[] = NEWEST_FIRST("libamdhip64.so");
const char *const ht_amd_hiprtc_names[] = NEWEST_FIRST("libhiprtc.so");

#define INSTALL_HINT                                                                               \
    "install ROCm's HIP runtime (Debian: apt-get install libamdhip64-5), or set HIPTEMPER_ROCM "   \
    "to the folder that it is in"

/* The places to look for libraries: folders, of which NULL is the loader's own path. Owned. */
typedef struct places {
    char *folders[8];
    size_t count;
    bool given; /* by HIPTEMPER_ROCM */
} places;

static void add_place(places *places, const char *folder, const char *below) {
    if (folder && *folder)
        places->folders[places->count++] = *below ? ht_path_join(folder, below) : ht_strdup(folder);
}

static places find_places(void) {
    places places = {0};
    const char *given = getenv("HIPTEMPER_ROCM");
    places.given = given && *given;
    if (places.given) {
        add_place(&places, given, "");
        add_place(&places, given, "lib");
        add_place(&places, given, "lib64");
        return places;
    }
    places.folders[places.count++] = NULL;
    add_place(&places, getenv("ROCM_PATH"), "lib");
    add_place(&places, getenv("HIP_PATH"), "lib");
    add_place(&places, "/opt/rocm", "lib");
    return places;
}

static void free_places(places *places) {
    for (size_t i = 0; i < places->count; i++)
        free(places->folders[i]);
}

/* On failure `reason` says what is wrong with a library that is there, or stays as it is. */
static void *open_one(const char *folder, const char *name, char *reason, size_t size) {
    char *path = folder ? ht_path_join(folder, name) : ht_strdup(name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *problem = library ? NULL : dlerror();
    if (problem && (!strstr(problem, "No such file") || strncmp(problem, path, strlen(path)) != 0))
        snprintf(reason, size, "%s", problem);
    free(path);
    return library;
}

static void *open_first(const places *places, const char *const *names, char *reason, size_t size) {
    reason[0] = '\0';
    for (size_t f = 0; f < places->count; f++)
        for (size_t i = 0; names[i]; i++) {
            void *library = open_one(places->folders[f], names[i], reason, size);
            if (library)
                return library;
        }
    return NULL;
}

/* Finds the file that a symbol of the library came from. */
static void library_file(void *library, const char *symbol, const char *otherwise, char *out,
                         size_t size) {
    Dl_info info = {0};
    void *address = dlsym(library, symbol);
    bool known = address && dladdr(address, &info) && info.dli_fname;
    snprintf(out, size, "%s", known ? info.dli_fname : otherwise);
}

bool ht_amd_library_symbols(void *library, const ht_amd_wanted *wanted, size_t count) {
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, wanted[i].name);
        if (!symbol)
            return false;
        memcpy(wanted[i].pointer, &symbol, sizeof symbol);
    }
    return true;
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

/* Finds the layout of hipDeviceProp_t, which has two, fixed by the binary interface: R0000 until
 * ROCm 5, R0600 since ROCm 6. A symbol with a version has the layout of that name; the one without
 * has the old layout in every library so far, and is asked last, in both, so that a library that
 * changes its mind is read too. */
static const char *properties_symbols(void *library, ht_amd_symbols *symbols) {
    enum { R0000_ARCH = 396, R0000_WARP = 276, R0600_ARCH = 1160, R0600_WARP = 308 };
    static const ht_amd_properties ways[HT_AMD_PROPERTIES_WAYS] = {
        {"hipGetDevicePropertiesR0600", NULL, R0600_ARCH, R0600_WARP},
        {"hipGetDevicePropertiesR0000", NULL, R0000_ARCH, R0000_WARP},
        {"hipGetDeviceProperties", NULL, R0000_ARCH, R0000_WARP},
        {"hipGetDeviceProperties", NULL, R0600_ARCH, R0600_WARP},
    };
    for (size_t i = 0; i < HT_AMD_PROPERTIES_WAYS; i++) {
        void *symbol = dlsym(library, ways[i].symbol);
        if (!symbol)
            continue;
        ht_amd_properties *way = &symbols->properties[symbols->properties_count++];
        *way = ways[i];
        memcpy(&way->get, &symbol, sizeof symbol);
    }
    return symbols->properties_count ? NULL : "hipGetDeviceProperties";
}

static ht_status missing_library(const places *places, const char *const *names, const char *reason,
                                 ht_error *error) {
    ht_text tried = {0};
    for (size_t i = 0; names[i]; i++)
        ht_text_printf(&tried, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
    if (places->given)
        ht_text_printf(&tried, " in HIPTEMPER_ROCM (%s)", places->folders[0]);
    ht_status status =
        ht_error_set(error, HT_ERROR_MISSING, "no library %s loads%s%s%s; " INSTALL_HINT,
                     tried.data, *reason ? " (" : "", reason, *reason ? ")" : "");
    ht_text_free(&tried);
    return status;
}

static ht_status missing_symbol(const char *file, const char *symbol, ht_error *error) {
    return ht_error_set(error, HT_ERROR_MISSING,
                        "%s has no function %s, so its version does not fit (ROCm 5.2 to 7 do, "
                        "later ones are untried); "
                        "" INSTALL_HINT,
                        file, symbol);
}

/* Loads hiprtc. One of another version than the runtime makes code that the runtime may refuse, so
 * the one in the runtime's own folder comes first. */
static ht_status load_hiprtc(const places *places, const char *const *names, ht_amd_symbols *out,
                             ht_error *error) {
    char reason[400];
    char *folder = strchr(out->runtime, '/') ? ht_path_folder(out->runtime) : NULL;
    struct places beside = {.folders = {folder}, .count = folder ? 1 : 0};
    void *library = open_first(&beside, names, reason, sizeof reason);
    free(folder);
    if (!library)
        library = open_first(places, names, reason, sizeof reason);
    if (!library)
        return missing_library(places, names, reason, error);
    const char *missing = hiprtc_symbols(library, &out->hip);
    library_file(library, "hiprtcCreateProgram", names[0], out->hiprtc, sizeof out->hiprtc);
    return missing ? missing_symbol(out->hiprtc, missing, error) : HT_OK;
}

static ht_status load_runtime(const places *places, const char *const *names, ht_amd_symbols *out,
                              bool *out_hiprtc, ht_error *error) {
    char reason[400];
    void *library = open_first(places, names, reason, sizeof reason);
    if (!library)
        return missing_library(places, names, reason, error);
    library_file(library, "hipInit", names[0], out->runtime, sizeof out->runtime);
    const char *missing = runtime_symbols(library, &out->hip);
    const char *properties = properties_symbols(library, out);
    void *bus_id = dlsym(library, "hipDeviceGetPCIBusId");
    memcpy(&out->bus_id, &bus_id, sizeof bus_id);
    if (missing || properties)
        return missing_symbol(out->runtime, missing ? missing : properties, error);
    *out_hiprtc = hiprtc_symbols(library, &out->hip) == NULL;
    if (*out_hiprtc)
        memcpy(out->hiprtc, out->runtime, sizeof out->hiprtc);
    return HT_OK;
}

ht_status ht_amd_symbols_load(const char *const *runtime_names, const char *const *hiprtc_names,
                              ht_amd_symbols *out_symbols, ht_error *error) {
    bool has_hiprtc = false;
    places places = find_places();
    *out_symbols = (ht_amd_symbols){0};
    ht_status status = load_runtime(&places, runtime_names, out_symbols, &has_hiprtc, error);
    if (status == HT_OK && !has_hiprtc)
        status = load_hiprtc(&places, hiprtc_names, out_symbols, error);
    free_places(&places);
    return status;
}

void *ht_amd_library_open(const char *const *names) {
    char reason[400];
    places places = find_places();
    void *library = open_first(&places, names, reason, sizeof reason);
    free_places(&places);
    return library;
}
