/* Reductions over a block: loops that stride by the block and add up in each thread, and the
 * statements after them that combine the threads' values, however they do it.
 *
 *     float sum = 0;
 *     for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i] * x[i];
 *     sum = block_sum(sum);                  // statements [first, last] of the body
 *
 * The statements are run for all threads (lanes.h), for wavefronts of 32 and of 64 lanes, which
 * shows what is combined, and which threads have the result. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_BLOCK_SUMS_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_BLOCK_SUMS_H

#include "refactor/kernel/syntax.h"
#include "refactor/transformations/block_size/lanes.h"

/* A variable in which each thread combines values over the iterations of one loop. */
typedef struct ht_accumulator {
    size_t variable; /* of the body's tree */
    size_t whole;    /* the same in the whole tree */
    ht_combine op;
    size_t loop; /* the statement of the body */
    bool real;   /* its result depends on the order, in the last bits */
    /* Of a sum that a maximum scales (online.h): that one, in the whole tree, and the function. */
    size_t scale;
    const char *exponential; /* borrowed */
} ht_accumulator;

/* A value that later statements read: all threads' values of an accumulator, combined. */
typedef struct ht_block_result {
    size_t variable; /* of the whole tree */
    size_t element;  /* of shared memory; SIZE_MAX: it is a private variable */
    size_t source;   /* accumulator, by its variable in the whole tree */
    bool declared;   /* by the statements themselves */
    bool first_only; /* only the first thread has it, and reads it */
    ht_range place;  /* of shared memory: how it is written */
} ht_block_result;

/* Statements [first, last] of the body, which combine. */
typedef struct ht_block_sum {
    size_t first, last;
    ht_block_result *results; /* owned */
    size_t result_count;
} ht_block_sum;

typedef struct ht_block_sums {
    const ht_syntax_tree *body, *whole;
    ht_accumulator *accumulators; /* owned */
    size_t accumulator_count;
    ht_block_sum *items; /* owned */
    size_t count;
    const char *why; /* there are accumulators, but it is not proved what becomes of them; static */
    ht_position at;
} ht_block_sums;

/* The kernel's reductions over the block along x, as launched; found when first asked for. Without
 * any, or where `why` is set, `count` is 0. */
const ht_block_sums *ht_block_sums_of(const ht_model *model);
/* Returns true if the author's statements do the same in blocks of another size. */
bool ht_block_sums_hold(const ht_block_sums *sums, size_t threads);

/* Statements of the body, in both trees; the one with a node of the body's; SIZE_MAX: none has. */
const ht_syntax *ht_sums_statement(const ht_block_sums *sums, size_t index);
const ht_syntax *ht_sums_whole_statement(const ht_block_sums *sums, size_t index);
size_t ht_sums_statement_of(const ht_block_sums *sums, const ht_syntax *node);
/* Returns true if a node of the whole tree is in the statements. */
bool ht_sum_holds_node(const ht_block_sums *sums, const ht_block_sum *sum, const ht_syntax *node);
/* The accumulator that is this variable of the whole tree; NULL: none is. */
const ht_accumulator *ht_sums_accumulator(const ht_block_sums *sums, size_t whole);

#endif
