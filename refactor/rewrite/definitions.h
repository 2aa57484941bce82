/* Macros and constants of the file for a number, of which every use changes alike: their definition
 * changes in place of the uses. Private to refactor/. */
#ifndef HT_REFACTOR_REWRITE_DEFINITIONS_H
#define HT_REFACTOR_REWRITE_DEFINITIONS_H

#include "refactor/rewrite/block_names.h"
#include "refactor/source/source.h"

/* Replaces replacements of a macro's uses by one of its number, where no use keeps the old one;
 * marks (plan/value_marks.h) that stand for the macro become its name. Notes the numbers of those
 * that are names of a block, and says of a name with a size in it (BLOCK_K) when it counts threads
 * that have several each. */
void ht_definitions_change(const ht_source *source, ht_block_names *blocks,
                           const ht_constants *kernels, ht_replacement **items, size_t *count);

#endif
