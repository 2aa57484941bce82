/* A source tree: the files that hold kernels, and the translation unit through which each is to be
 * read. Found by the text of #include lines alone: nothing is parsed. */
#ifndef HT_REFACTOR_SOURCE_TREE_H
#define HT_REFACTOR_SOURCE_TREE_H

#include "refactor/source/commands.h"
#include "refactor/source/options.h"

typedef struct ht_tree_file {
    char *path;    /* a file that mentions __global__ */
    char *through; /* a source that includes it or (`joined`) does not include it but launches its
                      kernels, which both see declared; NULL: it is read by itself */
    bool joined;
    char **others; /* further such sources that launch a kernel in it or next to it */
    size_t other_count;
    char **arguments; /* of its unit, from the compilation database */
    size_t argument_count;
    size_t given; /* index among the given paths; SIZE_MAX: a header that one of them includes */
} ht_tree_file;

typedef struct ht_tree {
    ht_tree_file *files; /* the given paths, in their order, then headers */
    size_t count;
} ht_tree;

typedef struct ht_tree_options {
    const char *const *roots; /* folders whose sources may include the files; borrowed */
    size_t root_count;
    const char *skip;                    /* a folder to leave out; may be NULL */
    const ht_refactor_options *compiler; /* its -I folders are searched for headers */
    const ht_command_list *commands;     /* NULL: none */
} ht_tree_options;

/* Finds the files and their units. A header's unit is the one that includes it in the fewest steps,
 * among those that launch a kernel if there are any; of equals, the first by name. Headers of the
 * system are not followed. */
void ht_tree_make(const char *const *paths, size_t count, const ht_tree_options *options,
                  ht_tree *out_tree);
void ht_tree_free(ht_tree *tree);
/* Returns true if the name is that of a source for compilers: .hip .cu .cpp .cxx .cc .c. */
bool ht_tree_is_unit(const char *path);

#endif
