/* The files of a tree and what they include. Private to refactor/tree*.c. */
#ifndef HT_REFACTOR_SOURCE_TREE_GRAPH_H
#define HT_REFACTOR_SOURCE_TREE_GRAPH_H

#include "refactor/source/tree.h"

#include <sys/stat.h>

/* A kernel that a file's text declares. */
typedef struct ht_tree_kernel {
    char *name; /* without what qualifies it */
    bool defined, launched;
} ht_tree_kernel;

/* A file of the graph. */
typedef struct node {
    char *path;
    dev_t device;
    ino_t inode;
    size_t *includes; /* nodes */
    size_t include_count;
    bool is_included, has_kernels, launches, compiled; /* by the compilation database */
    ht_tree_kernel *kernels;
    size_t kernel_count;
    const ht_command_entry *command;
    size_t next; /* of the same hash; SIZE_MAX ends */
} node;

typedef struct graph {
    node *nodes;
    size_t count;
    size_t *buckets; /* by inode */
    size_t bucket_count;
    const ht_tree_options *options;
    char **folders; /* of -I */
    size_t folder_count;
    struct stat skip;
    bool has_skip;
} graph;

typedef struct reach {
    unsigned *steps; /* from the unit at hand; 0: not reached */
    size_t *queue;
} reach;

reach ht_tree_reach(const graph *in);
void ht_tree_reach_free(reach *from);
/* Steps from one unit to all files it includes; 1 for itself. */
void ht_tree_steps(const graph *in, size_t unit, reach *out);

/* Returns true if this file may be given to a compiler. */
bool ht_tree_is_main(const graph *in, size_t index);

/* tree_joined.c: the kernels that the text declares, and whether it launches them. */
void ht_tree_kernels_note(node *of, const char *text);

/* Units that launch a kernel of the file, by a declaration that both see, where neither it nor what
 * it includes launches that one: those of its own folder first, then by name. *out_units: free().
 */
size_t ht_tree_joined(const graph *in, size_t index, size_t **out_units);

#endif
