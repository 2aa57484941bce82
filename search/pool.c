#include "search/pool.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    AROUND = 6,          /* of the best whose neighbours are candidates */
    KEPT = 8,            /* one in N candidates stays for the next time */
    SAMPLES_SLOW = 1024, /* of a space where each may cost a walk: the first time, */
    SAMPLES_MORE = 128   /* and later */
};

void ht_pool_begin(ht_pool *pool, const ht_space *space, const ht_features *features,
                   size_t limit) {
    *pool = (ht_pool){.space = space, .features = features, .limit = limit};
    pool->whole = ht_space_listed(space) && ht_space_count(space) <= limit;
    if (pool->whole)
        pool->limit = (size_t)ht_space_count(space);
    pool->configs = ht_alloc(pool->limit + 1, sizeof *pool->configs);
    pool->x = ht_alloc(pool->limit * ht_features_count(features) + 1, sizeof *pool->x);
    pool->asked = ht_alloc(pool->limit + 1, sizeof *pool->asked);
}

void ht_pool_end(ht_pool *pool) {
    free(pool->configs);
    free(pool->x);
    free(pool->asked);
    ht_index_map_free(&pool->places);
}

static void add(ht_pool *pool, const ht_explorer *explorer, const ht_config *config) {
    double values[HT_FEATURES_MAX];
    size_t d = ht_features_count(pool->features), place = pool->count;
    uint64_t key = ht_explorer_key(config), found;
    if (place == pool->limit || ht_index_map_get(&pool->places, key, &found))
        return;
    ht_index_map_put(&pool->places, key, place);
    pool->configs[place] = *config;
    pool->asked[place] = ht_explorer_find(explorer, config) != HT_NO_POINT;
    ht_features_of(pool->features, config, values);
    for (size_t k = 0; k < d; ++k)
        pool->x[place * d + k] = (float)values[k];
    ++pool->count;
}

static void add_around(ht_pool *pool, ht_explorer *explorer, const ht_ranking *ranking) {
    for (size_t rank = 0; rank < ranking->count && rank < AROUND; ++rank) {
        const ht_config *best = &explorer->points[ranking->points[rank]].config;
        size_t count = ht_space_neighbours(pool->space, best, HT_NEIGHBOURS_HAMMING,
                                           explorer->neighbours, explorer->neighbour_room);
        for (size_t i = 0; i < count; ++i)
            add(pool, explorer, &explorer->neighbours[i]);
    }
}

typedef struct scored {
    float score;
    uint32_t place;
} scored;

static int by_score(const void *a, const void *b) {
    const scored *left = a, *right = b;
    if (left->score != right->score)
        return left->score > right->score ? -1 : 1;
    return left->place < right->place ? -1 : left->place > right->place;
}

/* Returns the candidates before, the best first; owned by the caller. */
static ht_config *best_before(const ht_pool *pool, const float *scores, size_t count) {
    scored *order = ht_alloc(pool->count + 1, sizeof *order);
    ht_config *best = ht_alloc(count + 1, sizeof *best);
    for (size_t i = 0; i < pool->count; ++i)
        order[i] = (scored){pool->asked[i] ? -1 : scores[i], (uint32_t)i};
    qsort(order, pool->count, sizeof *order, by_score);
    for (size_t i = 0; i < count; ++i)
        best[i] = pool->configs[order[i].place];
    free(order);
    return best;
}

static void add_samples(ht_pool *pool, ht_explorer *explorer, bool first) {
    size_t samples = pool->limit - pool->count;
    if (!ht_space_listed(pool->space)) {
        size_t most = first ? SAMPLES_SLOW : SAMPLES_MORE;
        samples = samples < most ? samples : most;
    }
    for (size_t i = 0; i < samples; ++i) {
        ht_config config = ht_space_sample(pool->space, &explorer->random);
        add(pool, explorer, &config);
    }
}

void ht_pool_refresh(ht_pool *pool, ht_explorer *explorer, const ht_ranking *ranking,
                     const float *scores) {
    bool first = pool->count == 0, slow = !ht_space_listed(pool->space);
    if (pool->whole) {
        for (size_t i = 0; first && i < pool->limit; ++i) {
            ht_config config = ht_space_at(pool->space, i);
            add(pool, explorer, &config);
        }
        return;
    }
    size_t kept = slow ? pool->count : pool->count / KEPT;
    ht_config *before = scores ? best_before(pool, scores, kept) : NULL;
    ht_index_map_free(&pool->places);
    pool->places = (ht_index_map){0};
    pool->count = 0;
    add_around(pool, explorer, ranking);
    for (size_t i = 0; i < pool->favoured_count; ++i)
        add(pool, explorer, &pool->favoured[i]);
    for (size_t i = 0; before && i < kept; ++i)
        if (!slow || pool->count + SAMPLES_MORE < pool->limit)
            add(pool, explorer, &before[i]);
    add_samples(pool, explorer, first);
    free(before);
}

void ht_pool_asked(ht_pool *pool, const ht_config *config) {
    uint64_t place;
    if (ht_index_map_get(&pool->places, ht_explorer_key(config), &place))
        pool->asked[place] = true;
}
