/* Kernels that are already parameterized in the way that tuners use: by macros that are defined
 * unless the compiler's command line defines them. Private to refactor/. */
#ifndef HT_REFACTOR_UNIT_EXISTING_H
#define HT_REFACTOR_UNIT_EXISTING_H

#include "refactor/kernel/model.h"

/* Returns the macros "NAME (VALUE), ..." defined under #ifndef that shape the kernel's
 * block, and the others of this kind that it uses; NULL: no such macro shapes the block. free(). */
char *ht_existing_parameters(const ht_model *model);

#endif
