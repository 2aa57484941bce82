/* Sizes at the edges of blocks, for delivered files. Private to runtime/verify*.c. */
#ifndef HT_RUNTIME_VERIFY_VERIFY_EDGES_H
#define HT_RUNTIME_VERIFY_VERIFY_EDGES_H

#include "runtime/verify/verify.h"

/* Problems like `base`, in which the template's grid or its reference's is just filled, and in
 * which it has one item more than that, along every axis: three at best. Only such as the options'
 * `asked` wants and `skipped` does not. Free each with ht_problem_free, then free(). */
void ht_verify_edges(const ht_template *template, const ht_device *device, const ht_problem *base,
                     const ht_verify_options *options, ht_problem **out_problems,
                     size_t *out_count);

#endif
