/* The real runtime, after this library in the order in which symbols are looked up. */
#include "runtime/preload/preload.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* Takes the first library that is HIP's. */
static int visit(struct dl_phdr_info *info, size_t size, void *out) {
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : info->dlpi_name;
    (void)size;
    if (strncmp(name, "libamdhip64.so", strlen("libamdhip64.so")) != 0)
        return 0;
    *(const char **)out = info->dlpi_name;
    return 1;
}

/* Finds a function in a runtime that was loaded for one library alone, as Python's modules are. */
static void *in_private(const char *name) {
    const char *path = NULL;
    dl_iterate_phdr(visit, &path);
    void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    return library != NULL ? dlsym(library, name) : NULL;
}

void *ht_preload_real(const char *name, void **slot) {
    void *found = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (found != NULL)
        return found;
    found = dlsym(RTLD_NEXT, name);
    if (found == NULL)
        found = in_private(name);
    __atomic_store_n(slot, found, __ATOMIC_RELEASE);
    return found;
}
