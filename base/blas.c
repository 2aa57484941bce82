/* OpenBLAS, and the right kernels for this processor. */
#include "base/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LIBRARY "libopenblas.so.0"

ht_blas_functions ht_blas;

static void *library;

static const char core_variable[] = "OPENBLAS_CORETYPE";

enum { MISSING = 3 }; /* exit code */

/* As text a name is the library's function, as code the pointer to it. */
static const struct {
    const char *name;
    void *pointer;
} functions[] = {
#define HT_BLAS_ENTRY(function) {#function, &function},
    HT_BLAS_FUNCTIONS(HT_BLAS_ENTRY)
#undef HT_BLAS_ENTRY
};

static _Noreturn void fail(const char *why) {
    fprintf(
        stderr,
        "hiptemper: matrices are multiplied with OpenBLAS, which cannot be loaded (%s): install "
        "the package libopenblas0-pthread\n",
        why);
    exit(MISSING);
}

/* Calls a function of OpenBLAS that another BLAS in its place has not; NULL. */
static const char *openblas_text(const char *function) {
    void *symbol = dlsym(library, function);
    return symbol ? ((char *(*)(void))(uintptr_t)symbol)() : NULL;
}

/* Returns the best kernels that OpenBLAS 0.3.21 has for this processor and names by a variable;
 * NULL when it has none beyond those it takes for any. */
static const char *best_core(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return NULL;
}

/* Returns true for OpenBLAS's names for processors before AVX2: kernels that leave most of a newer
 * one idle. */
static bool old_core(const char *core) {
    static const char *const old[] = {
        "Generic",      "Katmai",     "Coppermine",  "Northwood", "Prescott", "Banias",
        "Core2",        "Penryn",     "Dunnington",  "Nehalem",   "Athlon",   "Opteron",
        "Opteron_SSE3", "Barcelona",  "Nano",        "Atom",      "Bobcat",   "Sandybridge",
        "Bulldozer",    "Piledriver", "Steamroller", "Excavator"};
    for (size_t i = 0; i < sizeof old / sizeof *old; ++i)
        if (strcasecmp(core, old[i]) == 0)
            return true;
    return false;
}

/* Returns the length of the first two words of "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...". */
static int version_length(const char *config) {
    const char *space = strchr(config, ' ');
    space = space ? strchr(space + 1, ' ') : NULL;
    return space ? (int)(space - config) : (int)strlen(config);
}

/* Returns true if OpenBLAS has chosen kernels that leave most of the processor idle. */
static bool is_slow(void) {
    const char *core = openblas_text("openblas_get_corename");
    return core && best_core() && old_core(core);
}

static void open_library(void) {
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail(dlerror());
}

/* Loads it once more, since the choice can only be set by the environment before it is loaded. */
static void choose_core(void) {
    dlclose(library);
    setenv(core_variable, best_core(), 1);
    open_library();
    unsetenv(core_variable);
}

static void load(void) {
    open_library();
    if (!getenv(core_variable) && is_slow())
        choose_core();
    void *one = dlsym(library, "openblas_set_num_threads");
    if (one)
        ((void (*)(int))(uintptr_t)one)(1);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        void *found = dlsym(library, functions[i].name);
        if (!found)
            fail(functions[i].name);
        memcpy(functions[i].pointer, &found, sizeof found);
    }
}

void ht_blas_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}

void ht_blas_describe(ht_blas_info *out_info) {
    *out_info = (ht_blas_info){.openblas = false};
    ht_blas_begin();
    const char *config = openblas_text("openblas_get_config");
    const char *core = openblas_text("openblas_get_corename");
    if (config && core) {
        out_info->openblas = true;
        out_info->slow_kernels = best_core() && old_core(core);
        snprintf(out_info->text, sizeof out_info->text, "%.*s (%s)", version_length(config), config,
                 core);
        return;
    }
    void *symbol = dlsym(library, "cblas_sgemm");
    Dl_info place;
    const char *file = symbol && dladdr(symbol, &place) && place.dli_fname ? place.dli_fname : "";
    snprintf(out_info->text, sizeof out_info->text, "not OpenBLAS%s%.100s", *file ? ": " : "",
             file);
}
