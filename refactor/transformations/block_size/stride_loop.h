/* Loops whose iterations the threads of a block share out: from threadIdx in steps of blockDim.
 * Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_STRIDE_LOOP_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_STRIDE_LOOP_H

#include "refactor/kernel/syntax.h"

/* for (int counter = FACTOR * threadIdx.a; counter < BOUND; counter += FACTOR * blockDim.a) */
typedef struct ht_stride_loop {
    const ht_syntax *loop;
    const ht_syntax_variable *counter;
    const ht_syntax *start, *step; /* FACTOR * threadIdx.a, FACTOR * blockDim.a */
    int64_t factor;
    bool rounds; /* it adds up real numbers: results depend on which thread runs an iteration */
} ht_stride_loop;

/* Variables, by index, that a loop may carry from one iteration to the next. */
typedef struct ht_stride_carry {
    const size_t *variables;
    size_t count;
} ht_stride_carry;

/* Reads a loop's header. Returns false if it is another kind of loop, or changes its bound. */
bool ht_stride_loop_read(const ht_syntax *loop, int axis, ht_stride_loop *out);
/* Returns true if an iteration uses what another one set, or ends the later ones, but for the
 * variables of `carry` (NULL: none). */
bool ht_stride_carries(const ht_stride_loop *of, const ht_stride_carry *carry);

#endif
