/* Cooperative groups that are no more than the block, by which kernels meet and number threads, are
 * written with the names that everything else knows before the source is analysed. Private to
 * refactor/. */
#ifndef HT_REFACTOR_SOURCE_WHOLE_BLOCK_H
#define HT_REFACTOR_SOURCE_WHOLE_BLOCK_H

#include "refactor/source/libclang.h"

#include <stddef.h>

/* A function before and after. */
typedef struct ht_whole_block {
    char *author;
    char *plain;
} ht_whole_block;

typedef struct ht_whole_blocks {
    ht_whole_block *items;
    size_t count;
} ht_whole_blocks;

/* Returns the text of a file of the unit in which such groups of its device functions are replaced,
 * and appends the functions to `blocks`; NULL: there are none. Lines keep their numbers. free(). */
char *ht_whole_block_text(CXTranslationUnit unit, CXFile file, ht_whole_blocks *blocks);
/* Returns the text with those functions restored in which nothing else was changed. Takes over
 * `text`; free(). */
char *ht_whole_block_restore(char *text, const ht_whole_blocks *blocks);
void ht_whole_blocks_free(ht_whole_blocks *blocks);

#endif
