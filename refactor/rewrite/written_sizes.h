/* The host's part of a tuned file, where a launch takes its numbers as they come: they must come as
 * they did. Private to refactor/rewrite/written*.c. */
#ifndef HT_REFACTOR_REWRITE_WRITTEN_SIZES_H
#define HT_REFACTOR_REWRITE_WRITTEN_SIZES_H

#include "refactor/rewrite/written_launch.h"

/* Returns true if the kernel alone was changed: then its launches are the original's, whatever they
 * compute. */
bool ht_written_kernel_alone(const ht_written_pair *pair);

/* Returns the first of these names, a line each, that the tuned file computes otherwise: with other
 * words, or by macros, variables or functions that have others. NULL: none of them. free(). */
char *ht_written_sizes_differ(const ht_written_pair *pair, const char *names);

#endif
