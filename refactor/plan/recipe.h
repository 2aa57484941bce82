/* Recipes: a chosen chain of transformations for each kernel, with their parameters and the values
 * that these may take, written once and replayed later. docs/refactor-command.md describes the
 * file. */
#ifndef HT_REFACTOR_PLAN_RECIPE_H
#define HT_REFACTOR_PLAN_RECIPE_H

#include "base/error.h"

#include <jansson.h>

typedef struct ht_recipe_param {
    char *name;    /* owned */
    char **values; /* as the compiler reads them: "16", "true", "ROWS"; owned; at least one */
    size_t value_count;
} ht_recipe_param;

typedef struct ht_recipe_step {
    char *transformation; /* owned */
    ht_recipe_param *params;
    size_t param_count;
} ht_recipe_step;

typedef struct ht_recipe_kernel {
    char *kernel; /* qualified or not; owned */
    ht_recipe_step *steps;
    size_t step_count; /* in the order in which they run */
} ht_recipe_kernel;

typedef struct ht_recipe {
    ht_recipe_kernel *kernels; /* at least one, of different names */
    size_t kernel_count;
} ht_recipe;

/* Errors are HT_ERROR_INPUT and name the place in the file: "kernels[0].transformations[1]: ...".
 * `path` is for messages. The caller frees the recipe. */
ht_status ht_recipe_parse(const char *text, const char *path, ht_recipe **out_recipe,
                          ht_error *error);
ht_status ht_recipe_load(const char *path, ht_recipe **out_recipe, ht_error *error);
void ht_recipe_free(ht_recipe *recipe);

/* Returns the entry of a kernel; NULL: it has none. */
const ht_recipe_kernel *ht_recipe_find(const ht_recipe *recipe, const char *kernel);
/* Returns the step of a transformation; NULL: it is not to run. */
const ht_recipe_step *ht_recipe_step_find(const ht_recipe_kernel *kernel,
                                          const char *transformation);

/* Returns the document around such entries. Borrows the array. */
json_t *ht_recipe_document(json_t *entries);

#endif
