/* What a recipe leaves of a plan. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_RECIPE_PLAN_H
#define HT_REFACTOR_PLAN_RECIPE_PLAN_H

#include "refactor/plan/plan.h"
#include "refactor/plan/recipe.h"

/* Restricts the parameters from `first` on, which the step's transformation added, to the step's
 * values; those that the step does not name keep their default. What the recipe asks for and the
 * transformation does not offer, free(); NULL: all is there. */
char *ht_recipe_restrict(ht_plan *plan, const ht_recipe_step *step, size_t first);

#endif
