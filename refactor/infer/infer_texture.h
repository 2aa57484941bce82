/* Textures that are arguments (refactor/source/texture_names.h). Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_TEXTURE_H
#define HT_REFACTOR_INFER_INFER_TEXTURE_H

#include "refactor/infer/infer.h"

/* Gives each texture among the slots its sizes and, in `extents`, its texels: any coordinates are
 * clamped to these sizes, so that a buffer of them is enough. */
void ht_infer_textures(ht_infer *in);

/* Returns the numbers of a texture reference, a global variable; 0: it is no such. */
long long ht_infer_reference_count(CXCursor variable);

#endif
