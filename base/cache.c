#include "base/cache.h"

#include "base/file.h"
#include "base/warning.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *folder, *objects;

static const char *find(const char *variable) {
    const char *named = getenv(variable);
    ht_error error;
    if (!named || !*named)
        return NULL;
    if (ht_dir_make(named, &error) != HT_OK)
        ht_warning("$%s is not used: %s: %s; name a folder that can be made, or unset it", variable,
                   error.file, error.message);
    else if (ht_dir_is_private(named))
        return named;
    else
        ht_warning("$%s is not used: others may write to '%s'; chmod go-w it, or name a folder of "
                   "your own",
                   variable, named);
    return NULL;
}

static void find_all(void) {
    folder = find("HIPTEMPER_CACHE");
    objects = find("HIPTEMPER_OBJECTS");
}

const char *ht_cache_folder(void) {
    pthread_once(&once, find_all);
    return folder;
}

const char *ht_cache_objects(void) {
    pthread_once(&once, find_all);
    return objects;
}
