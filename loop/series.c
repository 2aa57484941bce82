#include "loop/series.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/scratch.h"
#include "base/text.h"
#include "pipeline/patch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct series {
    const ht_history *history;
    const char *folder; /* for the patches */
    char *root;         /* that patches are applied in */
    char *name;         /* of the source below it */
    ht_scratch scratch; /* a folder with both texts of a patch */
    ht_text names;
    size_t count;
} series;

static ht_status text_write(const char *folder, const char *name, const char *text,
                            ht_error *error) {
    char *path = ht_path_join(folder, name);
    ht_status status = ht_result_write(path, text, strlen(text), error);
    free(path);
    return status;
}

/* Puts a text below the scratch folder, under the name that patches give it. */
static ht_status place(const series *in, const char *side, const char *text, char **out_path,
                       ht_error *error) {
    *out_path = ht_format("%s/%s/%s", in->scratch.path, side, in->name);
    char *parent = ht_path_folder(*out_path);
    ht_status status = ht_dir_make(parent, error);
    free(parent);
    return status == HT_OK ? ht_file_write(*out_path, text, strlen(text), error) : status;
}

static const char sender[] = "From: hiptemper <hiptemper@localhost>\n";

/* Returns the words in front of a patch, which `patch` skips and of which `git am` makes a commit's
 * message; free(). */
static char *words_of(const series *in, const ht_revision *revision) {
    const ht_gain_interval *over = &revision->over_best, *all = &revision->speedup;
    return ht_format("%sSubject: [PATCH] %s: revision %lu, %s\n\n%s\n\nOver the best before it: "
                     "%.3fx [%.3f, %.3f]; over "
                     "the original: %.3fx [%.3f, %.3f].\nConfiguration: %s\nChecked: %s\n---\n",
                     sender, ht_path_name(in->name), (unsigned long)revision->number,
                     ht_action_name(revision->action), revision->reason ? revision->reason : "",
                     over->ratio, over->lo, over->hi, all->ratio, all->lo, all->hi,
                     revision->config ? revision->config : "",
                     revision->finding ? revision->finding : "");
}

static ht_status patch_write(series *in, const ht_revision *before, const ht_revision *revision,
                             ht_error *error) {
    char *old = NULL, *new = NULL, *patch = NULL;
    ht_status status = place(in, "a", before->source, &old, error);
    if (status == HT_OK)
        status = place(in, "b", revision->source, &new, error);
    char *base = ht_format("%s/a", in->scratch.path);
    if (status == HT_OK)
        status = ht_patch_make(old, new, base, &patch, error);
    if (status == HT_OK) {
        char *name = ht_format("%04zu-%s.patch", ++in->count, ht_action_name(revision->action));
        char *words = words_of(in, revision), *whole = ht_format("%s%s", words, patch);
        status = text_write(in->folder, name, whole, error);
        ht_text_printf(&in->names, "%s\n", name);
        free(whole);
        free(words);
        free(name);
    }
    free(base);
    free(patch);
    free(new);
    free(old);
    return status;
}

/* Returns true if a file is a patch that an export wrote. */
static bool is_own(const char *path) {
    char *text = NULL;
    bool own = ht_file_exists(path) && ht_file_read_text(path, "patch", &text, NULL) == HT_OK &&
               ht_text_begins(text, sender);
    free(text);
    return own;
}

/* Removes the patches of an earlier export, which `series` lists: `git am` would take them too.
 * Others' patches stay: such a folder may be a package's. */
static ht_status earlier_remove(const series *in, ht_error *error) {
    char *list = ht_path_join(in->folder, "series"), *text = NULL, *rest = NULL;
    ht_status status = HT_OK;
    if (ht_file_exists(list))
        status = ht_file_read_text(list, "list of patches", &text, error);
    for (char *name = text ? strtok_r(text, "\n", &rest) : NULL; name && status == HT_OK;
         name = strtok_r(NULL, "\n", &rest)) {
        bool named = !strchr(name, '/') && strspn(name, "0123456789") == 4 && name[4] == '-' &&
                     ht_text_ends(name, ".patch");
        char *path = ht_path_join(in->folder, name);
        if (named && is_own(path) && unlink(path) != 0 && errno != ENOENT)
            status = ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "cannot be removed: %s",
                                     strerror(errno));
        free(path);
    }
    free(text);
    free(list);
    return status;
}

static ht_status all_write(series *in, ht_error *error) {
    const ht_revision *last = &in->history->items[0];
    ht_status status = earlier_remove(in, error);
    for (size_t i = 1; status == HT_OK && i < in->history->count; ++i) {
        const ht_revision *item = &in->history->items[i];
        if (!item->kept || !item->source)
            continue;
        status = patch_write(in, last, item, error);
        last = item;
    }
    if (status == HT_OK)
        status = text_write(in->folder, "series", in->names.data ? in->names.data : "", error);
    if (status == HT_OK && last->number > 0)
        status = text_write(in->folder, ht_path_name(in->name), last->source, error);
    const ht_revision *best = ht_history_best(in->history);
    if (status == HT_OK && best && !best->source && best->template_text)
        status = text_write(in->folder, "best.template.hip", best->template_text, error);
    return status;
}

static ht_status original_check(const ht_history *history, const char *path, ht_error *error) {
    char *text = NULL;
    if (history->count == 0 || !history->items[0].source)
        return ht_error_set(error, HT_ERROR_INPUT,
                            "the loop's texts were not kept: its source is not UTF-8");
    ht_status status = ht_file_read_text(path, "HIP source", &text, error);
    if (status == HT_OK && strcmp(text, history->items[0].source) != 0)
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                 "it is not what the loop began with: run `hiptemper loop` on it");
    free(text);
    return status;
}

/* Finds the folder that patches apply in, and the source's name in it. */
static ht_status root_find(series *in, const char *path, ht_error *error) {
    ht_status status = ht_patch_folder(&path, 1, &in->root, error);
    if (status != HT_OK)
        return status;
    char *whole = realpath(path, NULL);
    size_t length = strlen(in->root);
    if (whole && ht_path_is_below(whole, in->root))
        in->name = ht_strdup(whole + length + strspn(whole + length, "/"));
    else
        status = ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "it is not where it was");
    free(whole);
    return status;
}

ht_status ht_series_write(const ht_history *history, const char *path, const char *folder,
                          char **out_folder, size_t *out_count, ht_error *error) {
    series in = {.history = history, .folder = folder};
    ht_status status = original_check(history, path, error);
    if (status == HT_OK)
        status = root_find(&in, path, error);
    if (status == HT_OK)
        status = ht_dir_make(folder, error);
    if (status == HT_OK)
        status = ht_scratch_make("series", &in.scratch, error);
    if (status == HT_OK)
        status = all_write(&in, error);
    ht_scratch_remove(&in.scratch);
    *out_folder = in.root;
    *out_count = in.count;
    if (status != HT_OK) {
        free(in.root);
        *out_folder = NULL;
    }
    free(in.name);
    ht_text_free(&in.names);
    return status;
}
