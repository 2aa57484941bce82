#include "base/cache.h"

#include "base/file.h"
#include "base/warning.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *folder;

static void find(void) {
    const char *named = getenv("HIPTEMPER_CACHE");
    ht_error error;
    if (!named || !*named)
        return;
    if (ht_dir_make(named, &error) != HT_OK)
        ht_warning("$HIPTEMPER_CACHE is not used: %s: %s; name a folder that can be made, or unset "
                   "it",
                   error.file, error.message);
    else if (ht_dir_is_private(named))
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
