/* Numbers cut into few bins, so that trees look at bytes: at most 64 of a column, at the places
 * between its different values, or between equal shares of its rows where there are more. */
#ifndef HT_PREDICTOR_TIMES_BINS_H
#define HT_PREDICTOR_TIMES_BINS_H

#include <stddef.h>
#include <stdint.h>

enum { HT_BINS_MOST = 64 };

typedef struct ht_bins {
    float edges[HT_BINS_MOST - 1]; /* ascending; a value is in the bin of how many it exceeds */
    size_t count;                  /* of edges; 0: the column never changes */
} ht_bins;

/* NaN, which stands for a value that is not known, is in bin 0. */
void ht_bins_make(const float *values, size_t count, ht_bins *out_bins);
void ht_bins_of(const ht_bins *bins, const float *values, size_t count, uint8_t *out_bins);

#endif
