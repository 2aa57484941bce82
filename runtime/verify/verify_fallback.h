/* Sizes past a device's limits, at which a delivered file's launch chooses the original's block.
 * Private to runtime/verify*.c. */
#ifndef HT_RUNTIME_VERIFY_VERIFY_FALLBACK_H
#define HT_RUNTIME_VERIFY_VERIFY_FALLBACK_H

#include "runtime/verify/verify.h"

/* Problems that take the branches of the launch's conditions that none of `known` takes: the
 * largest of these that can be run, with one field as small as it can be, and those with one less;
 * only such as the options' `skipped` does not. Free each with ht_problem_free, then free().
 * *out_left_out: a branch whose sizes are too large to be run here, in words; NULL: there is none;
 * free(). */
void ht_verify_fallbacks(const ht_template *template, const ht_device *device,
                         const ht_problem *known, size_t known_count,
                         const ht_verify_options *options, ht_problem **out_problems,
                         size_t *out_count, char **out_left_out);

#endif
