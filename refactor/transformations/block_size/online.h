/* Loops of an online softmax: an iteration raises a maximum, and adds an exponential to a sum that
 * is scaled by it,
 *
 *     const float x = in[i], most = fmaxf(m, x);
 *     s = s * expf(m - most) + expf(x - most);
 *     m = most;
 *
 * however it is written. Afterwards m is the maximum of all x, and s the sum of expf(x - m).
 * Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_ONLINE_H
#define HT_REFACTOR_TRANSFORMATIONS_BLOCK_SIZE_ONLINE_H

#include "refactor/kernel/syntax.h"

typedef struct ht_online {
    size_t maximum, sum;     /* variables from outside of the loop */
    const char *exponential; /* the function's name; borrowed */
} ht_online;

/* Returns true if the loop's iterations do that with two variables, and nothing else with them. */
bool ht_online_read(const ht_syntax *loop, ht_online *out);
/* The base of a function's exponentials, 1 for e and 2; 0: it is another function. */
int ht_exponential_base(const char *name);

#endif
