/* First steps from a known configuration, for spaces far larger than the budget: what is likely to
 * help is tried alone, one step after the other from the best configuration so far, then what
 * helped is put together (a screening of factors one at a time, then steepest ascent: Box and
 * Wilson 1951, "On the experimental attainment of optimum conditions"). In such a space a random
 * configuration has something unfortunate about it nearly always. */
#ifndef HT_SEARCH_LADDER_H
#define HT_SEARCH_LADDER_H

#include "search/explorer.h"

typedef struct ht_ladder {
    const ht_explorer *explorer; /* borrowed */
    ht_move *moves;              /* owned */
    struct ht_rung *rungs;       /* of each move; owned */
    size_t count, next;
    size_t merges;   /* asked of what helped together */
    size_t *ranking; /* of the moves that helped, the best first; owned */
    size_t helped, merged;
    ht_config together;
    bool ranked;
} ht_ladder;

/* The explorer must outlive the ladder. The moves are copied. Without a seed there is no
 * configuration to start from, and no step. */
void ht_ladder_begin(ht_ladder *ladder, const ht_explorer *explorer, const ht_move *moves,
                     size_t count);
void ht_ladder_end(ht_ladder *ladder);
/* The next step, legal and not asked yet; the caller asks it before the next call. False: there
 * is none at this time. The steps that helped are put together when all single steps have been
 * told. */
bool ht_ladder_step(ht_ladder *ladder, ht_config *out_config);
/* Returns true if there is no step until single steps that were asked are told. */
bool ht_ladder_waits(const ht_ladder *ladder);

#endif
