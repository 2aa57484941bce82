/* Finds the places in the source whose text differs when outputs are computed together. Private to
 * refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_SWAPS_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_SWAPS_H

#include "refactor/transformations/coarsen/coarsen_layout.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

typedef struct ht_jam_swaps {
    ht_coarsen *c;
    ht_writer *writer;
    bool front;                       /* runs once for all outputs, whatever the nodes' marks say */
    const struct ht_vectors *vectors; /* accesses that have their own text; NULL: none */
    bool label;                       /* a return is in an inner loop */
    bool keeps_x;                     /* a macro names x: it is declared as the first output's */
} ht_jam_swaps;

/* Adds swaps for a list of statements. */
void ht_jam_swaps_add(ht_jam_swaps *swaps, ht_syntax_list list, size_t count);
/* Returns the swaps for the work, or for the part in front of it. */
ht_jam_swaps ht_jam_swaps_make(ht_coarsen *c, const ht_layout *layout, ht_writer *writer,
                               bool front);

#endif
