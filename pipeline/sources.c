/* Finds the source files that a command works on. */
#include "pipeline/input.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "refactor/source/include_name.h"
#include "refactor/source/names.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 64 };

typedef struct walk {
    ht_sources *sources;
    struct stat skip; /* st_ino 0: nothing to skip */
    size_t root;      /* characters of the given folder, to be cut from output names */
    ht_names *parts;  /* files with suffixes of their own that sources include, by name; owned */
    bool for_parts;   /* looks for these, not for sources */
} walk;

static bool has_source_suffix(const char *name) {
    static const char *const suffixes[] = {".hip", ".cu",  ".cuh", ".cpp", ".cxx", ".cc",
                                           ".h",   ".hpp", ".hh",  ".hxx", ".inl"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; ++i) {
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    }
    return false;
}

/* Returns true for files written by `hiptemper refactor`. */
static bool is_ours(const char *name) {
    static const char *const suffixes[] = {".template.hip", ".bug.hip"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i)
        if (length > strlen(suffixes[i]) &&
            strcmp(name + length - strlen(suffixes[i]), suffixes[i]) == 0)
            return true;
    return false;
}

static bool has_kernels(const char *text, size_t length) {
    return memmem(text, length, "__global__", 10) != NULL;
}

bool ht_mentions_kernels(const char *path) {
    char *text;
    size_t length;
    if (ht_file_read(path, 0, &text, &length, NULL) != HT_OK)
        return false;
    bool found = has_kernels(text, length);
    free(text);
    return found;
}

static bool output_taken(const ht_sources *sources, const char *output) {
    for (size_t i = 0; i < sources->count; ++i) {
        if (strcmp(sources->items[i].output, output) == 0)
            return true;
    }
    return false;
}

/* Returns "conv.hip", else "conv-2.hip", "conv-3.hip", ... */
static char *output_unique(const ht_sources *sources, const char *wanted) {
    char *output = ht_strdup(wanted);
    const char *dot = strrchr(wanted, '.');
    size_t stem = dot && dot > ht_path_name(wanted) ? (size_t)(dot - wanted) : strlen(wanted);
    for (int i = 2; output_taken(sources, output); ++i) {
        free(output);
        output = ht_format("%.*s-%d%s", (int)stem, wanted, i, wanted + stem);
    }
    return output;
}

static void source_add(ht_sources *sources, const char *path, const char *output, bool named) {
    for (size_t i = 0; i < sources->count; ++i) {
        if (strcmp(sources->items[i].path, path) == 0)
            return;
    }
    ht_source source = {
        .path = ht_strdup(path), .output = output_unique(sources, output), .named = named};
    ht_input_add(path);
    HT_GROW(sources->items, sources->count);
    sources->items[sources->count++] = source;
}

/* Notes the names of included files whose suffixes are no source's ("PdV_kernel.cuknl"). */
static void parts_note(const char *text, ht_names *parts) {
    for (const char *line = text; line; line = strchr(line, '\n')) {
        bool quoted;
        line += *line == '\n';
        char *name = ht_include_name(line, &quoted);
        const char *file = name && quoted ? ht_path_name(name) : "";
        if (strchr(file, '.') && !has_source_suffix(file))
            ht_names_add(parts, file);
        free(name);
    }
}

/* Returns true if the source has kernels, and notes what it includes. */
static bool is_with_kernels(const walk *state, const char *path) {
    char *text;
    size_t length;
    if (ht_file_read(path, 0, &text, &length, NULL) != HT_OK)
        return false;
    if (!state->for_parts)
        parts_note(text, state->parts);
    bool found = has_kernels(text, length);
    free(text);
    return found;
}

static int not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void folder_walk(const walk *state, const char *folder, int depth);

static void entry_take(const walk *state, const char *path, int depth) {
    struct stat info;
    if (lstat(path, &info) != 0)
        return;
    if (S_ISDIR(info.st_mode)) {
        bool skipped = info.st_ino == state->skip.st_ino && info.st_dev == state->skip.st_dev;
        if (!skipped && depth < DEPTH_MAX)
            folder_walk(state, path, depth + 1);
        return;
    }
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    const char *output = path + state->root;
    bool wanted = state->for_parts ? ht_names_has(state->parts, ht_path_name(path))
                                   : has_source_suffix(path) && !is_ours(path);
    if (wanted && is_with_kernels(state, path))
        source_add(state->sources, path, output + strspn(output, "/"), false);
}

static void folder_walk(const walk *state, const char *folder, int depth) {
    struct dirent **entries;
    int count = scandir(folder, &entries, not_hidden, alphasort);
    for (int i = 0; i < count; ++i) {
        char *path = ht_path_join(folder, entries[i]->d_name);
        entry_take(state, path, depth);
        free(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static ht_status path_take(const char *path, const char *skip, ht_sources *sources,
                           ht_error *error) {
    if (ht_dir_exists(path)) {
        ht_names parts = {0};
        walk state = {.sources = sources, .root = strlen(path), .parts = &parts};
        if (skip && stat(skip, &state.skip) != 0)
            memset(&state.skip, 0, sizeof state.skip);
        size_t before = sources->count;
        folder_walk(&state, path, 0);
        state.for_parts = parts.count > 0;
        if (state.for_parts)
            folder_walk(&state, path, 0);
        ht_names_free(&parts);
        if (sources->count == before)
            return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                   "no source file in this folder has a kernel (__global__ in a "
                                   ".hip .cu .cuh .cpp .cxx .cc .h .hpp .hh .hxx or .inl file, or "
                                   "one that such a file includes)");
        return HT_OK;
    }
    char *text;
    size_t length;
    ht_status status = ht_file_read(path, 0, &text, &length, error);
    if (status != HT_OK)
        return error ? (error->status = HT_ERROR_INPUT) : HT_ERROR_INPUT;
    bool binary = memchr(text, 0, length) != NULL;
    free(text);
    if (binary)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0, "this is not a text file");
    source_add(sources, path, ht_path_name(path), true);
    return HT_OK;
}

ht_status ht_sources_find(char *const *paths, size_t count, const char *skip,
                          ht_sources *out_sources, ht_error *error) {
    *out_sources = (ht_sources){0};
    for (size_t i = 0; i < count; ++i) {
        ht_status status = path_take(paths[i], skip, out_sources, error);
        if (status != HT_OK) {
            ht_sources_free(out_sources);
            return status;
        }
    }
    return HT_OK;
}

void ht_sources_free(ht_sources *sources) {
    for (size_t i = 0; i < sources->count; ++i) {
        free(sources->items[i].path);
        free(sources->items[i].through);
        free(sources->items[i].output);
    }
    free(sources->items);
    *sources = (ht_sources){0};
}
