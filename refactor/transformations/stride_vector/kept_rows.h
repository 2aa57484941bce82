/* Finds elements that a thread accesses in several loops, with nothing else between that may write
 * them. Private to the files of this folder. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_KEPT_ROWS_H
#define HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_KEPT_ROWS_H

#include "refactor/transformations/stride_vector/widening.h"

/* The elements of one array, in loops [first, last] of the list. */
typedef struct ht_kept_row {
    size_t first, last;
    const ht_vector_access *access; /* of the first loop */
    size_t loads;                   /* accesses that need not load them again */
} ht_kept_row;

typedef struct ht_kept_rows {
    ht_kept_row *items; /* owned */
    size_t count;
    size_t **of;     /* by loop and access: the row; SIZE_MAX: it is not kept; owned */
    const char *why; /* why one is read again; NULL: none is; static */
    ht_position at;
} ht_kept_rows;

void ht_kept_rows_find(const ht_widening *loops, size_t count, ht_kept_rows *out);
void ht_kept_rows_free(ht_kept_rows *rows, size_t count);

#endif
