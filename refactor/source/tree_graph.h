/* The files of a tree and their includes. Private to refactor/source/tree*.c. */
#ifndef HT_REFACTOR_SOURCE_TREE_GRAPH_H
#define HT_REFACTOR_SOURCE_TREE_GRAPH_H

#include "refactor/source/tree.h"

#include <sys/stat.h>

/* A kernel that a file's text declares. */
typedef struct ht_tree_kernel {
    char *name; /* without namespaces */
    bool defined, launched;
} ht_tree_kernel;

typedef struct ht_tree_folder {
    char *path;
    bool quoted; /* for names in "", not in <> */
} ht_tree_folder;

/* A file of the graph. */
typedef struct node {
    char *path;
    dev_t device;
    ino_t inode;
    size_t *includes; /* nodes */
    size_t include_count;
    bool is_included, has_kernels, launches, compiled; /* by the compilation database */
    unsigned unknown_count; /* includes of libraries that are not there */
    ht_tree_kernel *kernels;
    size_t kernel_count;
    const ht_command_entry *command;
    ht_tree_folder *folders; /* in which names that it includes are found by their path's end */
    size_t folder_count;
    size_t next; /* next node of the same hash; SIZE_MAX: the last */
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
    unsigned *steps; /* from the current unit; 0: not reached */
    size_t *queue;
} reach;

reach ht_tree_reach(const graph *in);
void ht_tree_reach_free(reach *from);
/* Counts the steps from a unit to each file it includes; 1 for itself. */
void ht_tree_steps(const graph *in, size_t unit, reach *out);

/* Returns true if this file may be given to a compiler. */
bool ht_tree_is_main(const graph *in, size_t index);

#endif
