/* The BLAS in use, and the right kernels for this processor. */
#include "predictor/math/blas.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* OpenBLAS's own variable, and the one that says that this program set it. */
static const char core_variable[] = "OPENBLAS_CORETYPE";
static const char marker_variable[] = "HT_BLAS_CORETYPE_SET";

/* Calls a function of OpenBLAS, looked up, so that a program still starts with another BLAS in its
 * place. */
static const char *openblas_text(const char *function) {
    void *symbol = dlsym(RTLD_DEFAULT, function);
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

void ht_blas_describe(ht_blas_info *out_info) {
    *out_info = (ht_blas_info){.openblas = false};
    const char *config = openblas_text("openblas_get_config");
    const char *core = openblas_text("openblas_get_corename");
    if (config && core) {
        out_info->openblas = true;
        out_info->slow_kernels = best_core() && old_core(core);
        snprintf(out_info->text, sizeof out_info->text, "%.*s (%s)", version_length(config), config,
                 core);
        return;
    }
    void *symbol = dlsym(RTLD_DEFAULT, "cblas_sgemm");
    Dl_info place;
    const char *file = symbol && dladdr(symbol, &place) && place.dli_fname ? place.dli_fname : "";
    snprintf(out_info->text, sizeof out_info->text, "not OpenBLAS%s%.100s", *file ? ": " : "",
             file);
}

void ht_blas_prepare(char **argv) {
    if (getenv(marker_variable)) {
        /* The second start. Programs that this one starts find things as they were. */
        unsetenv(marker_variable);
        unsetenv(core_variable);
        return;
    }
    /* Without a base address, the program was started by calling the loader: /proc/self/exe would
     * be that. */
    if (getenv(core_variable) || !getauxval(AT_BASE))
        return;
    ht_blas_info info;
    ht_blas_describe(&info);
    if (!info.openblas || !info.slow_kernels)
        return;
    setenv(core_variable, best_core(), 1);
    setenv(marker_variable, "1", 1);
    execv("/proc/self/exe", argv);
    unsetenv(marker_variable);
    unsetenv(core_variable);
}
