#include "runtime/host/parsed_prelude.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/file_write.h"
#include "base/fingerprint.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parsed_trim.h"
#include "runtime/host/folder.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of one text, whose file is less than a megabyte. */
enum { KEPT_MOST = 24 };

/* An answer that this process has given. Entries live as long as it does: their paths are borrowed.
 */
typedef struct known {
    char key[HT_HASH_SIZE];
    char *path; /* NULL: there is none, and none can be made */
    bool refused;
    struct known *next;
} known;
static known *all;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void make_key(const ht_toolchain *toolchain, const char *const *arguments, size_t count,
                     char out_key[HT_HASH_SIZE]) {
    ht_text text = {0};
    ht_toolchain_describe(toolchain, &text);
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&text, "%s\n", arguments[i]);
    ht_hash_bytes(text.data, text.length, out_key);
    ht_text_free(&text);
}

/* Returns true if the file is what was once written. */
static bool is_whole(const char *path) {
    char hash[HT_HASH_SIZE], *sum_path = ht_format("%s.sum", path), *sum = NULL;
    size_t length = 0;
    bool whole = ht_fingerprint_whole(path, hash) &&
                 ht_file_read(sum_path, HT_HASH_SIZE, &sum, &length, NULL) == HT_OK &&
                 length == HT_HASH_SIZE - 1 && memcmp(sum, hash, length) == 0;
    free(sum);
    free(sum_path);
    return whole;
}

/* Puts the text into `folder`, which others may do at the same time. */
static bool have_text(const ht_parsed_text *text, const char *folder) {
    if (ht_dir_exists(folder))
        return true;
    char *own = ht_format("%s.%ld", folder, (long)getpid());
    bool put = text->unpack(own, NULL) == HT_OK && rename(own, folder) == 0;
    if (!put)
        ht_dir_remove(own);
    free(own);
    return put || ht_dir_exists(folder);
}

static bool parse(const ht_toolchain *toolchain, const char *const *arguments, size_t count,
                  const char *output) {
    const char *own[] = {"-Xclang", "-emit-pch", "/dev/null", "-o", output, NULL};
    const char **words = ht_alloc(1 + count + sizeof own / sizeof *own, sizeof *words);
    words[0] = toolchain->clang;
    memcpy(words + 1, arguments, count * sizeof *words);
    memcpy(words + 1 + count, own, sizeof own);
    const ht_tool_call call = {.arguments = words, .seconds = HT_PROBE_SECONDS};
    ht_text said = {0};
    int code = -1;
    bool parsed = ht_tool_run(&call, &said, &code, NULL) == HT_OK && code == 0;
    ht_text_free(&said);
    free(words);
    return parsed;
}

/* Returns true for the clang whose files ht_parsed_trim knows. */
static bool is_trimmed(const ht_toolchain *toolchain) {
    return strncmp(toolchain->version, "clang 19.", 9) == 0;
}

/* Makes the file under another name first. If other processes do the same, each makes the same. */
static bool make(const ht_toolchain *toolchain, const char *const *arguments, size_t count,
                 const char *folder, size_t most, const char *path) {
    if (access(folder, W_OK) != 0)
        return false;
    ht_cache_make_room(folder, ".pch", most);
    char *own = ht_format("%s.%ld", path, (long)getpid()), *sum = ht_format("%s.sum", path);
    char hash[HT_HASH_SIZE];
    bool made = parse(toolchain, arguments, count, own);
    if (made && is_trimmed(toolchain))
        (void)ht_parsed_trim_file(own);
    made = made && ht_fingerprint_whole(own, hash) &&
           ht_file_replace(sum, hash, HT_HASH_SIZE - 1, false, NULL) == HT_OK &&
           rename(own, path) == 0;
    if (!made)
        unlink(own);
    free(sum);
    free(own);
    return made;
}

/* Returns the path, free(); NULL: there is none. */
static char *look(const ht_toolchain *toolchain, const char *const *arguments, size_t count,
                  const char *folder, size_t most, const char *key) {
    char *path = ht_format("%s/%s.pch", folder, key);
    if (is_whole(path) || make(toolchain, arguments, count, folder, most, path))
        return path;
    free(path);
    return NULL;
}

char *ht_parsed_folder(const ht_parsed_text *text) {
    if (!ht_cache_folder())
        return NULL;
    char hash[HT_HASH_SIZE];
    text->hash(hash);
    char *folder = ht_format("%s/%s-%s", ht_cache_folder(), text->name, hash);
    if (have_text(text, folder))
        return folder;
    free(folder);
    return NULL;
}

const char *ht_parsed(const ht_toolchain *toolchain, const char *folder,
                      const char *const *arguments, size_t count, size_t most) {
    char key[HT_HASH_SIZE];
    make_key(toolchain, arguments, count, key);
    pthread_mutex_lock(&mutex);
    known *at = all;
    while (at && strcmp(at->key, key) != 0)
        at = at->next;
    if (!at) {
        at = ht_alloc(1, sizeof *at);
        memcpy(at->key, key, sizeof key);
        at->path = look(toolchain, arguments, count, folder, most, key);
        at->next = all;
        all = at;
    }
    const char *path = at->refused ? NULL : at->path;
    pthread_mutex_unlock(&mutex);
    return path;
}

const char *ht_parsed_prelude(const ht_toolchain *toolchain, const char *const *arguments,
                              size_t count) {
    static const ht_parsed_text text = {"host", ht_host_prelude_hash, ht_host_prelude_unpack};
    char *folder = ht_parsed_folder(&text);
    if (!folder)
        return NULL;
    char *search = ht_format("-isystem%s/prelude", folder);
    char *first = ht_format("%s/prelude/ht_prelude.h", folder);
    const char *own[] = {search, "-include", first, "-Xclang", "-fno-pch-timestamp"};
    enum { OWN = sizeof own / sizeof *own };
    const char **words = ht_alloc(count + OWN, sizeof *words);
    memcpy(words, arguments, count * sizeof *words);
    memcpy(words + count, own, sizeof own);
    const char *path = ht_parsed(toolchain, folder, words, count + OWN, KEPT_MOST);
    free(words);
    free(first);
    free(search);
    free(folder);
    return path;
}

void ht_parsed_prelude_refuse(const char *path) {
    unlink(path);
    pthread_mutex_lock(&mutex);
    for (known *at = all; at; at = at->next)
        if (at->path && strcmp(at->path, path) == 0)
            at->refused = true;
    pthread_mutex_unlock(&mutex);
}
