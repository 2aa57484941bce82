/* Writes segments of the tiled form in which the elements of neighbouring outputs are one
 * access. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_VECTOR_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_VECTOR_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Writes a segment's loops; `usual` writes those in which no access can be wide. */
typedef void ht_tiled_usual(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                            ht_writer *writer);

/* Makes accesses to elements of `param` neighbouring outputs one where possible. Returns false if
 * there is no such access; *out_why (NULL: there are no accesses at all) and *out_at then say why
 * the first one is not. */
bool ht_tiled_pack(ht_tiled_form *form, const char *param, const char **out_why,
                   ht_position *out_at);

void ht_tiled_write_vectors(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                            ht_tiled_usual *usual, ht_writer *writer);

#endif
