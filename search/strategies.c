/* A new strategy is a file here that defines an ht_strategy_class, and a line in this list. */
#include "search/strategy_classes.h"

const ht_strategy_class *const ht_strategy_classes[] = {
    &ht_strategy_class_auto,           &ht_strategy_class_bayes,
    &ht_strategy_class_random,         &ht_strategy_class_exhaustive,
    &ht_strategy_class_local_search,   &ht_strategy_class_annealing,
    &ht_strategy_class_genetic,        &ht_strategy_class_differential_evolution,
    &ht_strategy_class_particle_swarm, NULL,
};
