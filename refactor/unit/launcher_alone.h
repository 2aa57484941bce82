/* Functions whose comments speak of one kernel. Private to refactor/unit. */
#ifndef HT_REFACTOR_UNIT_LAUNCHER_ALONE_H
#define HT_REFACTOR_UNIT_LAUNCHER_ALONE_H

#include "refactor/kernel/model.h"

/* Finds the function around the index-th launch, with the comment above it, in the kernel's file.
 * Returns false if it launches another kernel, too, or was found for an earlier launch. */
bool ht_launcher_alone(const ht_model *model, size_t index, ht_range *out_range);

#endif
