#include "pipeline/patch.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static ht_status diff_run(const char *const *arguments, ht_text *text, ht_error *error) {
    enum { SECONDS = 60 };
    /* With messages as they stand in patches: "\\ No newline at end of file". */
    const ht_tool_call call = {.arguments = arguments,
                               .seconds = SECONDS,
                               .variable = "LC_ALL",
                               .value = "C",
                               .no_errors = true};
    int code = -1;
    ht_status status = ht_tool_run(&call, text, &code, error);
    if (status == HT_ERROR_MISSING)
        ht_error_prefix(error, "no patch is written: install diffutils: ");
    else if (status == HT_OK && code != 0 && code != 1)
        status = ht_error_set(error, HT_ERROR_IO, "diff failed with exit code %d", code);
    return status;
}

static ht_status whole_path(const char *path, char **out_path, ht_error *error) {
    *out_path = realpath(path, NULL);
    if (!*out_path)
        return ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "cannot be found for a patch: %s",
                               strerror(errno));
    return HT_OK;
}

ht_status ht_patch_folder(const char *const *paths, size_t count, char **out_folder,
                          ht_error *error) {
    char *current = realpath(".", NULL);
    *out_folder = NULL;
    for (size_t i = 0; i < count; ++i) {
        char *path;
        ht_status status = whole_path(paths[i], &path, error);
        if (status != HT_OK) {
            free(current);
            free(*out_folder);
            *out_folder = NULL;
            return status;
        }
        if (!*out_folder)
            *out_folder = current && ht_path_is_below(path, current) ? ht_strdup(current)
                                                                     : ht_path_folder(path);
        while (!ht_path_is_below(path, *out_folder)) {
            char *above = ht_path_folder(*out_folder);
            free(*out_folder);
            *out_folder = above;
        }
        free(path);
    }
    free(current);
    return HT_OK;
}

/* Returns "a/x.hip" as a header has it: bytes that end a name, or look like quotes, as git writes
 * them. A name with blanks ends in a tab, by which also tools that know no quotes find its end. */
static char *label_make(const char *side, const char *name) {
    static const char letters[] = "\a\b\t\n\v\f\r\"\\", escaped[] = "abtnvfr\"\\";
    ht_text label = {0};
    bool quoted = false;
    ht_text_printf(&label, "%s/", side);
    for (const char *at = name; *at; ++at) {
        unsigned char c = (unsigned char)*at;
        const char *letter = strchr(letters, c);
        quoted = quoted || letter || c < ' ' || c == 0x7f;
        if (letter)
            ht_text_printf(&label, "\\%c", escaped[letter - letters]);
        else
            ht_text_printf(&label, c < ' ' || c == 0x7f ? "\\%03o" : "%c", c);
    }
    char *made = quoted ? ht_format("\"%s\"", label.data)
                        : ht_format("%s%s", label.data, strchr(name, ' ') ? "\t" : "");
    ht_text_free(&label);
    return made;
}

static ht_status patch_make(const char *original, const char *changed, const char *folder,
                            ht_text *text, ht_error *error) {
    const char *name = original + (strcmp(folder, "/") == 0 ? 1 : strlen(folder) + 1);
    char *old_label = label_make("a", name), *new_label = label_make("b", name);
    const char *arguments[] = {"diff",    "-u", "--text", "--label", old_label, "--label",
                               new_label, "--", original, changed,   NULL};
    ht_text_append(text, "");
    ht_status status = diff_run(arguments, text, error);
    free(old_label);
    free(new_label);
    return status;
}

ht_status ht_patch_make(const char *original, const char *changed, const char *folder,
                        char **out_patch, ht_error *error) {
    char *from = NULL, *to = NULL;
    ht_text text = {0};
    ht_status status = whole_path(original, &from, error);
    if (status == HT_OK)
        status = whole_path(changed, &to, error);
    if (status == HT_OK && !ht_path_is_below(from, folder))
        status =
            ht_error_set_at(error, HT_ERROR_INTERNAL, original, 0, 0, "it is not below %s", folder);
    if (status == HT_OK)
        status = patch_make(from, to, folder, &text, error);
    free(from);
    free(to);
    if (status == HT_OK)
        *out_patch = ht_text_take(&text);
    else
        ht_text_free(&text);
    return status;
}
