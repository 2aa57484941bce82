/* Writes the load of a tile into shared memory: the block's threads copy the box of elements one at
 * a time, or several neighbours of a row at once. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_LDS_STAGE_STAGE_LOAD_H
#define HT_REFACTOR_TRANSFORMATIONS_LDS_STAGE_STAGE_LOAD_H

#include "refactor/transformations/lds_stage/stage_write.h"

bool ht_staging_load(ht_staging *in, ht_text *out);
/* Loads several iterations together, or the next one during this one; the last reads of its place
 * in the tile were before the barrier. */
bool ht_staging_load_ahead(ht_staging *in, ht_text *out);
/* Returns the loop around the load. */
const ht_km_loop *ht_staging_loop(const ht_stage *stage);
/* Writes "[c % 2]", the iteration's place in the tile. */
bool ht_staging_slot(const ht_staging *in, ht_text *out);
/* Like ht_stage_print, for the iteration that the load is for. */
bool ht_staging_print(const ht_staging *in, const ht_poly *poly, ht_text *out);
bool ht_staging_print_more(const ht_staging *in, const ht_poly *poly, ht_text *out);

/* Writes the tests for an element at `at`; with `behind`, for all elements from it to that one of
 * the row. Writes nothing if all elements may be loaded. */
bool ht_staging_tests(ht_staging *in, const char *behind, ht_text *out);

#endif
