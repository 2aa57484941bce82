/* The candidates a model looks at: the whole space where it is small enough, else the neighbours of
 * the best, the most promising of the candidates before, and a sample of the rest, anew each time.
 */
#ifndef HT_SEARCH_POOL_H
#define HT_SEARCH_POOL_H

#include "search/features.h"
#include "search/ranking.h"

enum { HT_POOL_FAVOURED = 256 };

typedef struct ht_pool {
    const ht_space *space;
    const ht_features *features; /* borrowed */
    size_t limit;
    bool whole; /* every legal configuration is in it */
    size_t count;
    ht_config *configs; /* owned, like all below */
    float *x;           /* count * features */
    bool *asked;
    ht_index_map places;                  /* key of a configuration -> its place */
    ht_config favoured[HT_POOL_FAVOURED]; /* become candidates of a pool that is not whole */
    size_t favoured_count;
} ht_pool;

void ht_pool_begin(ht_pool *pool, const ht_space *space, const ht_features *features, size_t limit);
void ht_pool_end(ht_pool *pool);
/* Fills the pool; nothing to do when it is whole and filled. `scores` (may be NULL) are what the
 * candidates before were worth. */
void ht_pool_refresh(ht_pool *pool, ht_explorer *explorer, const ht_ranking *ranking,
                     const float *scores);
/* To be called for every configuration asked. */
void ht_pool_asked(ht_pool *pool, const ht_config *config);

#endif
