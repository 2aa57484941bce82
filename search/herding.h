/* Points that stand for a sample: kernel herding (Chen, Welling and Smola 2010, "Super-samples from
 * kernel herding"). The next one is most like all of the sample, and least like those taken before.
 * Unlike the farthest one it is seldom at the edge. */
#ifndef HT_SEARCH_HERDING_H
#define HT_SEARCH_HERDING_H

#include <stddef.h>

/* Returns the place of the next of `count` samples, at least one. Rows of `features` numbers each:
 * the samples, then those taken before. Alike is exp(-d / m), with the squared distance d and its
 * mean over the sample m. */
size_t ht_herding_next(const double *rows, size_t count, size_t taken, size_t features);

#endif
