/* Launches of a tuned kernel that take the original, kept next to it, at other sizes. Private to
 * refactor/rewrite/. */
#ifndef HT_REFACTOR_REWRITE_SIZE_CHOICE_H
#define HT_REFACTOR_REWRITE_SIZE_CHOICE_H

#include "refactor/plan/render.h"
#include "refactor/result.h"
#include "refactor/rewrite/apply.h"

/* Changes the replacements of one kernel, those of its launches among them, so that each launch
 * asks for the size:
 *
 *     const bool tuned = tokens >= 16; // else the original is faster
 *     (tuned ? silu : silu_plain)<<<tuned ? dim3(tokens, 4) : dim3(tokens), tuned ? 512 : 256>>>(
 *         out, in, d);
 *
 * Adds the original kernel, letter by letter, under another name, unless the launch alone is
 * another one. Returns why that cannot be, with the replacements as they were; NULL: it is done;
 * free(). */
char *ht_size_choice_write(const ht_kernel_work *work, const ht_values *values,
                           const ht_size_samples *sizes, ht_replacement **items, size_t *count);

#endif
