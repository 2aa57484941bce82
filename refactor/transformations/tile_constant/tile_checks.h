/* Checks whether a constant that ties a kernel to its block may change. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_CHECKS_H
#define HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_CHECKS_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/tile_constant/tile_access.h"

/* Checks that need no more than the kernel's text; they return false with a remark that says why
 * not. */
bool ht_tile_literals_fit(const ht_tiles *tiles, ht_plan *plan);
/* Adds requires for comparisons with thread indices and for divisions, so that a size that was
 * handled correctly still is. *out_only_larger: the constants, as bits, of which smaller values are
 * not proved. */
bool ht_tile_relations_fit(const ht_tiles *tiles, ht_plan *plan, const ht_access_facts *facts,
                           unsigned *out_only_larger);
/* Returns true if a literal in the kernel may be the constant, or be computed from it. */
bool ht_tile_suspicious(int64_t literal, int64_t value);
/* Returns true if the expression has a thread index, by itself or inside of a global index. */
bool ht_tile_mentions_thread(const ht_syntax *expression);
/* Returns the bytes of all shared arrays as a template expression; NULL: not known. free(). */
char *ht_tile_lds_bytes(const ht_tiles *tiles);

#endif
