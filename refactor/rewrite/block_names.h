/* The author's constants for the block in a kernel: `blockIdx.x * kBlockX + threadIdx.x`. A
 * template has a parameter there, and an applied source blockDim.x, which is right for any block.
 * Where the constant is, or becomes, the number of threads, it stays, and is used wherever the
 * tuned kernel asks for it. Private to refactor/. */
#ifndef HT_REFACTOR_REWRITE_BLOCK_NAMES_H
#define HT_REFACTOR_REWRITE_BLOCK_NAMES_H

#include "refactor/rewrite/constants.h"

typedef struct ht_block_name {
    size_t owner;
    int axis;
    char *name;
    int64_t threads, value; /* of the launched block; of the constant in the applied source */
} ht_block_name;

typedef struct ht_block_names {
    ht_block_name *items;
    size_t count;
} ht_block_names;

/* Finds the constants in kernels whose only block is that of their configuration. */
void ht_block_names_find(const ht_constants *kernels, size_t count, ht_block_names *out);
void ht_block_names_free(ht_block_names *names);
/* Returns the number of threads for which a replacement has blockDim in place of the constant; 0:
 * it is another one. */
int64_t ht_block_names_use(const ht_block_names *names, const ht_source *source,
                           const ht_replacement *item, const char *name);
/* Notes the constant's new value. */
void ht_block_names_define(ht_block_names *names, const char *name, int64_t value);
/* Writes the constants that are the number of threads, and takes back replacements that then change
 * nothing. */
void ht_block_names_write(const ht_block_names *names, const ht_source *source,
                          const ht_constants *kernels, ht_replacement *items, size_t *count);

#endif
