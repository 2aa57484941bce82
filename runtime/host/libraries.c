#include "runtime/host/libraries.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *file, *argument;
} libraries[HT_LIBRARIES_MAX] = {{"libm.so.6", "-l:libm.so.6"},
                                 {"libgcc_s.so.1", "-l:libgcc_s.so.1"},
                                 {"libstdc++.so.6", "-l:libstdc++.so.6"},
                                 {"libc.so.6", "-l:libc.so.6"}};
enum { ALL = (1 << HT_LIBRARIES_MAX) - 1 };

/* Returns true for what the linker itself defines, the loader, this program, or the library of
 * AddressSanitizer, which is loaded where an image with it runs. */
static bool is_elsewhere(const char *name) {
    return !*name || strcmp(name, "_GLOBAL_OFFSET_TABLE_") == 0 ||
           strcmp(name, "__tls_get_addr") == 0 || strncmp(name, "ht_", 3) == 0 ||
           strncmp(name, "__asan_", 7) == 0;
}

/* Returns the library that has the symbol, as a bit; 0: this program has it (a sanitizer's, say),
 * and comes first; ALL: it is not known. */
static unsigned library_of(const char *name) {
    Dl_info info, own;
    void *address = dlsym(RTLD_DEFAULT, name);
    if (!address || !dladdr(address, &info) || !info.dli_fname)
        return ALL;
    if (dladdr(&libraries, &own) && own.dli_fbase == info.dli_fbase)
        return 0;
    const char *slash = strrchr(info.dli_fname, '/'), *file = slash ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < HT_LIBRARIES_MAX; ++i)
        if (strcmp(file, libraries[i].file) == 0)
            return 1U << i;
    return ALL;
}

size_t ht_libraries_needed(const ht_object *object, bool checked,
                           const char *out[HT_LIBRARIES_MAX]) {
    const char **names, **arrays;
    size_t count = ht_object_undefined(object, &names), needed = 0;
    size_t array_count = ht_object_dynamic_arrays(object, checked, &arrays);
    unsigned found = 0;
    for (size_t i = 0; i < count && found != ALL; ++i) {
        bool elsewhere = is_elsewhere(names[i]);
        for (size_t k = 0; k < array_count && !elsewhere; ++k)
            elsewhere = arrays[k] == names[i]; /* defined by a second object */
        if (!elsewhere)
            found |= library_of(names[i]);
    }
    for (size_t i = 0; i < HT_LIBRARIES_MAX; ++i)
        if (found & 1U << i)
            out[needed++] = libraries[i].argument;
    free(arrays);
    free(names);
    return needed;
}
