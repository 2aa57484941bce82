/* Particle swarm optimisation (Kennedy and Eberhart 1995), with the constriction of Clerc and
 * Kennedy (2002): v <- X (v + C (own best - x) + C (swarm's best - x)), each pull times a uniform
 * random number; x <- x + v. Positions are real numbers over the positions of the values in their
 * lists; what is asked is x rounded and repaired, and where the repair changed it, x follows.
 *
 * Particles move in turn, so a batch is several of them. Swarms contract until particles land where
 * others were before; the turn of one that does goes to a neighbour of the swarm's best. When all
 * of those were asked too, another swarm starts at random. */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/explorer.h"

#include <math.h>
#include <stdlib.h>

enum { PARTICLES = 12 };
static const double CONSTRICTION = 0.7298;
static const double PULL = 2.05;

typedef struct particle {
    double position[HT_PARAM_MAX];
    double velocity[HT_PARAM_MAX];
    size_t best; /* point */
} particle;

typedef struct particle_swarm {
    ht_explorer explorer;
    particle particles[PARTICLES];
    size_t count;
    size_t leader; /* the particle with the best point */
    size_t turn;
} particle_swarm;

static void *swarm_create(const ht_space *space, const ht_strategy_options *options) {
    particle_swarm *self = ht_alloc(1, sizeof *self);
    ht_explorer_begin(&self->explorer, space, options);
    return self;
}

static void swarm_destroy(void *data) {
    particle_swarm *self = data;
    ht_explorer_end(&self->explorer);
    free(self);
}

static double best_cost(const particle_swarm *self, size_t index) {
    return self->explorer.points[self->particles[index].best].cost;
}

static void particle_place(particle_swarm *self, particle *particle, size_t point) {
    *particle = (struct particle){.best = point};
    for (size_t i = 0; i < self->explorer.dimensions; ++i)
        particle->position[i] = self->explorer.points[point].config.choice[i];
}

/* Puts a configuration that no particle reached (a seed, a random one) where one starts anew: a new
 * one as long as the swarm grows, then the worst if it is better. */
static size_t newcomer(particle_swarm *self, size_t point) {
    size_t index = self->count;
    if (self->count < PARTICLES) {
        ++self->count;
    } else {
        index = 0;
        for (size_t i = 1; i < self->count; ++i)
            if (best_cost(self, i) > best_cost(self, index))
                index = i;
        if (self->explorer.points[point].cost >= best_cost(self, index))
            return index;
    }
    particle_place(self, &self->particles[index], point);
    return index;
}

static void swarm_tell(void *data, const ht_config *config, const ht_outcome *outcome) {
    particle_swarm *self = data;
    size_t point = ht_explorer_tell(&self->explorer, config, outcome);
    int owner = self->explorer.points[point].owner;
    bool mine = owner != HT_NO_POINT && (size_t)owner < self->count;
    size_t index = mine ? (size_t)owner : newcomer(self, point);
    if (self->explorer.points[point].cost < best_cost(self, index))
        self->particles[index].best = point;
    if (best_cost(self, index) < best_cost(self, self->leader))
        self->leader = index;
}

static void particle_move(particle_swarm *self, particle *particle, ht_config *out_config) {
    ht_explorer *explorer = &self->explorer;
    const ht_config *own = &explorer->points[particle->best].config;
    const ht_config *lead = &explorer->points[self->particles[self->leader].best].config;
    ht_config wanted = {.count = (uint16_t)explorer->dimensions};
    for (size_t i = 0; i < explorer->dimensions; ++i) {
        double *x = &particle->position[i], *v = &particle->velocity[i];
        double last = (double)explorer->sizes[i] - 1;
        double to_own = PULL * ht_random_unit(&explorer->random) * (own->choice[i] - *x);
        double to_lead = PULL * ht_random_unit(&explorer->random) * (lead->choice[i] - *x);
        *v = CONSTRICTION * (*v + to_own + to_lead);
        *x = fmin(fmax(*x + *v, 0), last);
        wanted.choice[i] = (uint16_t)lround(*x);
    }
    *out_config = wanted;
    ht_explorer_repair(explorer, own, out_config);
    for (size_t i = 0; i < explorer->dimensions; ++i)
        if (out_config->choice[i] != wanted.choice[i])
            particle->position[i] = out_config->choice[i];
}

static bool propose(void *data, ht_config *out_config, int *out_owner) {
    particle_swarm *self = data;
    if (self->count == 0)
        return false;
    size_t index = self->turn++ % self->count;
    *out_owner = (int)index;
    particle_move(self, &self->particles[index], out_config);
    if (ht_explorer_find(&self->explorer, out_config) == HT_NO_POINT)
        return true;
    ht_config best = self->explorer.points[self->particles[self->leader].best].config;
    if (ht_explorer_step(&self->explorer, &best, HT_NEIGHBOURS_HAMMING, out_config))
        return true;
    self->count = self->leader = 0;
    ht_explorer_restart(&self->explorer);
    return false;
}

static size_t swarm_ask(void *data, size_t want, ht_config *out_configs) {
    particle_swarm *self = data;
    return ht_explorer_fill(&self->explorer, propose, self, want, out_configs);
}

const ht_strategy_class ht_strategy_class_particle_swarm = {
    .name = "particle-swarm",
    .description = "particle swarm with constriction (Kennedy and Eberhart 1995, Clerc and Kennedy "
                   "2002)",
    .create = swarm_create,
    .ask = swarm_ask,
    .tell = swarm_tell,
    .destroy = swarm_destroy,
};
