/* The strategies, one file each; strategies.c lists them. */
#ifndef HT_SEARCH_STRATEGY_CLASSES_H
#define HT_SEARCH_STRATEGY_CLASSES_H

#include "search/strategy.h"

extern const ht_strategy_class ht_strategy_class_annealing;
extern const ht_strategy_class ht_strategy_class_auto;
extern const ht_strategy_class ht_strategy_class_bayes;
extern const ht_strategy_class ht_strategy_class_differential_evolution;
extern const ht_strategy_class ht_strategy_class_exhaustive;
extern const ht_strategy_class ht_strategy_class_genetic;
extern const ht_strategy_class ht_strategy_class_local_search;
extern const ht_strategy_class ht_strategy_class_particle_swarm;
extern const ht_strategy_class ht_strategy_class_random;

#endif
