/* Sources that were coarsened before: the named constant of the outputs of a thread becomes the
 * parameter again. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_AGAIN_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_AGAIN_H

#include "refactor/kernel/own_outputs.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

/* Makes `outputs`' constant the parameter COARSEN_X wherever kernel and launch name it. Refuses,
 * with a remark, where the loop's iterations are not proved to be independent, or the constant has
 * other uses. */
void ht_coarsen_again(ht_coarsen *c, const ht_own_outputs *outputs);

#endif
