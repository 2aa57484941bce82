#include "search/ranking.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ht_ranking_add(ht_ranking *ranking, const ht_explorer *explorer, size_t point) {
    double cost = explorer->points[point].cost;
    if (isinf(cost))
        return;
    size_t low = 0, high = ranking->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (explorer->points[ranking->points[middle]].cost <= cost)
            low = middle + 1;
        else
            high = middle;
    }
    HT_GROW(ranking->points, ranking->count);
    memmove(ranking->points + low + 1, ranking->points + low,
            (ranking->count - low) * sizeof *ranking->points);
    ranking->points[low] = point;
    ++ranking->count;
}

void ht_ranking_remove(ht_ranking *ranking, size_t rank) {
    --ranking->count;
    memmove(ranking->points + rank, ranking->points + rank + 1,
            (ranking->count - rank) * sizeof *ranking->points);
}

void ht_ranking_free(ht_ranking *ranking) {
    free(ranking->points);
    *ranking = (ht_ranking){0};
}
