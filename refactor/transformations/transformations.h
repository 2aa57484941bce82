/* The list of transformations, and its run over a kernel. To add one: a file with an
 * ht_transformation, a declaration in transform.h, a line here. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_TRANSFORMATIONS_H
#define HT_REFACTOR_TRANSFORMATIONS_TRANSFORMATIONS_H

#include "refactor/plan/transform.h"

size_t ht_transformation_count(void);
/* Runs all transformations except those left out. */
void ht_plan_run(ht_plan *plan);

/* Returns the advice of the index-th transformation of the list, and its name; NULL: there are no
 * more. */
const ht_searched *ht_searched_at(size_t index, const char **out_transformation);
/* Returns the advice of the transformation that added a parameter; NULL: none did. */
const ht_searched *ht_searched_of(const char *transformation);
/* Returns the set of the named transformations, for ht_refactor_options.without. An unknown name is
 * HT_ERROR_INPUT; the message lists those that exist. */
ht_status ht_transformations_without(const char *const *names, size_t count, unsigned *out_without,
                                     ht_error *error);
/* Returns true if the transformation exports the prefix. */
bool ht_searched_exports(const ht_searched *searched, const char *prefix);

#endif
