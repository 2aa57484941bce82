/* Sizes for which a program has no meaning before its launch: it multiplies one by itself in 32
 * bits, as programs with square matrices do. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_SQUARED_H
#define HT_REFACTOR_LAUNCH_SQUARED_H

#include "refactor/launch/launch.h"

/* The largest number whose square an int holds. */
enum { HT_SQUARED_MOST = 46340 };

/* Returns true if the function around the launch computes the square of the variable as an int, in
 * each run that gets to the launch, and nothing changes the variable: then it is at most
 * HT_SQUARED_MOST, since the overflow of an int has no meaning. */
bool ht_launch_squares(const ht_launch_site *site, const ht_symbol *variable);

#endif
