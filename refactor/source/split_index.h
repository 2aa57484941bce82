/* Global indices with an offset, common in the interiors of stencils, are split into two variables
 * before the source is analysed. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_SPLIT_INDEX_H
#define HT_REFACTOR_SOURCE_SPLIT_INDEX_H

#include "refactor/source/libclang.h"

#include <stddef.h>

typedef struct ht_index_split {
    char *whole; /* i = blockIdx.x * blockDim.x + threadIdx.x + 1 */
    char *parts; /* i_thread = blockIdx.x * blockDim.x + threadIdx.x, i = i_thread + 1 */
    char *name;  /* i_thread */
} ht_index_split;

typedef struct ht_index_splits {
    ht_index_split *items;
    size_t count;
} ht_index_splits;

/* Returns the text of a file of the unit in which such declarations of its kernels are split, and
 * appends the changes to `splits`; NULL: there are none. free(). */
char *ht_index_split_text(CXTranslationUnit unit, CXFile file, ht_index_splits *splits);
/* Returns the text with those declarations restored whose index was not used elsewhere. Takes over
 * `text`; free(). */
char *ht_index_join_text(char *text, const ht_index_splits *splits);
void ht_index_splits_free(ht_index_splits *splits);

#endif
