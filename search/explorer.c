#include "search/explorer.h"

#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* This many samples in a row that were all asked before: what is left is little enough to sweep. */
enum { SAMPLES_IN_VAIN = 256 };
enum {
    INITIAL = 12,  /* configurations before a strategy proposes */
    CANDIDATES = 8 /* for each of them */
};

uint64_t ht_explorer_key(const ht_config *config) {
    return ht_hash_short(config->choice, config->count * sizeof config->choice[0]);
}

static size_t point_add(ht_explorer *explorer, const ht_config *config) {
    HT_GROW(explorer->points, explorer->point_count);
    explorer->points[explorer->point_count] =
        (ht_point){.config = *config, .cost = INFINITY, .owner = HT_NO_POINT};
    ht_index_map_put(&explorer->by_key, ht_explorer_key(config), explorer->point_count);
    return explorer->point_count++;
}

void ht_explorer_begin(ht_explorer *explorer, const ht_space *space,
                       const ht_strategy_options *options) {
    *explorer = (ht_explorer){.space = space, .dimensions = ht_space_dimension_count(space)};
    ht_random_seed(&explorer->random, options->seed);
    explorer->sizes = ht_alloc(explorer->dimensions, sizeof *explorer->sizes);
    explorer->ordered = ht_alloc(explorer->dimensions, sizeof *explorer->ordered);
    for (size_t i = 0; i < explorer->dimensions; ++i) {
        const ht_dimension *dimension = ht_space_dimension(space, i);
        explorer->sizes[i] = dimension->value_count;
        explorer->neighbour_room += explorer->sizes[i];
        explorer->ordered[i] =
            dimension->kind == HT_PARAM_INTEGER || dimension->kind == HT_PARAM_BOOLEAN;
    }
    explorer->neighbours = ht_alloc(explorer->neighbour_room, sizeof *explorer->neighbours);
    ht_sweep_begin(&explorer->sweep, space);
    for (size_t i = 0; i < options->seed_count; ++i)
        if (ht_space_legal(space, &options->seeds[i]) &&
            ht_explorer_find(explorer, &options->seeds[i]) == HT_NO_POINT)
            point_add(explorer, &options->seeds[i]);
}

void ht_explorer_end(ht_explorer *explorer) {
    free(explorer->sizes);
    free(explorer->ordered);
    free(explorer->points);
    free(explorer->neighbours);
    ht_index_map_free(&explorer->by_key);
    ht_index_map_free(&explorer->moved);
}

ptrdiff_t ht_explorer_find(const ht_explorer *explorer, const ht_config *config) {
    uint64_t point;
    return ht_index_map_get(&explorer->by_key, ht_explorer_key(config), &point) ? (ptrdiff_t)point
                                                                                : HT_NO_POINT;
}

size_t ht_explorer_ask(ht_explorer *explorer, const ht_config *config) {
    return point_add(explorer, config);
}

size_t ht_explorer_tell(ht_explorer *explorer, const ht_config *config, const ht_outcome *outcome) {
    ptrdiff_t found = ht_explorer_find(explorer, config);
    size_t index = found == HT_NO_POINT ? point_add(explorer, config) : (size_t)found;
    ht_point *point = &explorer->points[index];
    explorer->told += !point->told;
    point->told = true;
    point->cost = outcome->status == HT_OK && !isnan(outcome->cost) ? outcome->cost : INFINITY;
    return index;
}

static uint64_t index_at(const ht_explorer *explorer, uint64_t position) {
    uint64_t index;
    return ht_index_map_get(&explorer->moved, position, &index) ? index : position;
}

/* Draws by Fisher and Yates' shuffle, in which only the positions that were swapped are stored
 * (Durstenfeld 1964, kept sparse), so that neither time nor memory grows with the space.
 * Configurations that were asked meanwhile are passed over. */
static bool listed_fresh(ht_explorer *explorer, ht_config *out_config) {
    uint64_t count = ht_space_count(explorer->space);
    while (explorer->drawn < count) {
        uint64_t first = explorer->drawn++;
        uint64_t position = first + ht_random_below(&explorer->random, count - first);
        uint64_t index = index_at(explorer, position);
        ht_index_map_put(&explorer->moved, position, index_at(explorer, first));
        *out_config = ht_space_at(explorer->space, index);
        if (ht_explorer_find(explorer, out_config) == HT_NO_POINT)
            return true;
    }
    return false;
}

static bool unlisted_fresh(ht_explorer *explorer, ht_config *out_config) {
    for (int i = 0; i < SAMPLES_IN_VAIN && !explorer->sweeping; ++i) {
        *out_config = ht_space_sample(explorer->space, &explorer->random);
        if (ht_explorer_find(explorer, out_config) == HT_NO_POINT)
            return true;
    }
    explorer->sweeping = true;
    while (ht_sweep_next(&explorer->sweep, out_config))
        if (ht_explorer_find(explorer, out_config) == HT_NO_POINT)
            return true;
    return false;
}

bool ht_explorer_fresh(ht_explorer *explorer, ht_config *out_config) {
    return ht_space_listed(explorer->space) ? listed_fresh(explorer, out_config)
                                            : unlisted_fresh(explorer, out_config);
}

static double distance(const ht_explorer *explorer, const ht_config *a, const ht_config *b) {
    double sum = 0;
    for (size_t i = 0; i < explorer->dimensions; ++i) {
        double apart = fabs((double)a->choice[i] - (double)b->choice[i]);
        bool ordered = explorer->ordered[i];
        if (apart > 0)
            sum += ordered ? apart / (double)(explorer->sizes[i] - 1) : 1;
    }
    return sum;
}

static double distance_to_nearest(const ht_explorer *explorer, const ht_config *config) {
    double nearest = INFINITY;
    for (size_t i = 0; i < explorer->point_count; ++i)
        nearest = fmin(nearest, distance(explorer, &explorer->points[i].config, config));
    return nearest;
}

/* Returns false when all candidates were asked before. */
static bool spread(ht_explorer *explorer, ht_config *out_config) {
    double farthest = 0;
    for (int i = 0; i < CANDIDATES; ++i) {
        ht_config candidate = ht_space_sample(explorer->space, &explorer->random);
        double nearest = distance_to_nearest(explorer, &candidate);
        if (nearest <= farthest)
            continue;
        farthest = nearest;
        *out_config = candidate;
    }
    return farthest > 0;
}

void ht_explorer_restart(ht_explorer *explorer) {
    explorer->fresh_due = INITIAL;
}

/* Returns false when a fresh one is due. */
static bool next_one(ht_explorer *explorer, ht_propose propose, void *strategy,
                     ht_config *out_config, int *out_owner) {
    if (explorer->point_count < INITIAL)
        return spread(explorer, out_config);
    if (explorer->fresh_due == 0 && propose(strategy, out_config, out_owner))
        return true;
    explorer->fresh_due -= explorer->fresh_due > 0;
    return false;
}

size_t ht_explorer_fill(ht_explorer *explorer, ht_propose propose, void *strategy, size_t want,
                        ht_config *out_configs) {
    size_t count = 0;
    for (; count < want; ++count) {
        ht_config *next = &out_configs[count];
        int owner = HT_NO_POINT;
        bool found = next_one(explorer, propose, strategy, next, &owner);
        if (!found && !ht_explorer_fresh(explorer, next))
            break;
        size_t point = ht_explorer_ask(explorer, next);
        explorer->points[point].owner = found ? owner : HT_NO_POINT;
    }
    return count;
}

/* Fills explorer->neighbours, by parameter; returns their number. */
static size_t neighbours_list(ht_explorer *explorer, const ht_config *config,
                              ht_neighbourhood kind) {
    return ht_space_neighbours(explorer->space, config, kind, explorer->neighbours,
                               explorer->neighbour_room);
}

static size_t parameter_changed(const ht_config *from, const ht_config *to) {
    size_t i = 0;
    while (from->choice[i] == to->choice[i])
        ++i;
    return i;
}

/* Picks one of the first `count` listed neighbours: a parameter, then one of its neighbours. */
static bool neighbour_pick(ht_explorer *explorer, const ht_config *config, size_t count,
                           ht_config *out_config) {
    size_t begins[HT_PARAM_MAX + 1], parameters = 0, last = SIZE_MAX;
    for (size_t i = 0; i < count; ++i) {
        size_t changed = parameter_changed(config, &explorer->neighbours[i]);
        if (changed != last)
            begins[parameters++] = i;
        last = changed;
    }
    if (parameters == 0)
        return false;
    begins[parameters] = count;
    size_t chosen = ht_explorer_below(explorer, parameters);
    size_t among = ht_explorer_below(explorer, begins[chosen + 1] - begins[chosen]);
    *out_config = explorer->neighbours[begins[chosen] + among];
    return true;
}

bool ht_explorer_neighbour(ht_explorer *explorer, const ht_config *config, ht_neighbourhood kind,
                           ht_config *out_config) {
    size_t count = neighbours_list(explorer, config, kind);
    return neighbour_pick(explorer, config, count, out_config);
}

bool ht_explorer_step(ht_explorer *explorer, const ht_config *config, ht_neighbourhood kind,
                      ht_config *out_config) {
    size_t count = neighbours_list(explorer, config, kind), unasked = 0;
    for (size_t i = 0; i < count; ++i)
        if (ht_explorer_find(explorer, &explorer->neighbours[i]) == HT_NO_POINT)
            explorer->neighbours[unasked++] = explorer->neighbours[i];
    return neighbour_pick(explorer, config, unasked, out_config);
}

static void walk_towards(ht_explorer *explorer, const ht_config *from, ht_config *config) {
    ht_config at = *from;
    size_t order[HT_PARAM_MAX];
    for (size_t i = 0; i < explorer->dimensions; ++i) { /* shuffled as it is filled */
        size_t other = ht_explorer_below(explorer, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t i = 0; i < explorer->dimensions; ++i) {
        uint16_t kept = at.choice[order[i]];
        at.choice[order[i]] = config->choice[order[i]];
        if (at.choice[order[i]] != kept && !ht_space_legal(explorer->space, &at))
            at.choice[order[i]] = kept;
    }
    *config = at;
}

void ht_explorer_repair(ht_explorer *explorer, const ht_config *from, ht_config *config) {
    if (ht_space_legal(explorer->space, config))
        return;
    ht_config wanted = *config;
    if (!ht_explorer_neighbour(explorer, &wanted, HT_NEIGHBOURS_HAMMING, config))
        walk_towards(explorer, from, config);
}

size_t ht_explorer_below(ht_explorer *explorer, size_t bound) {
    return (size_t)ht_random_below(&explorer->random, bound);
}

bool ht_explorer_chance(ht_explorer *explorer, double chance) {
    return ht_random_unit(&explorer->random) < chance;
}
