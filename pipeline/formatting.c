#include "pipeline/formatting.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/line_diff.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/tool.h"
#include "base/warning.h"
#include "pipeline/evident_style.h"

#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 60 };

static const char *const programs[] = {"clang-format", "clang-format-19"};
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

/* ---- style files */

/* Returns the nearest file of one of the names in the folder or above it; NULL: there is none.
 * free(). */
static char *find_above(const char *folder, const char *name, const char *other) {
    const char *const names[] = {name, other};
    char *at = ht_strdup(folder), *found = NULL;
    for (bool last = false; !found && !last;) {
        for (size_t i = 0; i < 2 && names[i] && !found; ++i) {
            char *path = ht_path_join(at, names[i]);
            if (ht_file_exists(path))
                found = path;
            else
                free(path);
        }
        last = strcmp(at, "/") == 0;
        char *above = ht_path_folder(at);
        free(at);
        at = above;
    }
    free(at);
    return found;
}

/* Returns true if a line of `.clang-format-ignore` is for the file: a pattern relative to the
 * folder, or from the root on with a slash in front; after a `!` those that do not match. */
static bool line_ignores(const char *line, size_t length, const char *folder, const char *path) {
    while (length && strchr(" \t\r", *line))
        ++line, --length;
    while (length && strchr(" \t\r", line[length - 1]))
        --length;
    if (!length || *line == '#')
        return false;
    bool negated = *line == '!';
    char *pattern = ht_strndup(line + negated, length - negated);
    size_t below = strcmp(folder, "/") == 0 ? 1 : strlen(folder) + 1;
    bool matches = fnmatch(pattern, *pattern == '/' ? path : path + below, FNM_PATHNAME) == 0;
    free(pattern);
    return matches != negated;
}

/* clang-format below version 18 does not look at the file. */
static bool is_ignored(const char *folder, const char *path) {
    char *list = find_above(folder, ".clang-format-ignore", NULL), *text = NULL;
    bool ignored = false;
    if (list && ht_file_read(list, 0, &text, NULL, NULL) == HT_OK) {
        char *own = ht_path_folder(list);
        for (const char *at = text; *at && !ignored; at += *at == '\n') {
            size_t length = strcspn(at, "\n");
            ignored = line_ignores(at, length, own, path);
            at += length;
        }
        free(own);
    }
    free(text);
    free(list);
    return ignored;
}

/* Returns the style file that a source is formatted by; NULL: there is none, or a list says that
 * the source is not formatted. free(). */
static char *style_find(const char *whole, bool *out_ignored) {
    char *folder = ht_path_folder(whole);
    char *style = find_above(folder, ".clang-format", "_clang-format");
    *out_ignored = style && is_ignored(folder, whole);
    if (*out_ignored) {
        free(style);
        style = NULL;
    }
    free(folder);
    return style;
}

/* ---- clang-format */

static void warn_once(const char *style, const char *why, const char *remedy) {
    static bool said;
    if (!said)
        ht_warning("changed lines are not formatted as %s says: %s; %s, or leave formatting out "
                   "with --no-format",
                   style, why, remedy);
    said = true;
}

/* Returns the arguments, "-lines=4:9" for each run of changed lines; free() from the fourth on. */
static char **arguments_make(const char *program, char *name, const size_t *kept, size_t count) {
    size_t used = 0;
    char **arguments = ht_alloc(count + 5, sizeof *arguments);
    arguments[used++] = (char *)(size_t)program;
    arguments[used++] = (char *)(size_t)"-style=file";
    arguments[used++] = name;
    for (size_t i = 0, end; i < count; i = end + 1) {
        for (end = i; end < count && kept[end] == SIZE_MAX;)
            ++end;
        if (end > i)
            arguments[used++] = ht_format("-lines=%zu:%zu", i + 1, end);
    }
    return arguments;
}

/* Runs one of the programs. Returns false with the reason in `why`. */
static bool program_run(const char *program, const char *input, const char *path,
                        const size_t *kept, size_t count, ht_text *out, ht_text *why) {
    char *name = ht_format("-assume-filename=%s", path);
    char **arguments = arguments_make(program, name, kept, count);
    const ht_tool_call call = {.arguments = (const char *const *)arguments,
                               .seconds = SECONDS,
                               .input = input,
                               .no_errors = true};
    ht_error error = {0};
    int code = -1;
    ht_text_append(out, "");
    ht_status status = ht_tool_run(&call, out, &code, &error);
    if (status != HT_OK)
        ht_text_printf(why, "%s%s", why->length ? "; " : "", error.message);
    else if (code != 0)
        ht_text_printf(why, "%s%s ends with exit code %d", why->length ? "; " : "", program, code);
    for (size_t i = 3; arguments[i]; ++i)
        free(arguments[i]);
    free(arguments);
    free(name);
    return status == HT_OK && code == 0;
}

/* Returns the text as clang-format has it; NULL: no program did it. free(). */
static char *text_format(const char *text, const char *path, const char *style, const size_t *kept,
                         size_t count) {
    ht_scratch scratch = {0};
    ht_error error = {0};
    ht_text out = {0}, why = {0};
    bool done = false;
    if (ht_scratch_make("format", &scratch, &error) != HT_OK) {
        warn_once(style, error.message, "make room there");
        return NULL;
    }
    char *input = ht_path_join(scratch.path, "text");
    if (ht_file_write(input, text, strlen(text), &error) != HT_OK)
        ht_text_append(&why, error.message);
    for (size_t i = 0; i < PROGRAM_COUNT && !done && !error.status; ++i) {
        ht_text_free(&out);
        done = program_run(programs[i], input, path, kept, count, &out, &why);
    }
    if (!done) {
        warn_once(style, why.data, "install clang-format of a version that reads this file");
        ht_text_free(&out);
    }
    free(input);
    ht_text_free(&why);
    ht_scratch_remove(&scratch);
    return done ? ht_text_take(&out) : NULL;
}

/* ---- which of its changes are taken */

/* Returns the next character that is no blank; the two that begin a line's comment are passed over,
 * since comments are wrapped anew. */
static char next_of(const char **at, const char *end, bool *begins) {
    while (*at < end) {
        char c = *(*at)++;
        if (c == '\n')
            *begins = true;
        if (strchr(" \t\r\n", c))
            continue;
        bool comment = *begins && c == '/' && *at < end && **at == '/';
        *begins = false;
        if (!comment)
            return c;
        ++*at;
    }
    return 0;
}

/* Returns true if two runs of lines differ in blanks and line breaks alone. */
static bool is_reflow(const char *a, const char *a_end, const char *b, const char *b_end) {
    bool a_begins = true, b_begins = true;
    for (;;) {
        char left = next_of(&a, a_end, &a_begins), right = next_of(&b, b_end, &b_begins);
        if (left != right)
            return false;
        if (!left)
            return true;
    }
}

static bool all_new(const size_t *kept, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
        if (kept[i] != SIZE_MAX)
            return false;
    return true;
}

static void lines_add(ht_text *out, const ht_lines *lines, size_t begin, size_t end) {
    ht_text_append_n(out, lines->text + lines->begins[begin],
                     lines->begins[end] - lines->begins[begin]);
}

/* Takes the runs of lines that clang-format changed and that are all new, with `kept` as of the
 * tuned text. Returns the text; free(). */
static char *changes_take(const ht_lines *tuned, const size_t *kept, const char *formatted) {
    ht_lines made = ht_lines_of(formatted);
    size_t *match = ht_lines_match(tuned, &made);
    ht_text out = {0};
    ht_text_append(&out, "");
    for (size_t i = 0, j = 0; i < tuned->count || j < made.count;) {
        size_t end = j;
        while (end < made.count && match[end] == SIZE_MAX)
            ++end;
        size_t until = end < made.count ? match[end] : tuned->count;
        bool taken = all_new(kept, i, until) &&
                     is_reflow(tuned->text + tuned->begins[i], tuned->text + tuned->begins[until],
                               formatted + made.begins[j], formatted + made.begins[end]);
        if (taken)
            lines_add(&out, &made, j, end);
        else
            lines_add(&out, tuned, i, until);
        if (until < tuned->count)
            lines_add(&out, tuned, until, until + 1);
        i = until < tuned->count ? until + 1 : until;
        j = end < made.count ? end + 1 : end;
    }
    free(match);
    ht_lines_free(&made);
    return ht_text_take(&out);
}

/* Returns the text in the file's format; NULL: it stays. free(). */
static char *lines_format(const char *original, const char *text, const char *path,
                          const char *style) {
    ht_lines older = ht_lines_of(original), tuned = ht_lines_of(text);
    size_t *kept = ht_lines_match(&older, &tuned);
    char *made = NULL;
    if (all_new(kept, 0, tuned.count)) { /* nothing of the author's shows a style */
    } else if (!style) {
        made = ht_evident_style_apply(&older, &tuned, kept);
    } else {
        char *formatted = text_format(text, path, style, kept, tuned.count);
        if (formatted)
            made = changes_take(&tuned, kept, formatted);
        free(formatted);
    }
    free(kept);
    ht_lines_free(&tuned);
    ht_lines_free(&older);
    return made;
}

static void file_format(ht_applied_file *file) {
    char *whole = realpath(file->path, NULL), *original = NULL;
    bool ignored = false;
    char *style = whole ? style_find(whole, &ignored) : NULL;
    if (whole && !ignored && ht_file_read(whole, 0, &original, NULL, NULL) == HT_OK &&
        strcmp(original, file->text) != 0) {
        char *made = lines_format(original, file->text, whole, style);
        if (made) {
            free(file->text);
            file->text = made;
        }
    }
    free(original);
    free(style);
    free(whole);
}

void ht_formatting_apply(const ht_applied *applied) {
    for (size_t i = 0; i < applied->count; ++i)
        file_format(&applied->files[i]);
}

/* ---- for results that are kept */

static void file_key(const char *name, const char *path, ht_text *out) {
    char *text = NULL, hash[HT_HASH_SIZE] = "";
    size_t length = 0;
    if (path && ht_file_read(path, 0, &text, &length, NULL) == HT_OK)
        ht_hash_bytes(text, length, hash);
    ht_text_printf(out, "%s %s %s\n", name, path ? path : "", hash);
    free(text);
}

void ht_formatting_key(const char *path, ht_text *out) {
    bool ignored = false;
    char *whole = realpath(path, NULL), *style = whole ? style_find(whole, &ignored) : NULL;
    ht_text_printf(out, "ignored %d\n", ignored);
    /* a style may take over what is above it */
    for (char *at = style, *above; at; at = above) {
        file_key("style", at, out);
        char *folder = ht_path_folder(at), *parent = ht_path_folder(folder);
        above =
            strcmp(folder, "/") == 0 ? NULL : find_above(parent, ".clang-format", "_clang-format");
        free(folder);
        free(parent);
        if (at != style)
            free(at);
    }
    for (size_t i = 0; style && i < PROGRAM_COUNT; ++i) {
        char *program = ht_tool_find(programs[i]);
        ht_text_printf(out, "formatter %s\n", program ? program : "");
        free(program);
    }
    free(style);
    free(whole);
}
