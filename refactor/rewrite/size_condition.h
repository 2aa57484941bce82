/* The sizes that a tuned kernel is launched for, as a condition in C over what the host knows at
 * the launch. Private to refactor/rewrite/. */
#ifndef HT_REFACTOR_REWRITE_SIZE_CONDITION_H
#define HT_REFACTOR_REWRITE_SIZE_CONDITION_H

#include "refactor/rewrite/apply.h"

/* A whole number that the host's code has at a launch. Both are borrowed. */
typedef struct ht_host_number {
    const char *text;     /* "tokens" */
    const ht_expr *value; /* of the problem: "problem.TOKENS" */
} ht_host_number;

/* Returns "tokens >= 16 && d % 4 == 0", which is true at all of samples->kept, and false at all of
 * samples->lost; free(). Between a size of the one kind and the next of the other the original
 * is chosen. Comparisons that rule out the most come first. NULL: the numbers do not tell such
 * sizes apart. */
char *ht_size_condition(const ht_template *template, const ht_host_number *numbers, size_t count,
                        const ht_size_samples *samples);

#endif
