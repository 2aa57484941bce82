/* A loop that strides by the block, written for several neighbouring iterations at a time. Private
 * to the files of this folder. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_WIDENING_H
#define HT_REFACTOR_TRANSFORMATIONS_STRIDE_VECTOR_WIDENING_H

#include "refactor/transformations/block_size/stride_loop.h"
#include "refactor/transformations/coarsen/coarsen_state.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

typedef struct ht_widening {
    ht_coarsen c; /* the tools of coarsening: the counter is its x */
    const ht_stride_loop *of;
    ht_range body; /* with its `;` */
    ht_syntax_list items;
    size_t count;
    bool *again;        /* by variable: an index that is computed anew for the accesses; owned */
    bool indirect;      /* an access needs such an index */
    ht_vectors vectors; /* none: the loop stays as it is */
    const char *param, *first, *each;
    const char *whole; /* variable: all iterations of a thread's turn are there */
    /* when the end of a row is a loop of its own, the author's, in an applied source: a template
     * expression; NULL: it never is; owned */
    char *ends_apart;
    /* the function that such a source then has, for both loops; NULL: the statements stand in each;
     * owned */
    struct ht_formula *formula;
    const char *end; /* then: a variable for the end of the whole turns; NULL: it is written out */
    bool keeps;      /* it is the loop over iterations whose elements are kept (stride_keep.h) */
} ht_widening;

/* Writes `TYPE i = VALUE;`, const. */
void ht_widening_counter(ht_widening *in, const char *name, const char *value, ht_writer *writer);
/* Returns true if one text serves the end of a row, too: an index that accesses need is declared
 * ahead of the body, and no iteration is left before its end. */
bool ht_widening_has_one(const ht_widening *in);
/* Writes that text: the iterations of a turn with their elements at once where all are there, else
 * one by one. */
void ht_widening_one(ht_widening *in, ht_writer *writer);
/* Writes the loop's bound, which may follow an operator. */
void ht_widening_bound(ht_widening *in, ht_writer *writer);
/* Writes the iterations of a thread that has all of them, with their elements at once. */
void ht_widening_together(ht_widening *in, ht_writer *writer);
/* Writes a loop over iterations from the first one on, one by one to the bound. */
void ht_widening_rest(ht_widening *in, ht_writer *writer);
/* Writes the loop's body for several iterations; those at the end go one by one. */
void ht_widening_body(ht_widening *in, ht_writer *writer);

#endif
