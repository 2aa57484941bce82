/* Which configurations to propose. */
#include "predictor/times/time_internal.h"

#include "base/memory.h"
#include "search/explorer.h"
#include "search/index_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALL_MOST = 4096,  /* legal configurations that are all looked at */
    SAMPLE = 2048,    /* of more, */
    CLIMBS = 3,       /* and so often the neighbours */
    CLIMBERS = 24,    /* of the best */
    FAVOURITES = 512, /* that may be proposed */
    VALUES = 64,      /* of a parameter that move apart */
    WORLDS = 64       /* that may be the real one; at least as many as members */
};
/* Predicted logarithms of times are off by about this much: each configuration by itself, and on a
 * device that was not seen all those with the same value of a parameter. */
static const double SOFTNESS = 0.1, ELSEWHERE = 0.1, LEAST_HOPE = 1e-3;

/* Configurations with what the members say of them. */
typedef struct pool {
    const ht_time_model *model;
    const ht_columns *columns;
    ht_config *configs; /* owned, like all below */
    float *logs;        /* [members][count]: over the fastest of the member */
    double *means;      /* [count] */
    size_t count;
} pool;

static void pool_ask(pool *pool) {
    size_t members = pool->model->member_count, count = pool->count;
    free(pool->logs);
    free(pool->means);
    pool->logs = ht_alloc(members * count + 1, sizeof *pool->logs);
    pool->means = ht_alloc(count + 1, sizeof *pool->means);
    ht_time_model_ask(pool->model, pool->columns, pool->configs, count, pool->logs);
    for (size_t m = 0; m < members; ++m) {
        float *logs = pool->logs + m * count, least = INFINITY;
        for (size_t i = 0; i < count; ++i)
            least = fminf(least, logs[i]);
        for (size_t i = 0; i < count; ++i) {
            logs[i] -= least;
            pool->means[i] += (double)logs[i] / (double)members;
        }
    }
}

static void pool_free(pool *pool) {
    free(pool->configs);
    free(pool->logs);
    free(pool->means);
}

typedef struct place {
    double value;
    size_t index;
} place;

static int by_value(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Returns the places of the pool, the best by the mean first; free(). */
static place *pool_order(const pool *pool) {
    place *order = ht_alloc(pool->count + 1, sizeof *order);
    for (size_t i = 0; i < pool->count; ++i)
        order[i] = (place){pool->means[i], i};
    qsort(order, pool->count, sizeof *order, by_value);
    return order;
}

/* The favourites, with worlds that may be the real one: a member's; on a device that was not seen,
 * one in which besides values of parameters are slower or faster than the member says. */
typedef struct worlds {
    const pool *pool;
    const place *order; /* of the favourites: places of the pool */
    size_t count;
    float *hopes;   /* [count][WORLDS]: exp(-over the fastest there / SOFTNESS); owned */
    bool *chosen;   /* [count]; owned */
    double *so_far; /* [WORLDS]: sum of the hopes of what was chosen; owned */
    double *over;   /* [WORLDS]: 1 / so_far; owned */
} worlds;

/* Returns a normally distributed number (Box and Muller 1958). */
static double normal(ht_random *random) {
    double radius = sqrt(-2 * log(1 - ht_random_unit(random)));
    return radius * cos(6.283185307179586 * ht_random_unit(random));
}

/* Adds to each favourite what the values of its parameters are off by in one world. */
static void values_move(const worlds *worlds, ht_random *random, float *logs) {
    const ht_config *first = &worlds->pool->configs[worlds->order[0].index];
    for (size_t p = 0; p < first->count; ++p) {
        float off[VALUES];
        for (size_t v = 0; v < VALUES; ++v)
            off[v] = (float)(ELSEWHERE * normal(random));
        for (size_t i = 0; i < worlds->count; ++i)
            logs[i] += off[worlds->pool->configs[worlds->order[i].index].choice[p] % VALUES];
    }
}

static void worlds_make(worlds *worlds, bool device_seen) {
    const pool *pool = worlds->pool;
    float *logs = ht_alloc(worlds->count + 1, sizeof *logs);
    ht_random random;
    ht_random_seed(&random, 1);
    worlds->hopes = ht_alloc(worlds->count * WORLDS + 1, sizeof *worlds->hopes);
    worlds->chosen = ht_alloc(worlds->count + 1, sizeof *worlds->chosen);
    worlds->so_far = ht_alloc(WORLDS + 1, sizeof *worlds->so_far);
    worlds->over = ht_alloc(WORLDS + 1, sizeof *worlds->over);
    for (size_t w = 0; w < WORLDS; ++w) {
        float least = INFINITY;
        for (size_t i = 0; i < worlds->count; ++i)
            logs[i] =
                pool->logs[w % pool->model->member_count * pool->count + worlds->order[i].index];
        if (!device_seen)
            values_move(worlds, &random, logs);
        for (size_t i = 0; i < worlds->count; ++i)
            least = fminf(least, logs[i]);
        for (size_t i = 0; i < worlds->count; ++i)
            worlds->hopes[i * WORLDS + w] = expf((least - logs[i]) / (float)SOFTNESS);
        worlds->so_far[w] = LEAST_HOPE;
    }
    free(logs);
}

/* Returns the favourite that lowers most the expected logarithm of the best time of those chosen:
 * where hopes are multiplied by most, over all worlds. The product is below (1 / LEAST_HOPE +
 * 1)^64.
 */
static size_t next_choose(const worlds *worlds) {
    size_t best = worlds->count;
    double most = -INFINITY;
    for (size_t i = 0; i < worlds->count; ++i) {
        const float *hopes = worlds->hopes + i * WORLDS;
        double gain = 1;
        for (size_t w = 0; w < WORLDS; ++w)
            gain *= 1 + (double)hopes[w] * worlds->over[w];
        if (!worlds->chosen[i] && gain > most) {
            most = gain;
            best = i;
        }
    }
    return best;
}

static ht_time_choice choice_of(const pool *pool, size_t index, double least) {
    size_t members = pool->model->member_count;
    double squares = 0, mean = pool->means[index];
    for (size_t m = 0; m < members; ++m) {
        double apart = (double)pool->logs[m * pool->count + index] - mean;
        squares += apart * apart / (double)members;
    }
    return (ht_time_choice){pool->configs[index], exp(mean - least), sqrt(squares)};
}

static size_t pool_choose(const pool *pool, bool device_seen, size_t want,
                          ht_time_choice *out_choices) {
    place *order = pool_order(pool);
    size_t most = want > FAVOURITES ? want : FAVOURITES, found = 0;
    worlds worlds = {
        .pool = pool, .order = order, .count = most < pool->count ? most : pool->count};
    worlds_make(&worlds, device_seen);
    for (size_t next = 0; found < want && next < worlds.count; next = next_choose(&worlds)) {
        out_choices[found++] = choice_of(pool, order[next].index, order[0].value);
        worlds.chosen[next] = true;
        for (size_t w = 0; w < WORLDS; ++w) {
            worlds.so_far[w] += (double)worlds.hopes[next * WORLDS + w];
            worlds.over[w] = 1 / worlds.so_far[w];
        }
    }
    free(worlds.hopes);
    free(worlds.chosen);
    free(worlds.so_far);
    free(worlds.over);
    free(order);
    return found;
}

size_t ht_time_model_choose_among(const ht_time_model *model, const ht_columns *columns,
                                  const ht_config *configs, size_t count, bool device_seen,
                                  size_t want, ht_time_choice *out_choices) {
    pool pool = {.model = model, .columns = columns, .count = count};
    if (count == 0)
        return 0;
    pool.configs = ht_alloc(count, sizeof *pool.configs);
    memcpy(pool.configs, configs, count * sizeof *configs);
    pool_ask(&pool);
    size_t found = pool_choose(&pool, device_seen, want, out_choices);
    pool_free(&pool);
    return found;
}

static void pool_add(pool *pool, ht_index_map *seen, const ht_config *config) {
    uint64_t key = ht_explorer_key(config);
    if (!ht_index_map_put(seen, key, 0))
        return;
    HT_GROW(pool->configs, pool->count);
    pool->configs[pool->count++] = *config;
}

/* Adds the neighbours of the best so far; false: there are none that are new. */
static bool pool_climb(pool *pool, ht_index_map *seen, const ht_space *space) {
    enum { ROOM = 256 };
    size_t before = pool->count, best_count = before < CLIMBERS ? before : CLIMBERS;
    place *order = pool_order(pool);
    ht_config *near = ht_alloc(ROOM, sizeof *near);
    for (size_t b = 0; b < best_count; ++b) {
        ht_config from = pool->configs[order[b].index];
        size_t count = ht_space_neighbours(space, &from, HT_NEIGHBOURS_HAMMING, near, ROOM);
        for (size_t i = 0; i < count && i < ROOM; ++i)
            pool_add(pool, seen, &near[i]);
    }
    free(order);
    free(near);
    return pool->count > before;
}

static void pool_sample(pool *pool, ht_index_map *seen, const ht_space *space) {
    ht_random random;
    ht_random_seed(&random, 1);
    bool listed = ht_space_listed(space);
    uint64_t legal = ht_space_count(space);
    for (size_t i = 0; i < SAMPLE; ++i) {
        ht_config config = listed ? ht_space_at(space, ht_random_below(&random, legal))
                                  : ht_space_sample(space, &random);
        pool_add(pool, seen, &config);
    }
}

size_t ht_time_model_choose(const ht_time_model *model, const ht_space *space,
                            const ht_columns *columns, bool device_seen, size_t want,
                            ht_time_choice *out_choices) {
    pool pool = {.model = model, .columns = columns};
    if (ht_space_listed(space) && ht_space_count(space) <= ALL_MOST) {
        pool.configs = ht_alloc(ALL_MOST, sizeof *pool.configs);
        pool.count = ht_space_list(space, 0, pool.configs, ALL_MOST);
        pool_ask(&pool);
    } else {
        ht_index_map seen = {0};
        pool_sample(&pool, &seen, space);
        pool_ask(&pool);
        for (int i = 0; i < CLIMBS && pool_climb(&pool, &seen, space); ++i)
            pool_ask(&pool);
        ht_index_map_free(&seen);
    }
    size_t found = pool_choose(&pool, device_seen, want, out_choices);
    pool_free(&pool);
    return found;
}
