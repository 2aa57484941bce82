/* Launcher functions for kernels whose launch is not in the file. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCHER_H
#define HT_REFACTOR_LAUNCHER_H

#include "refactor/geometry.h"

/* `static inline void NAME_tuned_launch(arguments..., hipStream_t stream = 0)` for one
 * configuration; free(). NULL with *out_problem (free()) when the geometry cannot be written as C.
 */
char *ht_plan_launcher(const ht_plan *plan, const ht_grid *grid, const ht_values *values,
                       char **out_problem);

#endif
