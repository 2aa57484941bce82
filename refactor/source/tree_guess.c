#include "refactor/source/tree_guess.h"

#include "base/memory.h"

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

static void folder_note(node *of, char *folder) {
    for (size_t i = 0; i < of->folder_count; ++i)
        if (strcmp(of->folders[i], folder) == 0) {
            free(folder);
            return;
        }
    HT_GROW(of->folders, of->folder_count);
    of->folders[of->folder_count++] = folder;
}

size_t ht_tree_guess(graph *in, size_t from, const char *name) {
    size_t found = SIZE_MAX;
    if (name[0] == '.' || name[0] == '/')
        return SIZE_MAX;
    for (size_t i = 0; i < in->count; ++i) {
        if (folder_length(in->nodes[i].path, name) == SIZE_MAX)
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX; /* several: the build decides */
        found = i;
    }
    if (found == from || found == SIZE_MAX)
        return SIZE_MAX;
    const char *path = in->nodes[found].path;
    folder_note(&in->nodes[from], ht_strndup(path, folder_length(path, name)));
    return found;
}

static void argument_add(ht_tree_file *file, const char *text) {
    HT_GROW(file->arguments, file->argument_count);
    file->arguments[file->argument_count++] = ht_strdup(text);
}

static bool has(const ht_tree_file *file, const char *folder) {
    for (size_t i = 0; i < file->argument_count; ++i)
        if (strcmp(file->arguments[i], folder) == 0)
            return true;
    return false;
}

void ht_tree_guesses_add(const graph *in, size_t unit, ht_tree_file *file) {
    reach from = ht_tree_reach(in);
    ht_tree_steps(in, unit, &from);
    for (size_t i = 0; i < in->count; ++i)
        for (size_t k = 0; from.steps[i] && k < in->nodes[i].folder_count; ++k)
            if (!has(file, in->nodes[i].folders[k])) {
                argument_add(file, "-iquote");
                argument_add(file, in->nodes[i].folders[k]);
            }
    ht_tree_reach_free(&from);
}
