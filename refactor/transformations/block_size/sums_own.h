/* Which text of a kernel reductions over a block have for themselves. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_SUMS_OWN_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_SUMS_OWN_H

#include "refactor/transformations/block_size/block_sums.h"

/* Returns true if the text of the statement's range is the statement: no macro writes a part of it,
 * but for __shared__, which is one. */
bool ht_is_own_text(const ht_syntax *statement);
/* Returns true for a node of the body's tree that only statements [first, last] of reductions
 * need: a part of them, or a declaration of what only they name. */
bool ht_block_sums_own(const ht_block_sums *sums, const ht_syntax *node);
/* Returns the first call or name outside of such nodes that depends on lanes, or on a function that
 * asks which thread runs it; NULL: there is none. */
const ht_syntax *ht_block_sums_elsewhere(const ht_block_sums *sums);
/* Returns true for a statement among [first, last] that is a declaration of its own, which stays
 * ahead of what replaces them. */
bool ht_block_sums_hoists(const ht_block_sums *sums, const ht_block_sum *sum, size_t index);
#endif
