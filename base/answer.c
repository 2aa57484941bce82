#include "base/answer.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/file_write.h"
#include "base/fingerprint.h"
#include "base/hash.h"
#include "base/memory.h"

#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* An answer that this process has had. It lives as long as the process does. */
typedef struct known {
    char key[HT_HASH_SIZE];
    char *text;
    struct known *next;
} known;
static known *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { HASH = HT_HASH_SIZE - 1, ANSWER_MAX = 1 << 20 };

/* ---- keys ---- */

static bool is_elf(const char *path) {
    static const char mark[] = "\177ELF";
    char *data;
    size_t length;
    if (ht_file_read(path, ANSWER_MAX, &data, &length, NULL) != HT_OK)
        return false; /* clang's own is small: it is in its libraries */
    bool is = length > strlen(mark) && memcmp(data, mark, strlen(mark)) == 0;
    free(data);
    return is;
}

/* Appends clang's libraries, which its program finds from its own folder. */
static void append_libraries(const char *program, ht_text *out) {
    char *folder = ht_path_folder(program);
    char *pattern = ht_format("%s/../lib/lib[cL]*.so*", folder);
    glob_t found = {0};
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; ++i) {
            struct stat info = {0};
            (void)stat(found.gl_pathv[i], &info);
            ht_text_printf(out, "%s %lld %lld.%09ld\n", found.gl_pathv[i], (long long)info.st_size,
                           (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
        }
    globfree(&found);
    free(pattern);
    free(folder);
}

/* Returns true if the program is clang's own, with the key of a question to it. */
static bool make_key(const ht_tool_call *call, char out_key[HT_HASH_SIZE]) {
    char *path = ht_tool_find(call->arguments[0]);
    char *real = path ? realpath(path, NULL) : NULL;
    const char *slash = real ? strrchr(real, '/') : NULL;
    bool own = slash && strncmp(slash + 1, "clang", strlen("clang")) == 0 && is_elf(real) &&
               !call->variable && !call->input && !call->folder;
    if (own) {
        ht_text text = {0};
        ht_fingerprint_file(real, &text);
        append_libraries(real, &text);
        for (size_t i = 0; call->arguments[i]; ++i)
            ht_text_printf(&text, "%s\n", call->arguments[i]);
        ht_text_printf(&text, "%d", call->no_errors);
        ht_hash_bytes(text.data, text.length, out_key);
        ht_text_free(&text);
    }
    free(real);
    free(path);
    return own;
}

/* ---- answers ---- */

static char *file_of(const char *key) {
    return ht_cache_folder() ? ht_format("%s/answer-%s", ht_cache_folder(), key) : NULL;
}

/* Returns the answer in the cache, free(); NULL: there is none, or not as it was written. */
static char *read_kept(const char *key) {
    char *path = file_of(key), *data = NULL, *answer = NULL, hash[HT_HASH_SIZE];
    size_t length = 0;
    if (path && ht_file_read(path, ANSWER_MAX, &data, &length, NULL) == HT_OK && length > HASH) {
        ht_hash_bytes(data + HASH, length - HASH, hash);
        if (memcmp(data, hash, HASH) == 0)
            answer = ht_strndup(data + HASH, length - HASH);
    }
    free(data);
    free(path);
    return answer;
}

static void write_kept(const char *key, const char *answer) {
    char *path = file_of(key), hash[HT_HASH_SIZE];
    if (path && *answer) {
        ht_hash_bytes(answer, strlen(answer), hash);
        char *all_of_it = ht_format("%s%s", hash, answer);
        ht_file_replace(path, all_of_it, strlen(all_of_it), false, NULL);
        free(all_of_it);
    }
    free(path);
}

/* Takes over `text`. */
static const char *remember(const char *key, char *text) {
    known *added = ht_alloc(1, sizeof *added);
    *added = (known){.text = text, .next = all};
    memcpy(added->key, key, HT_HASH_SIZE);
    all = added;
    return text;
}

/* Returns what is known under a key, borrowed; NULL: nothing. */
static const char *look_up(const char *key) {
    for (const known *at = all; at; at = at->next)
        if (strcmp(at->key, key) == 0)
            return at->text;
    char *kept = read_kept(key);
    return kept ? remember(key, kept) : NULL;
}

ht_status ht_answer_ask(const ht_tool_call *call, ht_text *out, int *out_code, ht_error *error) {
    char key[HT_HASH_SIZE];
    if (!make_key(call, key))
        return ht_tool_run(call, out, out_code, error);
    pthread_mutex_lock(&lock);
    const char *answer = look_up(key);
    ht_status status = HT_OK;
    if (answer) {
        ht_text_append(out, answer);
        *out_code = 0;
    } else {
        size_t before = out->length;
        status = ht_tool_run(call, out, out_code, error);
        if (status == HT_OK && *out_code == 0 && out->data) {
            answer = remember(key, ht_strdup(out->data + before));
            write_kept(key, answer);
        }
    }
    pthread_mutex_unlock(&lock);
    return status;
}
