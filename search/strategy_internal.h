/* The functions of a strategy that the search loop calls besides the public ones. */
#ifndef HT_SEARCH_STRATEGY_INTERNAL_H
#define HT_SEARCH_STRATEGY_INTERNAL_H

#include "search/strategy.h"

const ht_space *ht_strategy_space(const ht_strategy *strategy); /* borrowed */

#endif
