/* What was offered for a kernel, as a recipe. */
#ifndef HT_REFACTOR_RECIPE_ENTRY_H
#define HT_REFACTOR_RECIPE_ENTRY_H

#include "refactor/refactor.h"

#include <jansson.h>

/* A recipe's entry for a templated kernel, with all that its template offers; a new reference. NULL
 * for others. */
json_t *ht_recipe_entry_json(const ht_kernel *kernel);

#endif
