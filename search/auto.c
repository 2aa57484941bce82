/* The default. A model of the space pays while evaluations are few: they cost seconds, the model
 * milliseconds. It grows dearer with every one and brings less, so that after some hundreds a
 * genetic algorithm, which knows all outcomes, goes on. */
#include "search/strategy_classes.h"

#include "base/memory.h"
#include "search/trust.h"

#include <stdlib.h>

enum { MODELLED = 400 }; /* asked by the model */

typedef struct automatic {
    void *first, *second;
    size_t asked;
} automatic;

static const ht_strategy_class *const FIRST = &ht_strategy_class_bayes;
static const ht_strategy_class *const SECOND = &ht_strategy_class_genetic;

static void *automatic_create(const ht_space *space, const ht_strategy_options *options) {
    automatic *self = ht_alloc(1, sizeof *self);
    self->first = FIRST->create(space, options);
    self->second = SECOND->create(space, options);
    return self;
}

static void automatic_destroy(void *data) {
    automatic *self = data;
    FIRST->destroy(self->first);
    SECOND->destroy(self->second);
    free(self);
}

static size_t automatic_ask(void *data, size_t want, ht_config *out_configs) {
    automatic *self = data;
    if (self->asked >= MODELLED)
        return SECOND->ask(self->second, want, out_configs);
    size_t count = FIRST->ask(self->first, want, out_configs);
    self->asked += count;
    return count;
}

static void automatic_tell(void *data, const ht_config *config, const ht_outcome *outcome) {
    automatic *self = data;
    if (self->asked < MODELLED)
        FIRST->tell(self->first, config, outcome);
    SECOND->tell(self->second, config, outcome);
}

static void automatic_trust(const void *data, ht_trust *out_trust) {
    FIRST->trust(((const automatic *)data)->first, out_trust);
}

const ht_strategy_class ht_strategy_class_auto = {
    .name = "auto",
    .description = "Bayesian optimisation first, a genetic algorithm after 400 evaluations",
    .expects = true,
    .create = automatic_create,
    .ask = automatic_ask,
    .tell = automatic_tell,
    .destroy = automatic_destroy,
    .trust = automatic_trust,
};
