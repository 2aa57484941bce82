/* `refactor --recipe` and `--save-recipe`, over the rows of a tree. */
#ifndef HT_PIPELINE_RECIPES_H
#define HT_PIPELINE_RECIPES_H

#include "refactor/plan/recipe.h"

/* Writes the chains of all templated kernels; rows carry them as "recipe". Of kernels of one name
 * the first counts. Returns an exit code; an error is printed. */
int ht_recipe_save(const char *path, const json_t *rows);
/* Tells each kernel of the recipe that was not found, or whose template could not be made as the
 * recipe asks. Returns an exit code. */
int ht_recipe_check(const ht_recipe *recipe, const json_t *rows);

#endif
