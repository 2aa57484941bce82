/* Launcher functions for kernels whose launch is not in the file. Private to refactor/. */
#ifndef HT_REFACTOR_REWRITE_LAUNCHER_H
#define HT_REFACTOR_REWRITE_LAUNCHER_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

/* `static inline hipError_t NAME_tuned_launch(arguments..., hipStream_t stream = 0)` for one
 * configuration: block and grid in 64 bits, hipErrorInvalidConfiguration where no device launches
 * them. It is written so that ht_written_kernel_read can read it. free(). NULL with *out_problem
 * (free()) when the geometry cannot be written as C. */
char *ht_plan_launcher(const ht_plan *plan, const ht_grid *grid, const ht_values *values,
                       char **out_problem);
/* How a launcher calls its argument for a problem field that no argument of the kernel holds;
 * free(). */
char *ht_launcher_field(const ht_model *model, const char *field);

#endif
