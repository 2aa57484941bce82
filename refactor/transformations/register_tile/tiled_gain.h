/* Along which axes the outputs of a tile share loads. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_GAIN_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_GAIN_H

#include "refactor/transformations/register_tile/tiled_parts.h"

/* Returns true if outputs along an axis share reads: a read inside of a loop that differs between
 * the other outputs (where threads meet: any read) does not depend on it, or a loop's counter is
 * added to it. `out_along`, by node: it depends on the axis' index; NULL: not asked for. The cut is
 * lost (ht_tiled_cut_again). */
bool ht_tiled_gains(ht_tiled *t, size_t axis, bool *out_along);
/* Says of parameters that a tile along their axis has loops of the author's inside and shares no
 * more than what is the same for all outputs, which the other axes share as well: longer code for
 * nothing. Along x neighbours are loaded together. */
void ht_tiled_note_idle(ht_tiled *t);

#endif
