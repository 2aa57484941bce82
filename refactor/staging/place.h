/* Finds the reads of an array that one tile can serve, and the place where it is loaded. Private to
 * refactor/. */
#ifndef HT_REFACTOR_STAGING_PLACE_H
#define HT_REFACTOR_STAGING_PLACE_H

#include "refactor/staging/stage.h"

/* Finds the reads of an array that a tile can serve. Returns false if `problem` says why there are
 * none. Call ht_stage_free either way. */
bool ht_stage_find(ht_stage *stage, ht_kernel_model *km, size_t array, const ht_stage_frame *frame);
void ht_stage_free(ht_stage *stage);

/* Returns true if the elements for later iterations of the loop around the load may be loaded
 * early. */
bool ht_stage_may_run_ahead(const ht_stage *stage);

/* Returns "int" if all subscripts are, else a type that holds any index. */
const char *ht_stage_index_type(const ht_km_access *const *reads, size_t count);
/* Returns true if each of the loops around can be identified by its counter's name. */
bool ht_stage_counters_differ(const ht_kernel_model *km, const ht_km_control *control);
/* Returns true if the symbol is the same for all threads of the block at the place of the load. */
bool ht_stage_is_given(const void *stage, size_t symbol);
/* Returns true if all of a polynomial's symbols are, or are the same for the launch. */
bool ht_stage_all_given(const ht_stage *stage, const ht_poly *poly);
/* Returns true if a loop is inside of the place of the load. */
bool ht_stage_is_inner(const ht_stage *stage, size_t loop);
/* Sets the problem. Returns false. */
bool ht_stage_fail(ht_stage *stage, ht_position at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
