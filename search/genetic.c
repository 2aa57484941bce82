/* Genetic algorithm (Holland 1975), steady state: the population is the best configurations so far,
 * and a child enters it as soon as its outcome is known, not when a generation is full (Syswerda
 * 1991, "A study of reproduction in generational and steady-state genetic algorithms"). So a batch
 * is simply that many children of the population as it is, and nothing waits.
 *
 * Parents are won in tournaments, genes are crossed uniformly (Syswerda 1989), one gene a child
 * mutates on average, and what the constraints forbid is repaired. A child that was asked before is
 * mutated on. The population is a share of the outcomes: few at first, when evaluations are scarce
 * and must go where costs are low, more later, when crossing needs variety.
 *
 * Half of the asks refine the best one instead, by an adjacent value of one parameter, as long as
 * it has such neighbours (a memetic algorithm, Moscato 1989). When the best has not changed for
 * long, another population starts at random. */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/ranking.h"

#include <stdlib.h>

enum {
    PATIENCE = 50,  /* outcomes without a better one before another population starts */
    SHARE = 5,      /* one in N of the successes is in the population */
    SMALLEST = 4,   /* but at least N of them */
    LARGEST = 20,   /* and at most N */
    TOURNAMENT = 2, /* the best of N is a parent */
    TRIES = 16      /* mutations of a child that was asked before */
};
static const double REFINE = 0.5;    /* chance of a neighbour of the best instead of a child */
static const double MUTATIONS = 1.0; /* genes of a child, on average */

typedef struct genetic {
    ht_explorer explorer;
    ht_ranking ranking;
    size_t improved; /* outcomes when the */
    size_t genes;    /* dimensions with more than one value */
} genetic;

static void *genetic_create(const ht_space *space, const ht_strategy_options *options) {
    genetic *self = ht_alloc(1, sizeof *self);
    ht_explorer_begin(&self->explorer, space, options);
    for (size_t i = 0; i < self->explorer.dimensions; ++i)
        self->genes += self->explorer.sizes[i] > 1;
    return self;
}

static void genetic_destroy(void *data) {
    genetic *self = data;
    ht_explorer_end(&self->explorer);
    ht_ranking_free(&self->ranking);
    free(self);
}

static double best_cost(const genetic *self) {
    return self->explorer.points[self->ranking.points[0]].cost;
}

static void genetic_tell(void *data, const ht_config *config, const ht_outcome *outcome) {
    genetic *self = data;
    size_t point = ht_explorer_tell(&self->explorer, config, outcome);
    if (self->ranking.count == 0 || self->explorer.points[point].cost < best_cost(self))
        self->improved = self->explorer.told;
    ht_ranking_add(&self->ranking, &self->explorer, point);
}

static const ht_config *ranked(const genetic *self, size_t rank) {
    return &self->explorer.points[self->ranking.points[rank]].config;
}

static const ht_config *parent(genetic *self) {
    size_t size = self->ranking.count / SHARE;
    size = size < SMALLEST ? SMALLEST : size > LARGEST ? LARGEST : size;
    size = size < self->ranking.count ? size : self->ranking.count;
    size_t winner = size - 1;
    for (int i = 0; i < TOURNAMENT; ++i) {
        size_t rank = ht_explorer_below(&self->explorer, size);
        winner = rank < winner ? rank : winner;
    }
    return ranked(self, winner);
}

static void mutate(genetic *self, ht_config *child) {
    for (size_t i = 0; i < self->explorer.dimensions; ++i) {
        size_t size = self->explorer.sizes[i];
        if (size < 2 || !ht_explorer_chance(&self->explorer, MUTATIONS / (double)self->genes))
            continue;
        size_t value = ht_explorer_below(&self->explorer, size - 1); /* any other than now */
        child->choice[i] = (uint16_t)(value + (value >= child->choice[i]));
    }
}

static bool breed(genetic *self, ht_config *out_config) {
    const ht_config *mother = parent(self), *father = parent(self);
    *out_config = *mother;
    for (size_t i = 0; i < self->explorer.dimensions; ++i)
        if (ht_explorer_chance(&self->explorer, 0.5))
            out_config->choice[i] = father->choice[i];
    for (int i = 0; i < TRIES; ++i) {
        mutate(self, out_config);
        ht_explorer_repair(&self->explorer, mother, out_config);
        if (ht_explorer_find(&self->explorer, out_config) == HT_NO_POINT)
            return true;
    }
    return false;
}

static bool propose(void *data, ht_config *out_config, int *out_owner) {
    genetic *self = data;
    (void)out_owner;
    if (self->ranking.count == 0)
        return false;
    if (self->explorer.told - self->improved > PATIENCE) {
        self->ranking.count = 0;
        ht_explorer_restart(&self->explorer);
        return false;
    }
    if (ht_explorer_chance(&self->explorer, REFINE) &&
        ht_explorer_step(&self->explorer, ranked(self, 0), HT_NEIGHBOURS_ADJACENT, out_config))
        return true;
    return breed(self, out_config);
}

static size_t genetic_ask(void *data, size_t want, ht_config *out_configs) {
    genetic *self = data;
    return ht_explorer_fill(&self->explorer, propose, self, want, out_configs);
}

const ht_strategy_class ht_strategy_class_genetic = {
    .name = "genetic",
    .description = "steady-state genetic algorithm with refinement (Holland 1975, Syswerda 1991)",
    .create = genetic_create,
    .ask = genetic_ask,
    .tell = genetic_tell,
    .destroy = genetic_destroy,
};
