#include "base/cache.h"

#include "base/file.h"
#include "base/warning.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *folder;

static bool is_private(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
           (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static void find(void) {
    const char *named = getenv("HIPTEMPER_CACHE");
    ht_error error;
    if (!named || !*named)
        return;
    if (ht_dir_make(named, &error) != HT_OK)
        ht_warning("$HIPTEMPER_CACHE is not used: %s: %s; name a folder that can be made, or unset "
                   "it",
                   error.file, error.message);
    else if (is_private(named))
        folder = named;
    else
        ht_warning(
            "$HIPTEMPER_CACHE is not used: others may write to '%s'; chmod go-w it, or name a "
            "folder of your own",
            named);
}

const char *ht_cache_folder(void) {
    pthread_once(&once, find);
    return folder;
}
