/* Launcher functions for kernels whose launch is not in the file. Private to refactor/. */
#ifndef HT_REFACTOR_REWRITE_LAUNCHER_H
#define HT_REFACTOR_REWRITE_LAUNCHER_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

/* Writes `static inline hipError_t NAME_tuned_launch(arguments..., hipStream_t stream = 0)` for
 * one configuration. It computes block and grid in 64 bits, and returns
 * hipErrorInvalidConfiguration if no device launches them. ht_written_kernel_read can read it.
 * Returns why there can be no launcher (static); NULL: *out_text is it, free(). */
const char *ht_plan_launcher(const ht_plan *plan, const ht_grid *grid, const ht_values *values,
                             char **out_text);
/* Returns the name of a launcher's argument for a problem field that no argument of the kernel
 * holds; free(). */
char *ht_launcher_field(const ht_model *model, const char *field);

#endif
