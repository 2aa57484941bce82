/* The choices offered for a kernel, as a recipe. */
#ifndef HT_REFACTOR_RECIPE_ENTRY_H
#define HT_REFACTOR_RECIPE_ENTRY_H

#include "refactor/refactor.h"

#include <jansson.h>

/* Returns a recipe's entry for a templated kernel, with all choices that its template offers; a new
 * reference. NULL: the kernel has no template. */
json_t *ht_recipe_entry_json(const ht_kernel *kernel);

#endif
