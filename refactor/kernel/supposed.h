/* Block and grid for a kernel that nothing launches. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_SUPPOSED_H
#define HT_REFACTOR_KERNEL_SUPPOSED_H

#include "refactor/kernel/model.h"

/* Makes an entry that has block and grid alone: usual blocks, and as many as the kernel's guards
 * let through, or half as many as a loop over the whole grid has iterations for. NULL unless every
 * launch whose grid covers the guards computes the same, or any launch at all: threads differ by
 * guarded global indices alone, or share out the iterations of one such loop (grid_stride.h), and
 * share nothing else. ht_supposed_free(). */
ht_problem_entry *ht_supposed_make(const ht_model *model);
/* Returns a launch of one block of 256 threads in a line, to see what a kernel makes of it; free
 * with ht_supposed_free. */
ht_problem_entry *ht_supposed_line(void);
void ht_supposed_free(ht_problem_entry *entry);

#endif
