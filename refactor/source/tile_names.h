/* Cooperative groups that are a block or tiles of one, by shuffles and votes, for CUDA sources:
 * HIP's lack what CUDA's sums ask for (meta_group_rank, reduce), and the host has no such groups.
 * They are cut out with the kernel. Groups of more than a block are HIP's. */
#ifndef HT_REFACTOR_SOURCE_TILE_NAMES_H
#define HT_REFACTOR_SOURCE_TILE_NAMES_H

#include <stdbool.h>

extern const char ht_tile_names[];

/* Returns true for a source that makes tiles of its blocks, and no other groups. */
bool ht_tiles_suffice(const char *text);

#endif
