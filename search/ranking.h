/* Points by cost, cheapest first; of equal costs the earlier told first. Failures have no place. */
#ifndef HT_SEARCH_RANKING_H
#define HT_SEARCH_RANKING_H

#include "search/explorer.h"

typedef struct ht_ranking {
    size_t *points; /* owned */
    size_t count;
} ht_ranking; /* {0} is a valid empty ranking */

/* Does nothing for a point that failed. */
void ht_ranking_add(ht_ranking *ranking, const ht_explorer *explorer, size_t point);
void ht_ranking_remove(ht_ranking *ranking, size_t rank);
void ht_ranking_free(ht_ranking *ranking);

#endif
