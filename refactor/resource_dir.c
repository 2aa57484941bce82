/* Where clang keeps its own headers: beside libclang, or where clang-19 says. */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/source.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool usable(const char *folder) {
    char *header = ht_path_join(folder, "include/stddef.h");
    bool found = ht_file_exists(header);
    free(header);
    return found;
}

/* <libdir>/libclang-19.so.19 has its headers in <libdir>/clang/19; Debian links the library from
 * /usr/lib/TRIPLE. */
static char *beside_library(void) {
    Dl_info info;
    if (!dladdr((void *)(size_t)clang_createIndex, &info) || !info.dli_fname)
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

static char *asked(const char *command) {
    FILE *pipe = popen(command, "re");
    if (!pipe)
        return NULL;
    char line[4096];
    char *got = fgets(line, sizeof line, pipe);
    pclose(pipe);
    if (!got)
        return NULL;
    line[strcspn(line, "\n")] = 0;
    return usable(line) ? ht_strdup(line) : NULL;
}

char *ht_resource_dir_find(void) {
    char *found = beside_library();
    if (!found && usable("/usr/lib/llvm-19/lib/clang/19"))
        found = ht_strdup("/usr/lib/llvm-19/lib/clang/19");
    if (!found)
        found = asked("clang-19 -print-resource-dir 2>/dev/null");
    return found;
}
