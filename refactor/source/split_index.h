/* Global indices with an offset, as interiors of stencils have them, become two variables before
 * the source is looked at. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_SPLIT_INDEX_H
#define HT_REFACTOR_SOURCE_SPLIT_INDEX_H

#include <clang-c/Index.h>
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

/* The text of a file of the unit with such declarations of its kernels in parts; NULL when there
 * are none. Appends what was done. free() */
char *ht_index_split_text(CXTranslationUnit unit, CXFile file, ht_index_splits *splits);
/* The text with those parts whole again whose index nothing else came to use. Takes `text`; free().
 */
char *ht_index_join_text(char *text, const ht_index_splits *splits);
void ht_index_splits_free(ht_index_splits *splits);

#endif
