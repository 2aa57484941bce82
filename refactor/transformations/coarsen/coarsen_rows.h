/* Outputs of a thread in one row: kernels over a flattened index divide it,
 *
 *     int i = blockIdx.x * blockDim.x + threadIdx.x;
 *     int row = i / size % rows, x = i % size;
 *
 * and neighbouring outputs differ in what the quotient is used for. Where the outputs of a thread
 * side by side are COARSEN_X and each divisor is a multiple of that, which the kernel asks at run
 * time, they lie in one row: quotients are the same, and remainders neighbours. Private to
 * refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_ROWS_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_ROWS_H

#include "refactor/transformations/coarsen/coarsen_state.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

enum { HT_ROWS_MAX = 4 };

/* The divisors of the index, in expressions over arguments that nothing changes. */
typedef struct ht_rows {
    const ht_syntax *divisors[HT_ROWS_MAX];
    size_t count;
} ht_rows;

/* Finds them. Returns false if there are none. */
bool ht_rows_find(const ht_coarsen *c, ht_rows *out);
/* The share of a quotient or remainder of the index, where the outputs lie in one row. Returns
 * false for other expressions. */
bool ht_rows_share(ht_coarsen *c, const ht_syntax *node, ht_share *out);
/* Returns true for an `if (i % size == 0)`, which then holds for the first output of a thread at
 * most, and whose body is the same for all: it runs once, for the first. */
bool ht_rows_first(ht_coarsen *c, const ht_syntax *statement);
/* Returns the text for a divisor `(a * b)` of the index, where the kernel divides the index by `b`
 * alone, too: "b / a", so that the two quotients share a division. *out_divisor: the text's place.
 * NULL: the divisor stays; free(). */
char *ht_rows_nest(const ht_coarsen *c, const ht_syntax *node, ht_range *out_divisor);
/* Writes the condition that they do. */
void ht_rows_condition(const ht_coarsen *c, const ht_rows *rows, ht_writer *writer);

#endif
