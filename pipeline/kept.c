#include "pipeline/kept.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/warning.h"
#include "pipeline/file_states.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DAYS_KEPT = 30 };

struct ht_kept {
    char *folder;
    ht_file_states *before, *after; /* as found at the beginning, and once all was read */
    double start;
};

/* ---- the folder */

/* Returns its path; free(). NULL: nothing is to be kept. */
static char *folder_path(bool *out_named) {
    const char *named = getenv("HIPTEMPER_KEPT");
    *out_named = named != NULL;
    if (named)
        return *named ? ht_strdup(named) : NULL;
    return ht_cache_path("kept");
}

ht_kept *ht_kept_open(void) {
    bool named;
    char *folder = folder_path(&named);
    ht_error error = {0};
    if (!folder || !ht_cache_make(folder, &error)) {
        if (folder && named)
            ht_warning("$HIPTEMPER_KEPT is not used: %s: %s; name a folder of your own, or leave "
                       "it empty to keep nothing",
                       folder, error.message);
        free(folder);
        return NULL;
    }
    ht_dir_remove_old(folder, DAYS_KEPT);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now); /* which file systems take their times from */
    ht_kept *kept = ht_alloc(1, sizeof *kept);
    *kept = (ht_kept){.folder = folder,
                      .before = ht_file_states_new(),
                      .after = ht_file_states_new(),
                      .start = (double)now.tv_sec + (double)now.tv_nsec / 1e9};
    return kept;
}

void ht_kept_free(ht_kept *kept) {
    if (!kept)
        return;
    ht_file_states_free(kept->before);
    ht_file_states_free(kept->after);
    free(kept->folder);
    free(kept);
}

static char *entry_path(const ht_kept *kept, const ht_kept_file *file) {
    char key[HT_HASH_SIZE];
    ht_hash_strings(key, file->common, file->path, file->own, NULL);
    return ht_path_join(kept->folder, key);
}

/* ---- finding */

static bool are_texts(const json_t *array, size_t strings, size_t booleans) {
    bool fit = json_array_size(array) == strings + booleans;
    for (size_t i = 0; fit && i < strings + booleans; ++i) {
        const json_t *item = json_array_get(array, i);
        fit = i < strings ? json_is_string(item) : json_is_boolean(item);
    }
    return fit;
}

static bool is_well_formed(const json_t *entry) {
    const json_t *reads = json_object_get(entry, "reads");
    const json_t *absent = json_object_get(entry, "absent");
    const json_t *outputs = json_object_get(entry, "outputs");
    bool fit = json_is_array(reads) && json_is_array(absent) && json_is_array(outputs) &&
               json_is_array(json_object_get(json_object_get(entry, "document"), "rows"));
    size_t index;
    json_t *item;
    json_array_foreach(reads, index, item) fit = fit && are_texts(item, 2, 1);
    json_array_foreach(absent, index, item) fit = fit && json_is_string(item);
    json_array_foreach(outputs, index, item) fit = fit && are_texts(item, 2, 0);
    return fit;
}

json_t *ht_kept_parse(const char *text, size_t length) {
    enum { SUM = HT_HASH_SIZE - 1 };
    char sum[HT_HASH_SIZE];
    if (length <= SUM || text[SUM] != '\n')
        return NULL;
    ht_hash_bytes(text + SUM + 1, length - SUM - 1, sum);
    if (memcmp(text, sum, SUM) != 0)
        return NULL;
    json_t *entry = json_loadb(text + SUM + 1, length - SUM - 1, JSON_REJECT_DUPLICATES, NULL);
    if (entry && is_well_formed(entry))
        return entry;
    json_decref(entry);
    return NULL;
}

static const char *text_at(const json_t *array, size_t index) {
    return json_string_value(json_array_get(array, index));
}

/* Returns true if another file of the tree is this one, under whatever name. */
static bool is_of_tree(ht_file_states *states, const ht_kept_file *file, const char *path) {
    for (size_t i = 0; i < file->tree_count; ++i)
        if (strcmp(file->tree[i], file->path) != 0 &&
            ht_file_states_same(states, file->tree[i], path))
            return true;
    return false;
}

/* Returns true if nothing changed that the entry depends on. */
static bool is_fresh(ht_file_states *states, const ht_kept_file *file, const json_t *entry) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(entry, "reads"), index, item) {
        const char *path = text_at(item, 0);
        if (strcmp(ht_file_state(states, path), text_at(item, 1)) != 0 ||
            is_of_tree(states, file, path) != json_is_true(json_array_get(item, 2)))
            return false;
    }
    json_array_foreach(json_object_get(entry, "absent"), index,
                       item) if (strcmp(ht_file_state(states, json_string_value(item)), "-") !=
                                 0) return false;
    return true;
}

/* Writes an output unless it is there already. */
static ht_status output_restore(const char *path, const char *text) {
    char *now = NULL, *folder = ht_path_folder(path);
    size_t length = 0;
    ht_status status = HT_OK;
    if (ht_file_read(path, 0, &now, &length, NULL) != HT_OK || length != strlen(text) ||
        memcmp(now, text, length) != 0) {
        status = ht_dir_make(folder, NULL);
        if (status == HT_OK)
            status = ht_result_write(path, text, strlen(text), NULL);
    }
    free(folder);
    free(now);
    return status;
}

json_t *ht_kept_find(ht_kept *kept, const ht_kept_file *file) {
    char *path = entry_path(kept, file), *text = NULL;
    size_t length = 0;
    json_t *entry =
        ht_file_read(path, 0, &text, &length, NULL) == HT_OK ? ht_kept_parse(text, length) : NULL;
    bool fits = entry && is_fresh(kept->before, file, entry);
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(entry, "outputs"), index, item) fits =
        fits && output_restore(text_at(item, 0), text_at(item, 1)) == HT_OK;
    if (fits)
        utimensat(AT_FDCWD, path, NULL, 0); /* it was asked for */
    json_t *document = fits ? json_incref(json_object_get(entry, "document")) : NULL;
    json_decref(entry);
    free(text);
    free(path);
    return document;
}

/* ---- keeping */

/* Returns [[path, state, in the tree]]; NULL: a file changed since the run began. */
static json_t *reads_make(ht_kept *kept, const ht_kept_file *file, const json_t *reads,
                          ht_names *out_absent) {
    json_t *made = json_array(), *item;
    size_t index;
    json_array_foreach(reads, index, item) {
        const char *path = json_string_value(item);
        if (!path || ht_file_states_since(kept->after, path, kept->start)) {
            json_decref(made);
            return NULL;
        }
        json_array_append_new(made, json_pack("[s, s, b]", path, ht_file_state(kept->after, path),
                                              is_of_tree(kept->after, file, path)));
        ht_file_states_absent(kept->after, path, file->arguments, file->argument_count, out_absent);
    }
    return made;
}

/* Returns [[path, text]]; NULL: one cannot be read, or is no text that JSON can hold. */
static json_t *outputs_make(const json_t *outputs) {
    json_t *made = json_array(), *item;
    size_t index;
    json_array_foreach(outputs, index, item) {
        const char *path = json_string_value(item);
        char *text = NULL;
        json_t *pair = path && ht_file_read_text(path, "an output", &text, NULL) == HT_OK
                           ? json_pack("[s, s]", path, text)
                           : NULL;
        free(text);
        if (!pair) {
            json_decref(made);
            return NULL;
        }
        json_array_append_new(made, pair);
    }
    return made;
}

static void entry_write(const char *path, const json_t *entry) {
    char sum[HT_HASH_SIZE];
    char *text = json_dumps(entry, JSON_COMPACT);
    if (!text)
        return;
    ht_hash_bytes(text, strlen(text), sum);
    char *whole = ht_format("%s\n%s", sum, text);
    (void)ht_file_write(path, whole, strlen(whole), NULL); /* else the next run reads it again */
    free(whole);
    free(text);
}

void ht_kept_put(ht_kept *kept, const ht_kept_file *file, const json_t *reads,
                 const json_t *outputs, json_t *document) {
    ht_names absent = {0};
    json_t *states = reads_make(kept, file, reads, &absent);
    json_t *texts = states ? outputs_make(outputs) : NULL;
    if (texts) {
        json_t *places = json_array();
        for (size_t i = 0; i < absent.count; ++i)
            json_array_append_new(places, json_string(absent.items[i]));
        json_t *entry = json_pack("{s:O, s:o, s:O, s:O}", "reads", states, "absent", places,
                                  "outputs", texts, "document", document);
        char *path = entry_path(kept, file);
        if (entry)
            entry_write(path, entry);
        free(path);
        json_decref(entry);
    }
    json_decref(texts);
    json_decref(states);
    ht_names_free(&absent);
}
