/* Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983, "Optimization by simulated annealing"):
 * a walk over neighbours that accepts a worse one with probability exp(-(increase / T)). Costs span
 * orders of magnitude, so the increase is that of the logarithm: a temperature of 0.1 accepts 10 %
 * more time with probability 1/e, whatever the kernel. */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/explorer.h"

#include <math.h>
#include <stdlib.h>

enum {
    INITIAL = 12,    /* random configurations; the walk starts from the best */
    FREE_STEPS = 16, /* steps over known configurations before an ask gives up on walking */
    PATIENCE = 30
};
static const double HOT = 0.1;
static const double COOLING = 0.95;
static const double COLD = 0.01;
static const double ADJACENT = 0.5;

typedef struct annealing {
    ht_explorer explorer;
    ht_config at;
    double cost; /* of at; INFINITY before the first success */
    ht_config best;
    double best_cost;
    double temperature;
} annealing;

static void *annealing_create(const ht_space *space, const ht_strategy_options *options) {
    annealing *self = ht_alloc(1, sizeof *self);
    ht_explorer_begin(&self->explorer, space, options);
    self->cost = self->best_cost = INFINITY;
    self->temperature = HOT;
    return self;
}

static void annealing_destroy(void *data) {
    annealing *self = data;
    ht_explorer_end(&self->explorer);
    free(self);
}

static bool accept(annealing *self, double cost) {
    if (cost <= self->cost)
        return !isinf(cost);
    return !isinf(cost) &&
           ht_explorer_chance(&self->explorer, pow(cost / self->cost, -1 / self->temperature));
}

static void annealing_tell(void *data, const ht_config *config, const ht_outcome *outcome) {
    annealing *self = data;
    size_t point = ht_explorer_tell(&self->explorer, config, outcome);
    double cost = self->explorer.points[point].cost;
    if (self->explorer.told > INITIAL)
        self->temperature *= COOLING;
    bool better = cost < self->best_cost;
    if (better || (self->explorer.told > INITIAL && accept(self, cost))) {
        self->at = *config;
        self->cost = cost;
    }
    if (better) {
        self->best = *config;
        self->best_cost = cost;
    }
    if (self->temperature < COLD) {
        self->temperature = HOT;
        self->at = self->best;
        self->cost = self->best_cost;
    }
}

static bool propose(annealing *self, ht_config *out_config) {
    ht_explorer *explorer = &self->explorer;
    if (explorer->point_count < INITIAL || isinf(self->cost))
        return false;
    for (int i = 0; i < FREE_STEPS; ++i) {
        ht_neighbourhood kind =
            ht_explorer_chance(explorer, ADJACENT) ? HT_NEIGHBOURS_ADJACENT : HT_NEIGHBOURS_HAMMING;
        if (ht_explorer_neighbours(explorer, &self->at, kind) == 0)
            continue;
        *out_config = explorer->neighbours[0];
        ptrdiff_t known = ht_explorer_find(explorer, out_config);
        if (known == HT_NO_POINT)
            return true;
        if (accept(self, explorer->points[known].cost)) {
            self->at = *out_config;
            self->cost = explorer->points[known].cost;
        }
    }
    return ht_explorer_step(explorer, &self->at, HT_NEIGHBOURS_HAMMING, out_config);
}

static size_t annealing_ask(void *data, size_t want, ht_config *out_configs) {
    annealing *self = data;
    size_t count = 0;
    for (; count < want; ++count) {
        if (!propose(self, &out_configs[count]) &&
            !ht_explorer_fresh(&self->explorer, &out_configs[count]))
            break;
        ht_explorer_ask(&self->explorer, &out_configs[count]);
    }
    return count;
}

const ht_strategy_class ht_strategy_class_annealing = {
    .name = "annealing",
    .description = "simulated annealing over neighbours (Kirkpatrick, Gelatt and Vecchi 1983)",
    .create = annealing_create,
    .ask = annealing_ask,
    .tell = annealing_tell,
    .destroy = annealing_destroy,
};
