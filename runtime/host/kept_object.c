#include "runtime/host/kept_object.h"

#include "base/file.h"
#include "base/file_write.h"
#include "base/memory.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A kept object is a file: the hash of the rest; one line of JSON, with clang's words and the files
 * that it read; the object. */
enum { KEPT_MAX = 256 << 20, LIST_MAX = 4 << 20, DAYS_KEPT = 7 };

static char *kept_path(const ht_kept_object *object) {
    return ht_format("%s/%s.object", object->folder, object->key);
}

/* ---- the files that were read */

/* Returns the file's path, size and time of change as an array. NULL: there is no such file. */
static json_t *describe(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0)
        return NULL;
    return json_pack("[s, I, I, I]", path, (json_int_t)info.st_size,
                     (json_int_t)info.st_mtim.tv_sec, (json_int_t)info.st_mtim.tv_nsec);
}

static bool are_unchanged(const json_t *files) {
    size_t i;
    json_t *file;
    json_array_foreach(files, i, file) {
        const char *path = json_string_value(json_array_get(file, 0));
        json_t *now = path ? describe(path) : NULL;
        bool same = json_equal(file, now);
        json_decref(now);
        if (!same)
            return false;
    }
    return true;
}

/* Takes the next path of a rule for make from *at. NULL: there is none; free(). */
static char *next_path(const char **at) {
    ht_text path = {0};
    *at += strspn(*at, " \n\\");
    for (; **at && **at != ' ' && **at != '\n'; ++*at) {
        bool marked = (**at == '\\' && ((*at)[1] == ' ' || (*at)[1] == '#' || (*at)[1] == '\\')) ||
                      (**at == '$' && (*at)[1] == '$');
        *at += marked;
        ht_text_append_n(&path, *at, 1);
    }
    return path.length ? ht_text_take(&path) : NULL;
}

static bool is_within(const char *path, const char *const *folders, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (ht_path_is_below(path, folders[i]))
            return true;
    return false;
}

/* Returns what clang read, by its list. NULL: one of the files is gone, or there is no list. */
static json_t *read_list(const char *list, const char *const *own, size_t own_count) {
    char *text;
    size_t length;
    if (ht_file_read(list, LIST_MAX, &text, &length, NULL) != HT_OK)
        return NULL;
    json_t *files = json_array();
    const char *at = strstr(text, ": ");
    at = at ? at + 2 : "";
    for (char *path; files && (path = next_path(&at)) != NULL; free(path)) {
        if (strcmp(path, "/dev/null") == 0 || is_within(path, own, own_count))
            continue;
        json_t *file = describe(path);
        if (file) {
            json_array_append_new(files, file);
        } else {
            json_decref(files);
            files = NULL;
        }
    }
    free(text);
    return files;
}

/* ---- taking and keeping */

/* Returns the line of JSON in front of an object, if the file is what was once written. */
static json_t *read_head(const char *data, size_t length, const char **out_object) {
    enum { HASH = HT_HASH_SIZE - 1 };
    char hash[HT_HASH_SIZE];
    if (length < HASH)
        return NULL;
    ht_hash_bytes(data + HASH, length - HASH, hash);
    const char *end = memchr(data, '\n', length);
    if (!end || memcmp(data, hash, HASH) != 0)
        return NULL;
    *out_object = end + 1;
    return json_loadb(data + HASH, (size_t)(end - data) - HASH, 0, NULL);
}

bool ht_kept_object_take(const ht_kept_object *object, const char *path, ht_text *log) {
    char *data;
    size_t length;
    if (!object->folder)
        return false;
    char *kept = kept_path(object);
    ht_status status = ht_file_read(kept, KEPT_MAX, &data, &length, NULL);
    free(kept);
    if (status != HT_OK)
        return false;
    const char *code = NULL;
    json_t *head = read_head(data, length, &code);
    const char *said = json_string_value(json_object_get(head, "said"));
    bool taken = said && are_unchanged(json_object_get(head, "files")) &&
                 ht_file_write(path, code, length - (size_t)(code - data), NULL) == HT_OK;
    if (taken)
        ht_text_append(log, said);
    json_decref(head);
    free(data);
    return taken;
}

/* Writes the file of a kept object. */
static void write_kept(const ht_kept_object *object, const char *line, const char *code,
                       size_t length) {
    char hash[HT_HASH_SIZE], *path = kept_path(object);
    ht_text rest = {0}, all = {0};
    ht_text_printf(&rest, "%s\n", line);
    ht_text_append_n(&rest, code, length);
    ht_hash_bytes(rest.data, rest.length, hash);
    ht_text_append(&all, hash);
    ht_text_append_n(&all, rest.data, rest.length);
    ht_file_replace(path, all.data, all.length, false, NULL);
    ht_text_free(&all);
    ht_text_free(&rest);
    free(path);
}

void ht_kept_object_put(const ht_kept_object *object, const char *path, const char *list,
                        const char *const *own, size_t own_count, const char *said) {
    json_t *files = object->folder ? read_list(list, own, own_count) : NULL;
    if (!files)
        return;
    json_t *head = json_pack("{s: o, s: s}", "files", files, "said", said);
    char *line = head ? json_dumps(head, JSON_COMPACT) : NULL; /* NULL: words that are no UTF-8 */
    char *code;
    size_t length;
    if (line && ht_file_read(path, KEPT_MAX, &code, &length, NULL) == HT_OK) {
        write_kept(object, line, code, length);
        if (strncmp(object->key, "00", 2) == 0) /* now and then, so that it does not grow forever */
            ht_dir_remove_old(object->folder, DAYS_KEPT);
        free(code);
    }
    free(line);
    json_decref(head);
}
