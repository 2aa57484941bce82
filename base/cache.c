#include "base/cache.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/warning.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In a folder that nobody named all is made again after that time, so that what another
 * compiler or another version of this program made does not stay. */
enum { OWN_DAYS = 30 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *folder, *objects;

/* ---- places ---- */

char *ht_cache_path(const char *name) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return ht_format("%s/hiptemper/%s", cache, name);
    return home && home[0] == '/' ? ht_format("%s/.cache/hiptemper/%s", home, name) : NULL;
}

bool ht_cache_make(const char *path, ht_error *error) {
    mode_t mask = umask(077);
    ht_status status = ht_dir_make(path, error);
    umask(mask);
    if (status != HT_OK)
        return false;
    if (ht_dir_is_private(path) && access(path, R_OK | W_OK | X_OK) == 0)
        return true;
    (void)ht_error_set(error, HT_ERROR_IO, "others may write to it, or you may not");
    return false;
}

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

/* ---- room ---- */

/* Calls `visit` for each entry that is not hidden. */
static void each_entry(const char *path,
                       void (*visit)(const char *path, const struct stat *state, void *context),
                       void *context) {
    DIR *listing = opendir(path);
    for (struct dirent *entry; listing && (entry = readdir(listing)) != NULL;) {
        struct stat state;
        char *at = ht_path_join(path, entry->d_name);
        if (entry->d_name[0] != '.' && lstat(at, &state) == 0)
            visit(at, &state, context);
        free(at);
    }
    if (listing)
        closedir(listing);
}

typedef struct oldest {
    const char *suffix;
    char *path;
    struct timespec time;
    size_t count;
} oldest;

static void oldest_find(const char *path, const struct stat *state, void *context) {
    oldest *of = context;
    size_t length = strlen(path), end = strlen(of->suffix);
    const struct timespec *time = &state->st_mtim;
    if (length < end || strcmp(path + length - end, of->suffix) != 0)
        return;
    if (of->count++ > 0 && (time->tv_sec > of->time.tv_sec ||
                            (time->tv_sec == of->time.tv_sec && time->tv_nsec >= of->time.tv_nsec)))
        return;
    of->time = *time;
    free(of->path);
    of->path = ht_strdup(path);
}

static void remove_if_of(const char *path, const struct stat *state, void *context) {
    const char *whole = context;
    if (S_ISREG(state->st_mode) && strncmp(path, whole, strlen(whole)) == 0)
        unlink(path);
}

void ht_cache_make_room(const char *path, const char *suffix, size_t most) {
    oldest of = {.suffix = suffix};
    each_entry(path, oldest_find, &of);
    if (of.count >= most && of.path)
        each_entry(path, remove_if_of, of.path);
    free(of.path);
}

/* ---- the folders ---- */

/* The user's own folder; NULL: it cannot be made, which is no fault. */
static const char *find_own(void) {
    char *path = ht_cache_path("parsed");
    ht_error error;
    if (path && ht_cache_make(path, &error)) {
        ht_dir_remove_old_all(path, OWN_DAYS);
        return path;
    }
    free(path);
    return NULL;
}

static void find_all(void) {
    folder = getenv("HIPTEMPER_CACHE") ? find("HIPTEMPER_CACHE") : find_own();
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
