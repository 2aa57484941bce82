/* The first steps of a search of a refactored kernel's space: each transformation alone, with
 * values that are neither timid nor extreme. */
#ifndef HT_PIPELINE_FIRST_MOVES_H
#define HT_PIPELINE_FIRST_MOVES_H

#include "search/strategy.h"

enum { HT_FIRST_MOVES_MOST = 16 };

/* For the template that the space is bound to; none where an author wrote the parameters. Returns
 * how many. The same space and seed give the same moves. */
size_t ht_first_moves_find(const ht_space *space, uint64_t seed,
                           ht_move out_moves[HT_FIRST_MOVES_MOST]);

#endif
