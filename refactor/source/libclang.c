#include "refactor/source/libclang.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

ht_libclang_functions ht_libclang;

#define LIBRARY "libclang-19.so.19" /* of the version whose headers declare the functions */

/* As text a name is the library's function, as code the pointer to it. */
static const struct {
    const char *name;
    void *pointer;
} functions[] = {
#define HT_LIBCLANG_ENTRY(function) {#function, &function},
    HT_LIBCLANG_FUNCTIONS(HT_LIBCLANG_ENTRY)
#undef HT_LIBCLANG_ENTRY
};

ht_status ht_libclang_load(ht_error *error) {
    static bool loaded;
    if (loaded)
        return HT_OK;
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return ht_error_set(error, HT_ERROR_MISSING,
                            "sources are read with libclang, which cannot be loaded (%s): install "
                            "the package libclang1-19",
                            dlerror());
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        void *found = dlsym(library, functions[i].name);
        if (!found)
            return ht_error_set(error, HT_ERROR_MISSING, "%s has no function %s", LIBRARY,
                                functions[i].name);
        memcpy(functions[i].pointer, &found, sizeof found);
    }
    loaded = true;
    return HT_OK;
}
