#include "refactor/source/tree_guess.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns the length of the folder in front of the name; SIZE_MAX: the path does not end with it.
 */
static size_t folder_length(const char *path, const char *name) {
    size_t length = strlen(path), size = strlen(name);
    bool ends = length > size + 1 && path[length - size - 1] == '/' &&
                strcmp(path + length - size, name) == 0;
    return ends ? length - size - 1 : SIZE_MAX;
}

static void folder_note(node *of, char *folder, bool quoted) {
    for (size_t i = 0; i < of->folder_count; ++i)
        if (strcmp(of->folders[i].path, folder) == 0 && of->folders[i].quoted == quoted) {
            free(folder);
            return;
        }
    HT_GROW(of->folders, of->folder_count);
    of->folders[of->folder_count++] = (ht_tree_folder){folder, quoted};
}

/* Returns true if a name in <> is one of the system's headers: <vector>, <math.h>. */
static bool is_system(const char *name) {
    struct stat info;
    char *path = ht_path_join("/usr/include", name);
    bool there = !strchr(name, '.') || stat(path, &info) == 0;
    free(path);
    return there;
}

bool ht_tree_is_unknown(const char *name) {
    static const char *const declared[] = {
        "cuda", "hip/",    "hip_",         "thrust/", "cooperative_", "torch/",   "ATen/",
        "c10/", "device_", "vector_types", "math_",   "driver",       "texture_", NULL};
    return !ht_text_starts(name, declared) && !is_system(name); /* which looks at the disk */
}

/* Returns the length of the smallest folder that holds both. */
static size_t common_folder(const char *path, const char *other) {
    size_t length = 0;
    for (size_t i = 0; path[i] && path[i] == other[i]; ++i)
        if (path[i] == '/')
            length = i;
    return length;
}

/* Of several it is the only one in the smallest folder that holds the including file and one of
 * them: the one that is found where the command is given that folder alone. */
size_t ht_tree_guess(graph *in, size_t from, const char *name, bool quoted) {
    size_t found = SIZE_MAX, nearest = 0;
    bool several = false;
    if (name[0] == '.' || name[0] == '/' || (!quoted && is_system(name)))
        return SIZE_MAX;
    for (size_t i = 0; i < in->count; ++i) {
        if (folder_length(in->nodes[i].path, name) == SIZE_MAX)
            continue;
        size_t near = common_folder(in->nodes[i].path, in->nodes[from].path);
        if (found != SIZE_MAX && near < nearest)
            continue;
        several = found != SIZE_MAX && near == nearest;
        found = i;
        nearest = near;
    }
    if (several || found == from || found == SIZE_MAX) /* several: the build decides */
        return SIZE_MAX;
    const char *path = in->nodes[found].path;
    folder_note(&in->nodes[from], ht_strndup(path, folder_length(path, name)), quoted);
    return found;
}

static void argument_add(ht_tree_file *file, char *text) {
    HT_GROW(file->arguments, file->argument_count);
    file->arguments[file->argument_count++] = text;
}

static bool has(const ht_tree_file *file, const char *argument) {
    for (size_t i = 0; i < file->argument_count; ++i)
        if (strcmp(file->arguments[i], argument) == 0)
            return true;
    return false;
}

/* Adds the folder of a guessed header. A build that finds a name in <> there has it in -I, too. */
static void folder_add(ht_tree_file *file, const ht_tree_folder *folder) {
    char *argument = ht_format(folder->quoted ? "%s" : "-I%s", folder->path);
    if (has(file, argument)) {
        free(argument);
        return;
    }
    if (folder->quoted)
        argument_add(file, ht_strdup("-iquote"));
    argument_add(file, argument);
}

void ht_tree_guesses_add(const graph *in, size_t unit, ht_tree_file *file) {
    reach from = ht_tree_reach(in);
    ht_tree_steps(in, unit, &from);
    for (size_t i = 0; i < in->count; ++i)
        for (size_t k = 0; from.steps[i] && k < in->nodes[i].folder_count; ++k)
            folder_add(file, &in->nodes[i].folders[k]);
    ht_tree_reach_free(&from);
}
