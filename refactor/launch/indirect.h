/* Launches that do not name their kernel: by a function that is passed it, by a variable that holds
 * it, by hipLaunchKernel. Private to refactor/. */
#ifndef HT_REFACTOR_LAUNCH_INDIRECT_H
#define HT_REFACTOR_LAUNCH_INDIRECT_H

#include "refactor/launch/launch.h"

/* Appends such launches of `kernel`. None of them can be edited: they are as those that a macro
 * writes. One whose grid, block or arguments are computed by the function that is passed the kernel
 * is left out. */
void ht_launches_add_indirect(const ht_source *source, CXCursor kernel, ht_launches *launches);

#endif
