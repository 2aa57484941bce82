#include "base/read_log.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of the process; the arrays are never freed. */
static const char **paths;
static uint64_t *hashes;
static size_t path_count, hash_count;

void ht_read_log_add(const char *path) {
    if (!path)
        return;
    uint64_t hash = ht_hash_short(path, strlen(path));
    for (size_t i = 0; i < path_count; ++i)
        if (hashes[i] == hash && strcmp(paths[i], path) == 0)
            return;
    HT_GROW(paths, path_count);
    HT_GROW(hashes, hash_count);
    paths[path_count++] = ht_strdup(path);
    hashes[hash_count++] = hash;
}

void ht_read_log_clear(void) {
    for (size_t i = 0; i < path_count; ++i)
        free((void *)paths[i]);
    path_count = hash_count = 0;
}

const char *const *ht_read_log_paths(size_t *out_count) {
    *out_count = path_count;
    return paths;
}
