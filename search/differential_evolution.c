/* Differential evolution (Storn and Price 1997), current-to-best/1/bin, on the positions of the
 * values in their lists: an agent x is crossed with x + F (best - x) + F (a - b), for two other
 * agents a and b, rounded; where values have no order, differences mean nothing, and the parameter
 * is taken from best, a or x. The trial replaces its agent when it is no worse.
 *
 * Each trial competes with its agent as soon as its outcome is known, so a batch is trials of
 * several agents in turn. A trial that was asked before competes for free, and a neighbour of the
 * best agent is asked in its place. When all of those were asked too, the agents have come
 * together, and others start at random. */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/explorer.h"

#include <math.h>
#include <stdlib.h>

enum { AGENTS = 12 };
static const double WEIGHT = 0.9;    /* F */
static const double CROSSOVER = 0.9; /* CR */

typedef struct differential_evolution {
    ht_explorer explorer;
    size_t agents[AGENTS]; /* points */
    size_t count;
    size_t turn;
} differential_evolution;

static void *evolution_create(const ht_space *space, const ht_strategy_options *options) {
    differential_evolution *self = ht_alloc(1, sizeof *self);
    ht_explorer_begin(&self->explorer, space, options);
    return self;
}

static void evolution_destroy(void *data) {
    differential_evolution *self = data;
    ht_explorer_end(&self->explorer);
    free(self);
}

static double agent_cost(const differential_evolution *self, size_t agent) {
    return self->explorer.points[self->agents[agent]].cost;
}

static const ht_config *agent_config(const differential_evolution *self, size_t agent) {
    return &self->explorer.points[self->agents[agent]].config;
}

/* Returns the cheapest agent with sign 1, the dearest with -1. */
static size_t extreme(const differential_evolution *self, double sign) {
    size_t found = 0;
    for (size_t i = 1; i < self->count; ++i)
        if (sign * agent_cost(self, i) < sign * agent_cost(self, found))
            found = i;
    return found;
}

/* Lets a configuration that no agent proposed (a seed, a random one) take the place of the
 * worst. */
static void evolution_tell(void *data, const ht_config *config, const ht_outcome *outcome) {
    differential_evolution *self = data;
    size_t point = ht_explorer_tell(&self->explorer, config, outcome);
    int owner = self->explorer.points[point].owner;
    bool mine = owner != HT_NO_POINT && (size_t)owner < self->count;
    if (!mine && self->count < AGENTS) {
        self->agents[self->count++] = point;
        return;
    }
    size_t agent = mine ? (size_t)owner : extreme(self, -1);
    if (self->explorer.points[point].cost <= agent_cost(self, agent))
        self->agents[agent] = point;
}

static uint16_t crossed_value(differential_evolution *self, size_t i, uint16_t x, uint16_t best,
                              uint16_t a, uint16_t b) {
    if (!self->explorer.ordered[i])
        return ht_explorer_chance(&self->explorer, WEIGHT) ? best : a != b ? a : x;
    double value = x + WEIGHT * (best - x) + WEIGHT * (a - b);
    double last = (double)self->explorer.sizes[i] - 1;
    /* A fraction rounds up with its own probability: small differences still move. */
    value = floor(value + ht_random_unit(&self->explorer.random));
    return (uint16_t)fmin(fmax(value, 0), last);
}

static void trial_make(differential_evolution *self, size_t agent, ht_config *out_config) {
    ht_explorer *explorer = &self->explorer;
    const ht_config *x = agent_config(self, agent), *best = agent_config(self, extreme(self, 1));
    const ht_config *a = agent_config(self, ht_explorer_below(explorer, self->count));
    const ht_config *b = agent_config(self, ht_explorer_below(explorer, self->count));
    size_t certain = ht_explorer_below(explorer, explorer->dimensions);
    *out_config = *x;
    for (size_t i = 0; i < explorer->dimensions; ++i)
        if (i == certain || ht_explorer_chance(explorer, CROSSOVER))
            out_config->choice[i] =
                crossed_value(self, i, x->choice[i], best->choice[i], a->choice[i], b->choice[i]);
    ht_explorer_repair(explorer, x, out_config);
}

static bool propose(void *data, ht_config *out_config, int *out_owner) {
    differential_evolution *self = data;
    if (self->count == 0)
        return false;
    size_t agent = self->turn++ % self->count;
    *out_owner = (int)agent;
    trial_make(self, agent, out_config);
    ptrdiff_t known = ht_explorer_find(&self->explorer, out_config);
    if (known == HT_NO_POINT)
        return true;
    if (self->explorer.points[known].cost < agent_cost(self, agent))
        self->agents[agent] = (size_t)known;
    ht_config best = *agent_config(self, extreme(self, 1));
    if (ht_explorer_step(&self->explorer, &best, HT_NEIGHBOURS_HAMMING, out_config))
        return true;
    self->count = 0;
    ht_explorer_restart(&self->explorer);
    return false;
}

static size_t evolution_ask(void *data, size_t want, ht_config *out_configs) {
    differential_evolution *self = data;
    return ht_explorer_fill(&self->explorer, propose, self, want, out_configs);
}

const ht_strategy_class ht_strategy_class_differential_evolution = {
    .name = "differential-evolution",
    .description = "differential evolution on value positions (Storn and Price 1997)",
    .create = evolution_create,
    .ask = evolution_ask,
    .tell = evolution_tell,
    .destroy = evolution_destroy,
};
