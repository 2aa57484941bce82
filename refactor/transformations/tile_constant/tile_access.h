/* Finds accesses to global memory that are guarded by upper bounds. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_ACCESS_H
#define HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_ACCESS_H

#include "refactor/transformations/tile_constant/tile.h"

/* Guards of the accesses to global memory, by axis. */
typedef struct ht_access_facts {
    char *store_bound[3];  /* all stores are guarded by `global index < bound`; NULL: they are not;
                              owned */
    bool loads_bounded[3]; /* all loads that depend on the axis are guarded by an upper bound */
} ht_access_facts;

void ht_tile_accesses(const ht_tiles *tiles, ht_access_facts *out_facts);

/* Returns true if functions that the kernel calls write to memory. */
bool ht_tile_functions_store(const ht_tiles *tiles);
/* Returns the array of an element: v of v[i][j]; NULL: not known. */
const ht_syntax_variable *ht_tile_root(const ht_syntax *element);

#endif
