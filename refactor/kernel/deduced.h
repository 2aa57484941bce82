/* Types that a launch's arguments give to template parameters. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_DEDUCED_H
#define HT_REFACTOR_KERNEL_DEDUCED_H

#include "refactor/kernel/facts.h"
#include "refactor/kernel/model.h"
#include "refactor/launch/launch.h"

/* Returns true if a type is spelled `name`, but for qualifiers. */
bool ht_deduced_names(CXType type, const char *name);
/* Finds the types of the kernel's parameter and of the argument that the launch gives it; of their
 * elements, where it is a pointer. Returns false after the last. */
bool ht_deduced_types(const ht_model *model, const ht_launch_site *site, size_t index,
                      CXType *out_declared, CXType *out_given);
/* Returns the name of the structure for which the kernel's template parameter `name` stands at this
 * launch: where the kernel has an argument of that type, or a pointer to it. NULL: it stands for
 * another type, or for one that no other place may name (a lambda). free(). */
char *ht_deduced_record(const ht_model *model, const ht_launch_site *site, const char *name);
/* Returns true if a template parameter whose argument is known stands for a structure at the first
 * launch. */
bool ht_deduced_is_record(const ht_model *model, const ht_template_parameter *parameter);
/* Returns true for a template parameter that the launch does not name, and that has a default. */
bool ht_template_parameter_falls_back(const ht_template_parameter *parameter);

#endif
