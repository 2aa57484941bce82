/* Holds the includes against the order of folders that docs/architecture.md states, and looks for
 * circles of files:
 *
 *     layers ROOT
 *
 * A file may include those of its own folder and of folders earlier in the order. A circle, of
 * files that include each other over any number of steps (a .c and its .h are one), has at most
 * nine of them, all in one folder. Transformations ask the syntax tree, so none names anything of
 * libclang. A header below refactor/ declares functions of the .c of its name alone. Exit code 1:
 * something breaks this; 2: the order cannot be read.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CIRCLE_MAX = 9 };
static const char heading[] = "The order, lowest first:\n";

/* A .c and its .h. */
typedef struct part {
    char *path; /* without the suffix, below the root */
    size_t folder;
    size_t *uses;
    size_t use_count;
    size_t index, low; /* Tarjan's; 0: not met */
    bool on_stack;
} part;

/* A function that a .c defines or a header declares. */
typedef struct function {
    char *name, *path;
    int line;
} function;

typedef struct function_list {
    function *items;
    size_t count;
} function_list;

typedef struct tree {
    const char *root;
    char **folders; /* in order */
    size_t folder_count;
    part *parts;
    size_t part_count;
    size_t *stack, stack_count, met;
    size_t includes, circles, wrong;
    function_list defined, declared; /* below refactor/ */
} tree;

/* ---- the order */

static bool order_read(tree *in) {
    char *path = ht_path_join(in->root, "docs/architecture.md"), *text = NULL;
    ht_error error;
    bool good = ht_file_read_text(path, "the order of folders", &text, &error) == HT_OK;
    const char *at = good ? strstr(text, heading) : NULL;
    if (at)
        at += strlen(heading) + strspn(at + strlen(heading), "\n");
    while (at && *at == ' ') {
        size_t length = strcspn(at, "\n");
        char *line = ht_strndup(at, length), *rest = NULL;
        for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            HT_GROW(in->folders, in->folder_count);
            in->folders[in->folder_count++] = ht_strdup(word);
        }
        free(line);
        at += length + (at[length] == '\n');
    }
    if (in->folder_count == 0)
        fprintf(stderr, "layers: %s: no folders follow '%.*s'\n", path, (int)strlen(heading) - 1,
                heading);
    free(text);
    free(path);
    return in->folder_count > 0;
}

static size_t folder_of(const tree *in, const char *path) {
    const char *end = strrchr(path, '/');
    size_t length = end ? (size_t)(end - path) : 0;
    for (size_t i = 0; i < in->folder_count; ++i)
        if (strlen(in->folders[i]) == length && strncmp(in->folders[i], path, length) == 0)
            return i;
    return SIZE_MAX;
}

/* ---- the files */

/* Returns a suffix of ours; NULL for others. */
static const char *suffix_of(const char *name) {
    const char *dot = strrchr(name, '.');
    bool ours =
        dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".cpp") == 0);
    return ours ? dot : NULL;
}

/* Returns the part of a file; SIZE_MAX when it has none. */
static size_t part_find(const tree *in, const char *path) {
    const char *dot = suffix_of(path);
    size_t length = dot ? (size_t)(dot - path) : 0;
    for (size_t i = 0; i < in->part_count; ++i)
        if (strlen(in->parts[i].path) == length && strncmp(in->parts[i].path, path, length) == 0)
            return i;
    return SIZE_MAX;
}

static void part_add(tree *in, const char *path) {
    if (part_find(in, path) != SIZE_MAX)
        return;
    HT_GROW(in->parts, in->part_count);
    in->parts[in->part_count++] = (part){.path = ht_strndup(path, (size_t)(suffix_of(path) - path)),
                                         .folder = folder_of(in, path)};
    if (in->parts[in->part_count - 1].folder == SIZE_MAX) {
        printf("%s: its folder is not in the order: add it to docs/architecture.md\n", path);
        ++in->wrong;
    }
}

/* Calls `visit` for every file of ours below a folder. Code for devices (prelude/) has its own
 * rules. */
static void files_visit(tree *in, const char *folder, void (*visit)(tree *in, const char *path)) {
    char *whole = ht_path_join(in->root, folder);
    DIR *open = opendir(whole);
    const struct dirent *entry;
    while (open && (entry = readdir(open)) != NULL) {
        struct stat status;
        char *path = ht_path_join(folder, entry->d_name), *full = ht_path_join(in->root, path);
        if (entry->d_name[0] != '.' && stat(full, &status) == 0) {
            if (S_ISDIR(status.st_mode) && strcmp(entry->d_name, "prelude") != 0)
                files_visit(in, path, visit);
            else if (S_ISREG(status.st_mode) && suffix_of(path))
                visit(in, path);
        }
        free(full);
        free(path);
    }
    if (open)
        closedir(open);
    free(whole);
}

/* ---- includes */

static void include_check(tree *in, const char *path, int line, const char *included) {
    size_t from = part_find(in, path), to = part_find(in, included);
    if (to == SIZE_MAX) /* generated, or next to it */
        return;
    part *user = &in->parts[from];
    ++in->includes;
    if (from != to) {
        HT_GROW(user->uses, user->use_count);
        user->uses[user->use_count++] = to;
    }
    size_t here = user->folder, there = in->parts[to].folder;
    if (here == SIZE_MAX || there == SIZE_MAX || there <= here)
        return;
    printf("%s:%d: includes \"%s\", which is above it in the order of docs/architecture.md\n", path,
           line, included);
    ++in->wrong;
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Reports the first name of libclang in a line of a transformation. */
static void libclang_check(tree *in, const char *path, int line, const char *text) {
    static const char folder[] = "refactor/transformations/";
    if (strncmp(path, folder, strlen(folder)) != 0)
        return;
    for (const char *at = text; *at && *at != '\n';) {
        size_t length = 0;
        while (is_name(at[length]))
            ++length;
        bool type = at[0] == 'C' && at[1] == 'X' && isupper((unsigned char)at[2]);
        if (type || strncmp(at, "clang_", strlen("clang_")) == 0) {
            printf("%s:%d: names %.*s of libclang: ask refactor/kernel/syntax.h\n", path, line,
                   (int)length, at);
            ++in->wrong;
            return;
        }
        at += length ? length : 1;
    }
}

/* Notes the function that a line at the outermost level begins to define or declare. Sources are
 * formatted, so only such lines begin with a letter. */
static void function_note(tree *in, const char *path, int line, const char *text) {
    size_t length = strcspn(text, ";{"), at = strcspn(text, "(");
    bool header = strcmp(suffix_of(path), ".h") == 0;
    if (strncmp(path, "refactor/", strlen("refactor/")) != 0 || !isalpha((unsigned char)*text) ||
        at >= length || text[length] != (header ? ';' : '{') ||
        strncmp(text, "static ", strlen("static ")) == 0 ||
        strncmp(text, "typedef ", strlen("typedef ")) == 0)
        return;
    size_t begin = at;
    while (begin > 0 && is_name(text[begin - 1]))
        --begin;
    function_list *list = header ? &in->declared : &in->defined;
    HT_GROW(list->items, list->count);
    list->items[list->count++] =
        (function){ht_strndup(text + begin, at - begin), ht_strdup(path), line};
}

/* Reports functions that a header declares although another file than its namesake defines them. */
static void functions_check(tree *in) {
    for (size_t i = 0; i < in->declared.count; ++i)
        for (size_t j = 0; j < in->defined.count; ++j) {
            const function *of = &in->declared.items[i], *found = &in->defined.items[j];
            if (strcmp(of->name, found->name) != 0 ||
                part_find(in, of->path) == part_find(in, found->path))
                continue;
            printf("%s:%d: declares %s, which %s defines: declare it in that file's header\n",
                   of->path, of->line, of->name, found->path);
            ++in->wrong;
        }
}

static void functions_free(function_list *list) {
    for (size_t i = 0; i < list->count; ++i) {
        free(list->items[i].name);
        free(list->items[i].path);
    }
    free(list->items);
}

static void file_read(tree *in, const char *path) {
    static const char word[] = "#include \"";
    char *full = ht_path_join(in->root, path), *text = NULL;
    ht_error error;
    if (ht_file_read_text(full, "a source", &text, &error) != HT_OK) {
        printf("%s: %s\n", path, error.message);
        ++in->wrong;
    }
    int line = 1;
    for (const char *at = text; at && *at; at += strcspn(at, "\n"), at += *at == '\n', ++line) {
        libclang_check(in, path, line, at);
        function_note(in, path, line, at);
        if (strncmp(at, word, strlen(word)) != 0)
            continue;
        const char *name = at + strlen(word);
        char *included = ht_strndup(name, strcspn(name, "\"\n"));
        include_check(in, path, line, included);
        free(included);
    }
    free(text);
    free(full);
}

/* ---- circles */

static void circle_take(tree *in, size_t first) {
    size_t begin = in->stack_count;
    bool apart = false;
    do {
        part *member = &in->parts[in->stack[--begin]];
        member->on_stack = false;
        apart = apart || member->folder != in->parts[first].folder;
    } while (in->stack[begin] != first);
    size_t count = in->stack_count - begin;
    in->circles += count > 1;
    if (count > CIRCLE_MAX || (count > 1 && apart)) {
        printf("%zu files include each other%s:", count, apart ? ", in several folders" : "");
        for (size_t i = begin; i < in->stack_count; ++i)
            printf(" %s", in->parts[in->stack[i]].path);
        printf("\n");
        ++in->wrong;
    }
    in->stack_count = begin;
}

/* Finds Tarjan's strongly connected components. */
static void circles_find(tree *in, size_t at) {
    part *here = &in->parts[at];
    here->index = here->low = ++in->met;
    here->on_stack = true;
    in->stack[in->stack_count++] = at;
    for (size_t i = 0; i < here->use_count; ++i) {
        const part *next = &in->parts[here->uses[i]];
        if (!next->index)
            circles_find(in, here->uses[i]);
        if (next->on_stack && next->low < here->low)
            here->low = next->low;
    }
    if (here->low == here->index)
        circle_take(in, at);
}

static void tree_free(tree *in) {
    for (size_t i = 0; i < in->folder_count; ++i)
        free(in->folders[i]);
    for (size_t i = 0; i < in->part_count; ++i) {
        free(in->parts[i].path);
        free(in->parts[i].uses);
    }
    functions_free(&in->defined);
    functions_free(&in->declared);
    free(in->folders);
    free(in->parts);
    free(in->stack);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "Usage: layers ROOT\n");
        return 2;
    }
    tree in = {.root = argv[1]};
    if (!order_read(&in)) {
        tree_free(&in);
        return 2;
    }
    for (size_t i = 0; i < in.folder_count; ++i) /* those without a parent in it */
        if (!strchr(in.folders[i], '/'))
            files_visit(&in, in.folders[i], part_add);
    for (size_t i = 0; i < in.folder_count; ++i)
        if (!strchr(in.folders[i], '/'))
            files_visit(&in, in.folders[i], file_read);
    functions_check(&in);
    in.stack = ht_alloc(in.part_count + 1, sizeof *in.stack);
    for (size_t i = 0; i < in.part_count; ++i)
        if (!in.parts[i].index)
            circles_find(&in, i);
    printf("%zu files, %zu includes, %zu functions, %zu folders, %zu circles: %zu wrong\n",
           in.part_count, in.includes, in.declared.count, in.folder_count, in.circles, in.wrong);
    int code = in.wrong || in.includes == 0 ? 1 : 0;
    tree_free(&in);
    return code;
}
