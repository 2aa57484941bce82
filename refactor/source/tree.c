/* Builds the graph of includes, and finds the units of headers in it. */
#include "refactor/source/include_name.h"
#include "refactor/source/tree_graph.h"
#include "refactor/source/tree_guess.h"
#include "refactor/source/tree_joined.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 64 };

bool ht_tree_is_unit(const char *path) {
    static const char *const suffixes[] = {".hip", ".cu", ".cpp", ".cxx", ".cc", ".c"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; ++i)
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    return false;
}

static bool is_source(const char *path) {
    static const char *const suffixes[] = {".cuh", ".h", ".hpp", ".hxx", ".hh", ".inl"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; ++i)
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    return ht_tree_is_unit(path);
}

/* ---- nodes ---- */

static size_t bucket_of(const graph *in, ino_t inode) {
    return (size_t)((uint64_t)inode * 0x9e3779b97f4a7c15u >> 20) % in->bucket_count;
}

static void rehash(graph *in) {
    free(in->buckets);
    in->bucket_count = in->bucket_count ? in->bucket_count * 4 : 64;
    in->buckets = ht_alloc(in->bucket_count, sizeof *in->buckets);
    for (size_t i = 0; i < in->bucket_count; ++i)
        in->buckets[i] = SIZE_MAX;
    for (size_t i = 0; i < in->count; ++i) {
        size_t bucket = bucket_of(in, in->nodes[i].inode);
        in->nodes[i].next = in->buckets[bucket];
        in->buckets[bucket] = i;
    }
}

/* Returns the node of a file, made if it is new; SIZE_MAX: there is no such file. */
static size_t node_of(graph *in, const char *path) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return SIZE_MAX;
    if (in->count * 2 >= in->bucket_count)
        rehash(in);
    size_t bucket = bucket_of(in, info.st_ino);
    for (size_t i = in->buckets[bucket]; i != SIZE_MAX; i = in->nodes[i].next)
        if (in->nodes[i].inode == info.st_ino && in->nodes[i].device == info.st_dev)
            return i;
    HT_GROW(in->nodes, in->count);
    in->nodes[in->count] = (node){.path = ht_strdup(path),
                                  .device = info.st_dev,
                                  .inode = info.st_ino,
                                  .next = in->buckets[bucket]};
    in->buckets[bucket] = in->count++;
    return in->count - 1;
}

static void folder_walk(graph *in, const char *folder, int depth) {
    struct dirent **entries;
    struct stat info;
    if (depth > DEPTH_MAX || lstat(folder, &info) != 0 || !S_ISDIR(info.st_mode) ||
        (in->has_skip && info.st_ino == in->skip.st_ino && info.st_dev == in->skip.st_dev))
        return;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        char *path = ht_path_join(folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && is_source(path))
            node_of(in, path);
        else if (entries[i]->d_name[0] != '.' && entries[i]->d_type != DT_REG)
            folder_walk(in, path, depth + 1);
        free(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* ---- includes ---- */

static size_t resolve(graph *in, size_t from, const char *name, bool quoted) {
    size_t found = SIZE_MAX;
    if (quoted) {
        char *folder = ht_path_folder(in->nodes[from].path);
        char *path = ht_path_join(strcmp(folder, ".") == 0 ? "" : folder, name);
        found = node_of(in, path);
        free(path);
        free(folder);
    }
    for (size_t i = 0; found == SIZE_MAX && i < in->folder_count; ++i) {
        char *path = ht_path_join(in->folders[i], name);
        found = node_of(in, path);
        free(path);
    }
    const ht_command_entry *command = in->nodes[from].command;
    for (size_t i = 0; found == SIZE_MAX && command && i < command->argument_count; ++i) {
        if (strncmp(command->arguments[i], "-I", 2) != 0)
            continue;
        char *path = ht_path_join(command->arguments[i] + 2, name);
        found = node_of(in, path);
        free(path);
    }
    bool open = found == SIZE_MAX && !command;
    return open ? ht_tree_guess(in, from, name, quoted) : found;
}

/* Notes the file that the line includes, if it is one of the tree. */
static void include_read(graph *in, size_t index, const char *line) {
    bool quoted;
    char *name = ht_include_name(line, &quoted);
    size_t found = name ? resolve(in, index, name, quoted) : SIZE_MAX;
    in->nodes[index].unknown_count += name && found == SIZE_MAX && ht_tree_is_unknown(name);
    free(name);
    if (found == SIZE_MAX || found == index)
        return;
    in->nodes[found].is_included = true;
    node *of = &in->nodes[index];
    HT_GROW(of->includes, of->include_count);
    of->includes[of->include_count++] = found;
}

static void text_look(graph *in, size_t index) {
    char *text;
    if (ht_file_read(in->nodes[index].path, 0, &text, NULL, NULL) != HT_OK)
        return;
    in->nodes[index].has_kernels = strstr(text, "__global__") != NULL;
    in->nodes[index].launches =
        strstr(text, "<<<") != NULL || strstr(text, "hipLaunchKernelGGL") != NULL;
    if (in->nodes[index].has_kernels)
        ht_tree_kernels_note(&in->nodes[index], text);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        include_read(in, index, line);
    }
    free(text);
}

/* Notes the commands of compiled files: their folders serve to find headers, and the headers of
 * these. */
static void commands_note(graph *in) {
    const ht_command_list *commands = in->options->commands;
    for (size_t i = 0; commands && i < commands->count; ++i) {
        size_t index = node_of(in, commands->items[i].file);
        if (index == SIZE_MAX)
            continue;
        in->nodes[index].command = &commands->items[i];
        in->nodes[index].compiled = true;
    }
}

static void includes_read(graph *in) {
    for (size_t i = 0; i < in->count; ++i) { /* the loop adds nodes */
        text_look(in, i);
        for (size_t j = 0; j < in->nodes[i].include_count; ++j) {
            node *included = &in->nodes[in->nodes[i].includes[j]];
            if (!included->command && in->nodes[i].includes[j] > i)
                included->command = in->nodes[i].command;
        }
    }
}

/* ---- units ---- */

/* Returns true if the unit, or a file it includes other than `header`, launches a kernel. */
static bool launches_beside(const graph *in, const reach *from, size_t header) {
    for (size_t i = 0; i < in->count; ++i)
        if (i != header && from->steps[i] && in->nodes[i].launches)
            return true;
    return false;
}

typedef struct choice {
    size_t unit; /* SIZE_MAX: none */
    unsigned steps;
    unsigned unknown; /* libraries that are not there */
    bool launches;
    size_t *launching; /* all units that launch a kernel; owned */
    size_t launching_count;
} choice;

/* Counts the libraries that the unit includes, itself or by headers of the tree, and that are not
 * there: launches with what they declare are not read. */
static unsigned unknown_of(const graph *in, const reach *from) {
    unsigned count = 0;
    for (size_t i = 0; i < in->count; ++i)
        if (from->steps[i])
            count += in->nodes[i].unknown_count;
    return count;
}

static bool is_better(const graph *in, const choice *one, const choice *best) {
    if (best->unit == SIZE_MAX || one->launches != best->launches)
        return best->unit == SIZE_MAX || one->launches;
    if (one->steps != best->steps)
        return one->steps < best->steps;
    if (one->unknown != best->unknown)
        return one->unknown < best->unknown;
    return strcmp(in->nodes[one->unit].path, in->nodes[best->unit].path) < 0;
}

/* Chooses the unit of every node with kernels. */
static choice *units_choose(const graph *in) {
    choice *list = ht_alloc(in->count + 1, sizeof *list);
    reach from = ht_tree_reach(in);
    for (size_t i = 0; i < in->count; ++i)
        list[i].unit = SIZE_MAX;
    for (size_t unit = 0; unit < in->count; ++unit) {
        if (in->nodes[unit].include_count == 0 || !ht_tree_is_main(in, unit))
            continue;
        ht_tree_steps(in, unit, &from);
        unsigned unknown = unknown_of(in, &from);
        for (size_t i = 0; i < in->count; ++i) {
            if (!from.steps[i] || i == unit || !in->nodes[i].has_kernels || ht_tree_is_main(in, i))
                continue;
            choice *best = &list[i];
            bool launches = launches_beside(in, &from, i);
            if (launches) {
                HT_GROW(best->launching, best->launching_count);
                best->launching[best->launching_count++] = unit;
            }
            const choice one = {
                .unit = unit, .steps = from.steps[i], .unknown = unknown, .launches = launches};
            if (is_better(in, &one, best)) {
                best->unit = unit;
                best->steps = one.steps;
                best->unknown = unknown;
                best->launches = launches;
            }
        }
    }
    ht_tree_reach_free(&from);
    return list;
}

/* ---- the tree ---- */

static void arguments_copy(const ht_command_entry *command, ht_tree_file *file) {
    size_t count = command ? command->argument_count : 0;
    file->arguments = ht_alloc(count + 1, sizeof *file->arguments);
    for (size_t i = 0; i < count; ++i)
        file->arguments[file->argument_count++] = ht_strdup(command->arguments[i]);
}

/* Notes the sources that launch the kernels of another source. */
static void join(const graph *in, size_t index, ht_tree_file *file) {
    size_t *units, count = ht_tree_joined(in, index, &units);
    file->joined = count > 0;
    file->through = count ? ht_strdup(in->nodes[units[0]].path) : NULL;
    for (size_t i = 1; i < count; ++i) {
        HT_GROW(file->others, file->other_count);
        file->others[file->other_count++] = ht_strdup(in->nodes[units[i]].path);
    }
    free(units);
}

static void file_add(const graph *in, const choice *units, size_t index, const char *path,
                     size_t given, ht_tree *tree) {
    size_t unit = index == SIZE_MAX ? SIZE_MAX : units[index].unit;
    ht_tree_file file = {.path = ht_strdup(path), .given = given};
    if (unit != SIZE_MAX)
        file.through = ht_strdup(in->nodes[unit].path);
    else if (index != SIZE_MAX)
        join(in, index, &file);
    for (size_t i = 0; unit != SIZE_MAX && i < units[index].launching_count; ++i)
        if (units[index].launching[i] != unit) {
            HT_GROW(file.others, file.other_count);
            file.others[file.other_count++] = ht_strdup(in->nodes[units[index].launching[i]].path);
        }
    size_t of = unit != SIZE_MAX ? unit : index;
    arguments_copy(of == SIZE_MAX ? NULL : in->nodes[of].command, &file);
    if (of != SIZE_MAX)
        ht_tree_guesses_add(in, of, &file);
    HT_GROW(tree->files, tree->count);
    tree->files[tree->count++] = file;
}

/* Adds headers with kernels that the given files include and that are not given themselves. */
static void headers_add(const graph *in, const choice *units, const size_t *given, size_t count,
                        ht_tree *tree) {
    bool *asked = ht_alloc(in->count + 1, sizeof *asked);
    reach from = ht_tree_reach(in);
    for (size_t i = 0; i < count; ++i)
        if (given[i] != SIZE_MAX)
            asked[given[i]] = true;
    for (size_t i = 0; i < count; ++i) {
        if (given[i] == SIZE_MAX || !in->nodes[given[i]].include_count)
            continue;
        ht_tree_steps(in, given[i], &from);
        for (size_t j = 0; j < in->count; ++j)
            if (from.steps[j] && !asked[j] && in->nodes[j].has_kernels) {
                asked[j] = true;
                file_add(in, units, j, in->nodes[j].path, SIZE_MAX, tree);
            }
    }
    free(asked);
    ht_tree_reach_free(&from);
}

static void folders_note(graph *in) {
    const ht_refactor_options *compiler = in->options->compiler;
    for (size_t i = 0; compiler && i < compiler->argument_count; ++i) {
        if (strncmp(compiler->arguments[i], "-I", 2) != 0 || !compiler->arguments[i][2])
            continue;
        HT_GROW(in->folders, in->folder_count);
        in->folders[in->folder_count++] = (char *)(size_t)compiler->arguments[i] + 2;
    }
}

void ht_tree_make(const char *const *paths, size_t count, const ht_tree_options *options,
                  ht_tree *out_tree) {
    graph in = {.options = options};
    *out_tree = (ht_tree){0};
    in.has_skip = options->skip && stat(options->skip, &in.skip) == 0;
    folders_note(&in);
    for (size_t i = 0; i < options->root_count; ++i)
        folder_walk(&in, options->roots[i], 0);
    size_t *given = ht_alloc(count + 1, sizeof *given);
    for (size_t i = 0; i < count; ++i)
        given[i] = node_of(&in, paths[i]);
    commands_note(&in);
    includes_read(&in);
    choice *units = units_choose(&in);
    for (size_t i = 0; i < count; ++i)
        file_add(&in, units, given[i], paths[i], i, out_tree);
    headers_add(&in, units, given, count, out_tree);
    for (size_t i = 0; i < in.count; ++i)
        free(units[i].launching);
    free(units);
    free(given);
    for (size_t i = 0; i < in.count; ++i) {
        for (size_t k = 0; k < in.nodes[i].kernel_count; ++k)
            free(in.nodes[i].kernels[k].name);
        for (size_t k = 0; k < in.nodes[i].folder_count; ++k)
            free(in.nodes[i].folders[k].path);
        free(in.nodes[i].folders);
        free(in.nodes[i].kernels);
        free(in.nodes[i].path);
        free(in.nodes[i].includes);
    }
    free(in.nodes);
    free(in.buckets);
    free(in.folders);
}

void ht_tree_free(ht_tree *tree) {
    for (size_t i = 0; i < tree->count; ++i) {
        for (size_t j = 0; j < tree->files[i].argument_count; ++j)
            free(tree->files[i].arguments[j]);
        ht_strings_free(tree->files[i].others, tree->files[i].other_count);
        free(tree->files[i].arguments);
        free(tree->files[i].path);
        free(tree->files[i].through);
    }
    free(tree->files);
    *tree = (ht_tree){0};
}
