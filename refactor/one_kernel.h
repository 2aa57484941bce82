/* The pass over one kernel: its model, problem, plan and template. Private to refactor/. */
#ifndef HT_REFACTOR_ONE_KERNEL_H
#define HT_REFACTOR_ONE_KERNEL_H

#include "refactor/result.h"

/* Builds the kernel's model; `tries` is that of ht_refactor_options. */
void ht_kernel_model(const ht_source *source, CXCursor cursor, const ht_problem_file *problems,
                     bool tries, ht_kernel *kernel, ht_kernel_work *work);
/* Cuts the kernel out with all that it reaches, and makes its template or says why there is none.
 * The model was built. */
void ht_kernel_transform(CXCursor cursor, ht_kernel *kernel, ht_kernel_work *work);

#endif
