/* Structures that a launch's arguments give to template parameters. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_DEDUCED_H
#define HT_REFACTOR_KERNEL_DEDUCED_H

#include "refactor/kernel/model.h"
#include "refactor/launch/launch.h"

/* Returns the name of the structure for which the kernel's template parameter `name` stands at this
 * launch: where the kernel has an argument of that type, or a pointer to it. NULL: it stands for
 * another type, or for one that no other place may name (a lambda). free(). */
char *ht_deduced_record(const ht_model *model, const ht_launch_site *site, const char *name);

#endif
