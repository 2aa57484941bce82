#include "runtime/nvidia/symbols.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVRTC_HINT                                                                                 \
    "install the CUDA runtime compiler (libnvrtc of the CUDA toolkit, 11.4 or later), or set "     \
    "CUDA_HOME to the toolkit's folder or HIPTEMPER_NVRTC to the library"

static const char *const nvrtc_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                          "libnvrtc.so", NULL};

/* Opens a library; notes in *reason (owned text) what is wrong with one that is there. */
static void *open_library(const char *path, ht_text *reason) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library)
        return library;
    const char *words = dlerror();
    if (words && !strstr(words, "No such file")) {
        ht_text_free(reason);
        ht_text_append(reason, words);
    }
    return NULL;
}

static void *open_in(const char *folder, ht_text *reason) {
    static const char *const below[] = {"lib64", "lib", "targets/x86_64-linux/lib",
                                        "targets/sbsa-linux/lib"};
    void *library = NULL;
    for (size_t b = 0; b < sizeof below / sizeof *below && !library; b++)
        for (size_t n = 0; nvrtc_names[n] && !library; n++) {
            char *path = ht_format("%s/%s/%s", folder, below[b], nvrtc_names[n]);
            library = open_library(path, reason);
            free(path);
        }
    return library;
}

static void *open_in_toolkits(ht_text *reason) {
    const char *folders[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !library; i++)
        if (folders[i] && *folders[i])
            library = open_in(folders[i], reason);
    glob_t found = {0};
    if (!library && glob("/usr/local/cuda-*", 0, NULL, &found) == 0)
        for (size_t i = found.gl_pathc; i > 0 && !library; i--)
            library = open_in(found.gl_pathv[i - 1], reason);
    globfree(&found);
    return library;
}

/* Opens NVRTC's built-in library, which it opens by name when it compiles, and finds only in the
 * loader's path. One that lies next to it is opened here first: the loader knows it by its name
 * then. */
static void open_builtins(void *nvrtc, char *out_reason, size_t size) {
    void *symbol = dlsym(nvrtc, "nvrtcVersion");
    Dl_info info;
    if (!symbol || !dladdr(symbol, &info) || !info.dli_fname)
        return;
    char *folder = ht_path_folder(info.dli_fname);
    char *pattern = ht_format("%s/libnvrtc-builtins.so.*", folder);
    glob_t found = {0};
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (!dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL))
                snprintf(out_reason, size, "%s", dlerror());
    globfree(&found);
    free(pattern);
    free(folder);
}

static void *open_nvrtc(ht_text *reason) {
    const char *given = getenv("HIPTEMPER_NVRTC");
    if (given && *given) {
        void *library = open_library(given, reason);
        if (!library && !reason->length)
            ht_text_printf(reason, "HIPTEMPER_NVRTC is %s, which is not there", given);
        return library;
    }
    void *library = NULL;
    for (size_t n = 0; nvrtc_names[n] && !library; n++)
        library = open_library(nvrtc_names[n], reason);
    return library ? library : open_in_toolkits(reason);
}

/* The loaders return the first name that the library lacks, or NULL. dlsym's object pointer becomes
 * a function pointer by its bytes, as POSIX blesses and ISO C does not express. */
#define LOAD(function, parameters)                                                                 \
    symbol = dlsym(library, #function);                                                            \
    memcpy(&out->function, &symbol, sizeof symbol);                                                \
    if (!symbol && !missing)                                                                       \
        missing = #function;

static const char *driver_symbols(void *library, ht_nvidia_symbols *out) {
    const char *missing = NULL;
    void *symbol;
    HT_CUDA_FUNCTIONS(LOAD)
    return missing;
}

static const char *nvrtc_symbols(void *library, ht_nvidia_symbols *out) {
    const char *missing = NULL;
    void *symbol;
    HT_NVRTC_FUNCTIONS(LOAD)
    LOAD(nvrtcGetErrorString, )
    return missing;
}

#undef LOAD

/* Loads the driver, which comes with the kernel module, so there is one name and no other place. */
static void load_driver(ht_nvidia_symbols *out) {
    const char *given = getenv("HIPTEMPER_CUDA_DRIVER");
    const char *name = given && *given ? given : "libcuda.so.1";
    ht_text reason = {0};
    void *library = open_library(name, &reason);
    const char *missing = library ? driver_symbols(library, out) : NULL;
    if (!library)
        ht_error_set(&out->driver_missing, HT_ERROR_MISSING,
                     "no CUDA driver: %s %s; install NVIDIA's driver", name,
                     reason.length ? reason.data : "is not there");
    else if (missing)
        ht_error_set(&out->driver_missing, HT_ERROR_MISSING,
                     "the CUDA driver %s has no function %s; update NVIDIA's driver (CUDA 11 or "
                     "later)",
                     name, missing);
    out->has_driver = library && !missing;
    ht_text_free(&reason);
}

ht_status ht_nvidia_symbols_load(ht_nvidia_symbols *out_symbols, ht_error *error) {
    *out_symbols = (ht_nvidia_symbols){0};
    ht_text reason = {0};
    ht_status status = HT_OK;
    void *nvrtc = open_nvrtc(&reason);
    const char *missing = nvrtc ? nvrtc_symbols(nvrtc, out_symbols) : NULL;
    if (nvrtc)
        open_builtins(nvrtc, out_symbols->builtins_reason, sizeof out_symbols->builtins_reason);
    if (!nvrtc)
        status = ht_error_set(error, HT_ERROR_MISSING, "no NVRTC library loads%s%s%s; " NVRTC_HINT,
                              reason.length ? " (" : "", reason.data ? reason.data : "",
                              reason.length ? ")" : "");
    else if (missing)
        status = ht_error_set(error, HT_ERROR_MISSING,
                              "NVRTC has no function %s, so it is too old; " NVRTC_HINT, missing);
    ht_text_free(&reason);
    if (!status)
        load_driver(out_symbols);
    return status;
}
