/* The legal configurations one after the other, in the space's order (lexicographic by value
 * index, first parameter slowest). A space that is not listed is walked by counting through all
 * combinations: each step costs one check for every illegal combination it passes. */
#ifndef HT_SEARCH_SWEEP_H
#define HT_SEARCH_SWEEP_H

#include "templates/space/space.h"

typedef struct ht_sweep {
    const ht_space *space;
    uint64_t next;    /* of a listed space */
    ht_config config; /* of one that is not: the next combination to look at */
    bool ended;
} ht_sweep;

void ht_sweep_begin(ht_sweep *sweep, const ht_space *space);
/* False at the end, and from then on. */
bool ht_sweep_next(ht_sweep *sweep, ht_config *out_config);

#endif
