#include "predictor/times/bins.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Sorts the known values; returns how many there are. */
static size_t known_sort(const float *values, size_t count, float *out_sorted) {
    size_t known = 0;
    for (size_t i = 0; i < count; ++i)
        if (!isnan(values[i]))
            out_sorted[known++] = values[i];
    if (known)
        qsort(out_sorted, known, sizeof *out_sorted, by_value);
    return known;
}

/* Adds the place between two neighbouring values; rounding may not put it at the larger one. */
static void edge_add(ht_bins *bins, float below, float above) {
    float middle = below + (above - below) / 2;
    bins->edges[bins->count++] = middle < above ? middle : below;
}

void ht_bins_make(const float *values, size_t count, ht_bins *out_bins) {
    float *sorted = ht_alloc(count + 1, sizeof *sorted);
    size_t known = known_sort(values, count, sorted), different = known > 0;
    for (size_t i = 1; i < known; ++i)
        different += sorted[i] > sorted[i - 1];
    out_bins->count = 0;
    if (known > 0 && known < count && isfinite(sorted[0]))
        edge_add(out_bins, nextafterf(sorted[0], -INFINITY), sorted[0]); /* known or not */
    size_t room = HT_BINS_MOST - 1 - out_bins->count, taken = 0;
    for (size_t i = 1; i < known && taken < room; ++i) {
        if (!(sorted[i] > sorted[i - 1]))
            continue;
        /* Of many, those at the ends of equal shares of the rows. */
        if (different > room + 1 && i * (room + 1) < (taken + 1) * known)
            continue;
        edge_add(out_bins, sorted[i - 1], sorted[i]);
        ++taken;
    }
    free(sorted);
}

void ht_bins_of(const ht_bins *bins, const float *values, size_t count, uint8_t *out_bins) {
    for (size_t i = 0; i < count; ++i) {
        size_t low = 0, high = bins->count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (values[i] > bins->edges[middle])
                low = middle + 1;
            else
                high = middle;
        }
        out_bins[i] = (uint8_t)low;
    }
}
