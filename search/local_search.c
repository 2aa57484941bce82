/* Local search, best first: a few configurations spread over the space, then always a neighbour of
 * the best one known that was not asked yet; the first improvement moves on at once, since it is
 * the best then. Parameters step to an adjacent value first (first improvement, Hoos and Stuetzle
 * 2004, "Stochastic Local Search", chapter 2).
 *
 * Once no adjacent neighbour of the best is left, it is a local optimum, and asks go by chance to
 * its wider neighbourhood (any other value of one parameter: variable neighbourhood descent,
 * Hansen and Mladenovic 1997) or to the adjacent neighbourhood of the next best. When that brings
 * nothing better for long, all starts anew from random configurations. It never waits for an
 * outcome: a batch is more neighbours of the same configurations. */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/ranking.h"

#include <math.h>
#include <stdlib.h>

enum { PATIENCE = 30 };         /* outcomes without a better one before another start */
static const double WIDE = 0.5; /* in a local optimum, chance of the wider neighbourhood */

typedef struct local_search {
    ht_explorer explorer;
    /* Points that may have neighbours left to ask. */
    ht_ranking adjacent, hamming;
    double best_cost; /* since the last start */
    size_t improved;  /* outcomes when it */
} local_search;

static void *local_create(const ht_space *space, const ht_strategy_options *options) {
    local_search *self = ht_alloc(1, sizeof *self);
    ht_explorer_begin(&self->explorer, space, options);
    self->best_cost = INFINITY;
    return self;
}

static void local_destroy(void *data) {
    local_search *self = data;
    ht_explorer_end(&self->explorer);
    ht_ranking_free(&self->adjacent);
    ht_ranking_free(&self->hamming);
    free(self);
}

static void local_tell(void *data, const ht_config *config, const ht_outcome *outcome) {
    local_search *self = data;
    size_t point = ht_explorer_tell(&self->explorer, config, outcome);
    ht_ranking_add(&self->adjacent, &self->explorer, point);
    ht_ranking_add(&self->hamming, &self->explorer, point);
    if (self->explorer.points[point].cost < self->best_cost) {
        self->best_cost = self->explorer.points[point].cost;
        self->improved = self->explorer.told;
    }
}

/* Takes an unasked neighbour of the first of a ranking, which is dropped when it has none left. */
static bool step(local_search *self, ht_ranking *ranking, ht_neighbourhood kind,
                 ht_config *out_config) {
    ht_config from = self->explorer.points[ranking->points[0]].config;
    if (ht_explorer_step(&self->explorer, &from, kind, out_config))
        return true;
    ht_ranking_remove(ranking, 0);
    return false;
}

static bool descends(const local_search *self) {
    return self->adjacent.count > 0 &&
           self->explorer.points[self->adjacent.points[0]].cost <= self->best_cost;
}

static void restart(local_search *self) {
    self->adjacent.count = self->hamming.count = 0;
    self->best_cost = INFINITY;
    self->improved = self->explorer.told;
    ht_explorer_restart(&self->explorer);
}

static bool propose(void *data, ht_config *out_config, int *out_owner) {
    local_search *self = data;
    (void)out_owner;
    if (self->explorer.told - self->improved > PATIENCE) {
        restart(self);
        return false;
    }
    while (descends(self))
        if (step(self, &self->adjacent, HT_NEIGHBOURS_ADJACENT, out_config))
            return true;
    while (self->adjacent.count + self->hamming.count > 0) {
        bool wide = self->adjacent.count == 0 ||
                    (self->hamming.count > 0 && ht_explorer_chance(&self->explorer, WIDE));
        if (wide ? step(self, &self->hamming, HT_NEIGHBOURS_HAMMING, out_config)
                 : step(self, &self->adjacent, HT_NEIGHBOURS_ADJACENT, out_config))
            return true;
    }
    return false;
}

static size_t local_ask(void *data, size_t want, ht_config *out_configs) {
    local_search *self = data;
    return ht_explorer_fill(&self->explorer, propose, self, want, out_configs);
}

const ht_strategy_class ht_strategy_class_local_search = {
    .name = "local-search",
    .description = "best-first local search with restarts (Hoos and Stuetzle 2004)",
    .create = local_create,
    .ask = local_ask,
    .tell = local_tell,
    .destroy = local_destroy,
};
