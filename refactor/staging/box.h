/* Computes the box of elements that a block's outputs and the loops inside of the load read.
 * Private to refactor/. */
#ifndef HT_REFACTOR_STAGING_BOX_H
#define HT_REFACTOR_STAGING_BOX_H

#include "refactor/staging/stage.h"

/* Returns the iterations of a loop, a sum of the template's constants; NULL: it is not
 * one. */
const ht_poly *ht_stage_trips(ht_stage *stage, const ht_km_loop *loop);
/* Computes the dimensions, and the reads' places in the box. Returns false with `problem`. */
bool ht_stage_box(ht_stage *stage);

#endif
