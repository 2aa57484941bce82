#include "refactor/source/resource_dir.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tool.h"
#include "refactor/source/libclang.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static bool usable(const char *folder) {
    char *header = ht_path_join(folder, "include/stddef.h");
    bool found = ht_file_exists(header);
    free(header);
    return found;
}

/* Returns <libdir>/clang/19 for <libdir>/libclang-19.so.19. Debian links the library from
 * /usr/lib/TRIPLE. NULL: there is no such folder. */
static char *beside_library(void) {
    Dl_info info;
    if (ht_libclang_load(NULL) != HT_OK || !dladdr((void *)(size_t)clang_createIndex, &info) ||
        !info.dli_fname)
        return NULL;
    char *real = realpath(info.dli_fname, NULL);
    if (!real)
        return NULL;
    char *folder = ht_path_folder(real);
    char *candidate = ht_path_join(folder, "clang/19");
    free(real);
    free(folder);
    if (usable(candidate))
        return candidate;
    free(candidate);
    return NULL;
}

/* Returns the folder that the compiler reports; NULL: it does not answer. */
static char *asked(const char *clang) {
    enum { SECONDS = 10 };
    const char *arguments[] = {clang, "-print-resource-dir", NULL};
    const ht_tool_call call = {.arguments = arguments, .seconds = SECONDS, .no_errors = true};
    ht_text line = {0};
    int code = -1;
    char *found = NULL;
    if (ht_tool_run(&call, &line, &code, NULL) == HT_OK && code == 0 && line.data) {
        line.data[strcspn(line.data, "\n")] = 0;
        found = usable(line.data) ? ht_strdup(line.data) : NULL;
    }
    ht_text_free(&line);
    return found;
}

char *ht_resource_dir_find(void) {
    char *found = beside_library();
    if (!found && usable("/usr/lib/llvm-19/lib/clang/19"))
        found = ht_strdup("/usr/lib/llvm-19/lib/clang/19");
    if (!found)
        found = asked("clang-19");
    return found;
}
