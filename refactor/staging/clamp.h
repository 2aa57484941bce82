/* Indices that are clamped to the array: min(max(x + k, 0), width - 1). The box is that of x + k.
 * For outputs inside of the array isl proves that the clamped index is in the box as well. Private
 * to refactor/. */
#ifndef HT_REFACTOR_STAGING_CLAMP_H
#define HT_REFACTOR_STAGING_CLAMP_H

#include "refactor/staging/stage.h"

/* Returns the index without min and max around the moving part. */
const ht_poly *ht_stage_core(const ht_stage *stage, const ht_poly *index);
/* Returns the index of an output along an axis. */
const ht_poly *ht_stage_output(const ht_stage *stage, int axis);
/* Returns true if a clamped index is in the box. */
bool ht_stage_stays_inside(ht_stage *stage, const ht_km_access *access, size_t dimension);

#endif
