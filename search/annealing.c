/* Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983, "Optimization by simulated annealing"):
 * a walk over neighbours that accepts a worse one with probability exp(-increase / T). Costs differ
 * by orders of magnitude from kernel to kernel, so the increase is that of the cost's logarithm: at
 * T = 0.05 a neighbour that takes 10 % more time is accepted with probability 0.15, whatever the
 * kernel.
 *
 * The walk starts from the best of the first configurations. The temperature falls with every
 * outcome; when it is cold, it rises again and the walk goes on from the best, or, when that
 * brought nothing better, from the best of others chosen at random. Steps onto configurations that
 * are known already cost nothing and do not cool. In a batch several neighbours of the same place
 * are asked, and judged in turn. */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/explorer.h"

#include <math.h>
#include <stdlib.h>

enum { FREE_STEPS = 16 }; /* over known configurations in a row, before something new is asked */
static const double HOT = 0.05;
static const double COLD = 0.01;
static const double COOLING = 0.95;
static const double ADJACENT = 0.5; /* chance of an adjacent value instead of any other */

typedef struct annealing {
    ht_explorer explorer;
    ht_config at, best;
    double cost, best_cost; /* since the last start; INFINITY before its first success */
    double cycle_cost;      /* best_cost when it was hot last */
    double temperature;
} annealing;

static void *annealing_create(const ht_space *space, const ht_strategy_options *options) {
    annealing *self = ht_alloc(1, sizeof *self);
    ht_explorer_begin(&self->explorer, space, options);
    self->cost = self->best_cost = self->cycle_cost = INFINITY;
    self->temperature = HOT;
    return self;
}

static void annealing_destroy(void *data) {
    annealing *self = data;
    ht_explorer_end(&self->explorer);
    free(self);
}

static void consider(annealing *self, const ht_config *config, double cost) {
    if (isinf(cost))
        return;
    if (cost > self->cost &&
        !ht_explorer_chance(&self->explorer, pow(self->cost / cost, 1 / self->temperature)))
        return;
    self->at = *config;
    self->cost = cost;
}

static void cool(annealing *self) {
    self->temperature *= COOLING;
    if (self->temperature >= COLD)
        return;
    self->temperature = HOT;
    if (self->best_cost >= self->cycle_cost) {
        self->best_cost = INFINITY;
        ht_explorer_restart(&self->explorer);
    }
    self->at = self->best;
    self->cost = self->cycle_cost = self->best_cost;
}

static void annealing_tell(void *data, const ht_config *config, const ht_outcome *outcome) {
    annealing *self = data;
    size_t point = ht_explorer_tell(&self->explorer, config, outcome);
    double cost = self->explorer.points[point].cost;
    if (cost < self->best_cost) {
        self->best = self->at = *config;
        self->best_cost = self->cost = cost;
    }
    if (self->explorer.points[point].owner != HT_NO_POINT) { /* a step of the walk */
        consider(self, config, cost);
        cool(self);
    }
}

static bool propose(void *data, ht_config *out_config, int *out_owner) {
    annealing *self = data;
    *out_owner = 0;
    ht_explorer *explorer = &self->explorer;
    if (isinf(self->cost))
        return false;
    for (int i = 0; i < FREE_STEPS; ++i) {
        bool adjacent = ht_explorer_chance(explorer, ADJACENT);
        ht_neighbourhood kind = adjacent ? HT_NEIGHBOURS_ADJACENT : HT_NEIGHBOURS_HAMMING;
        if (!ht_explorer_neighbour(explorer, &self->at, kind, out_config))
            continue;
        ptrdiff_t known = ht_explorer_find(explorer, out_config);
        if (known == HT_NO_POINT)
            return true;
        consider(self, out_config, explorer->points[known].cost);
    }
    return ht_explorer_step(explorer, &self->at, HT_NEIGHBOURS_HAMMING, out_config);
}

static size_t annealing_ask(void *data, size_t want, ht_config *out_configs) {
    annealing *self = data;
    return ht_explorer_fill(&self->explorer, propose, self, want, out_configs);
}

const ht_strategy_class ht_strategy_class_annealing = {
    .name = "annealing",
    .description = "simulated annealing over neighbours (Kirkpatrick, Gelatt and Vecchi 1983)",
    .create = annealing_create,
    .ask = annealing_ask,
    .tell = annealing_tell,
    .destroy = annealing_destroy,
};
