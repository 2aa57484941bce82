#include "runtime/amd/rocjitsu.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/tool.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char LIBRARY[] = "librocjitsu_kmd.so";

static int look(struct dl_phdr_info *info, size_t size, void *out) {
    (void)size;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    const char *name = slash ? slash + 1 : info->dlpi_name;
    if (!name || strncmp(name, LIBRARY, strlen(LIBRARY)) != 0)
        return 0;
    *(const char **)out = info->dlpi_name;
    return 1;
}

const char *ht_rocjitsu_library(void) {
    const char *found = NULL;
    dl_iterate_phdr(look, &found);
    return found;
}

char *ht_rocjitsu_program(void) {
    const char *folders[] = {getenv("ROCM_PATH"), "/opt/rocm"};
    char *found = ht_tool_find("rocjitsu");
    for (size_t i = 0; !found && i < sizeof folders / sizeof *folders; ++i) {
        if (!folders[i] || !*folders[i])
            continue;
        char *path = ht_path_join(folders[i], "bin/rocjitsu");
        if (access(path, X_OK) == 0)
            found = ht_strdup(path);
        free(path);
    }
    return found;
}
