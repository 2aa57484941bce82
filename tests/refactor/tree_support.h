/* Shared by the tests of trees: a folder of sources, and one problem for their kernels. */
#ifndef HT_TESTS_TREE_SUPPORT_H
#define HT_TESTS_TREE_SUPPORT_H

#include "support.h"

#define MAP(name, type)                                                                            \
    "__global__ void " name "(const " type " *in, " type " *out, int n) {\n"                       \
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n"

/* The test's folder, which tree_folder_make makes. */
extern char *tree_folder;
void tree_folder_make(void);
void tree_folder_remove(void);

/* Writes a file into it, with the folders of its name; its path, free(). */
char *tree_put(const char *name, const char *text);

/* The problem of a kernel `k` as MAP makes it; ht_problem_file_free(). */
ht_problem_file *tree_problems(void);

/* Reads a source, which must succeed; ht_refactor_free(). */
ht_refactor *tree_read(const char *path, const ht_refactor_options *options,
                       const ht_problem_file *given);

#endif
