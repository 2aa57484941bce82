/* A source tree: which of its files hold kernels, and through which translation unit each is to be
 * read. Found by the text of #include lines alone: nothing is parsed. */
#ifndef HT_REFACTOR_SOURCE_TREE_H
#define HT_REFACTOR_SOURCE_TREE_H

#include "refactor/source/commands.h"
#include "refactor/source/options.h"

typedef struct ht_tree_file {
    char *path;    /* of a file that mentions __global__ */
    char *through; /* a source that includes it, or (`joined`) that does not but launches its
                      kernels, which both see declared; NULL: it is read by itself */
    bool joined;
    char **others; /* further such sources, that launch something there or next to it */
    size_t other_count;
    char **arguments; /* of its unit, from the compilation database */
    size_t argument_count;
    size_t
        given; /* index among the paths asked for; SIZE_MAX: a header that one of them includes */
} ht_tree_file;

typedef struct ht_tree {
    ht_tree_file *files; /* the paths asked for, in their order, then headers */
    size_t count;
} ht_tree;

typedef struct ht_tree_options {
    const char *const *roots; /* folders whose sources may include the files; borrowed */
    size_t root_count;
    const char *skip;                    /* a folder not to be entered; may be NULL */
    const ht_refactor_options *compiler; /* its -I folders are searched for headers */
    const ht_command_list *commands;     /* NULL: none */
} ht_tree_options;

/* Returns true if a file of this name is a source that compilers are given: .hip .cu .cpp .cxx .cc
 * .c. */
bool ht_tree_is_unit(const char *path);

/* A header's unit is the one that includes it in the fewest steps, of those that launch something
 * when there are such, then the first by name. Headers of the system are not followed. */
void ht_tree_make(const char *const *paths, size_t count, const ht_tree_options *options,
                  ht_tree *out_tree);
void ht_tree_free(ht_tree *tree);

#endif
