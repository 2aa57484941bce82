/* The strategies, one file each; strategies.c lists them. */
#ifndef HT_SEARCH_STRATEGY_CLASSES_H
#define HT_SEARCH_STRATEGY_CLASSES_H

#include "search/strategy.h"

extern const ht_strategy_class ht_strategy_class_exhaustive;
extern const ht_strategy_class ht_strategy_class_random;

#endif
