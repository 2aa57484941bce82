/* Restricts a plan to a recipe. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_RECIPE_PLAN_H
#define HT_REFACTOR_PLAN_RECIPE_PLAN_H

#include "refactor/plan/plan.h"
#include "refactor/plan/recipe.h"

/* Restricts the parameters from index `first` on, which the step's transformation added, to the
 * step's values; a parameter that the step does not name keeps its default. Returns the step's
 * first wish that the transformation does not offer, as a message; free(). NULL: it offers all. */
char *ht_recipe_restrict(ht_plan *plan, const ht_recipe_step *step, size_t first);

#endif
