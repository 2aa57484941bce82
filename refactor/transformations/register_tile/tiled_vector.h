/* Writes segments of the tiled form in which the elements of neighbouring outputs are one
 * access. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_VECTOR_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_VECTOR_H

#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Writes a segment's loops; `usual` writes those in which no access can be wide. */
typedef void ht_tiled_usual(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                            ht_writer *writer);

/* The parameters of accesses to neighbouring outputs' elements. */
typedef struct ht_tiled_packing {
    const char *param;   /* how many are one */
    const char *aligned; /* whether these are aligned */
    bool alignable;      /* filled: an access can be */
    const char *why;     /* filled: the first reason why one is not one; NULL: there is none */
    ht_position at;      /* of that */
} ht_tiled_packing;

/* Makes accesses to elements of neighbouring outputs one where possible. Returns false if there is
 * no such access; `why` (NULL: there are no accesses at all) and `at` then say why the first one is
 * not. */
bool ht_tiled_pack(ht_tiled_form *form, ht_tiled_packing *io_packing);

void ht_tiled_write_vectors(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                            ht_tiled_usual *usual, ht_writer *writer);

#endif
