#include "base/installed.h"

#include "base/file.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEVELS = 3 };

/* Returns the shared library that this code is part of, links followed; NULL: it is part of the
 * program. free(). */
static char *own_library(void) {
    static const char inside = 0;
    Dl_info own, program;
    void *entry = (void *)(uintptr_t)getauxval(AT_ENTRY);
    bool known = dladdr(&inside, &own) && dladdr(entry, &program) && own.dli_fname;
    if (!known || own.dli_fbase == program.dli_fbase)
        return NULL;
    return realpath(own.dli_fname, NULL);
}

/* Returns the folder that the search begins in; free(). */
static char *own_folder(void) {
    char *library = own_library();
    char *path = library ? library : realpath("/proc/self/exe", NULL);
    char *folder = path ? ht_path_folder(path) : NULL;
    free(path);
    return folder;
}

/* Leaves the folder above; false at the root. */
static bool folder_rise(char *folder) {
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder)
        return false;
    *slash = 0;
    return true;
}

static bool is_there(const char *path) {
    return access(path, R_OK) == 0;
}

static bool is_program(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* Returns the first FOLDER/NAME that fits, from the folder upwards; free(). */
static char *look_upwards(const char *from, const char *const *names, bool (*fits)(const char *)) {
    char *folder = ht_strdup(from), *found = NULL;
    for (int level = 0; level < LEVELS && !found; ++level) {
        for (size_t i = 0; names[i] && !found; ++i) {
            found = ht_path_join(folder, names[i]);
            if (!fits(found)) {
                free(found);
                found = NULL;
            }
        }
        if (!folder_rise(folder))
            break;
    }
    free(folder);
    return found;
}

char *ht_installed_data(const char *name) {
    char *folder = own_folder();
    char *below = ht_format("share/hiptemper/%s", name);
    const char *names[] = {below, NULL};
    char *found = folder ? look_upwards(folder, names, is_there) : NULL;
    free(below);
    free(folder);
    return found;
}

ht_status ht_installed_program(char **out_path, ht_error *error) {
    *out_path = NULL;
    char *library = own_library();
    if (!library) {
        *out_path = ht_strdup("/proc/self/exe");
        return HT_OK;
    }
    static const char *const names[] = {"bin/hiptemper", "hiptemper", NULL};
    char *folder = ht_path_folder(library);
    *out_path = look_upwards(folder, names, is_program);
    free(folder);
    ht_status status = HT_OK;
    if (!*out_path)
        status = ht_error_set(error, HT_ERROR_MISSING,
                              "the program hiptemper, which does the library's work, is not in "
                              "bin/ of the installation that %s belongs to; install it there, or "
                              "name it in HIPTEMPER_WORKER",
                              library);
    free(library);
    return status;
}
