/* Facts from the host's code about a launch: the variables from which its sizes come, the values of
 * scalar arguments, and the memory allocated for pointers. Private to refactor/. */
#ifndef HT_REFACTOR_INFER_INFER_HOST_H
#define HT_REFACTOR_INFER_INFER_HOST_H

#include "refactor/infer/infer.h"

/* Finds fields and scalar arguments, from the first launch. */
void ht_infer_host(ht_infer *in);
/* Returns the number of elements that the host allocated for the index-th argument, an expression
 * over fields; NULL: not found. free(). *out_line: line of the allocation. */
char *ht_infer_allocation(const ht_infer *in, size_t index, int *out_line);
/* Adds to what is missing; each text once. */
void ht_infer_miss(ht_infer *in, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
