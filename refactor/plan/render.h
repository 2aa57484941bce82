/* Renders source text with a plan's edits, for the template (names) or for an applied source
 * (values). */
#ifndef HT_REFACTOR_PLAN_RENDER_H
#define HT_REFACTOR_PLAN_RENDER_H

#include "refactor/plan/plan.h"

/* Renders a range with the plan's edits and appends it to `out`. Returns the edit inside the range
 * that would be lost, or the expression that cannot be printed; NULL: there is none. free(). */
char *ht_plan_render(const ht_plan *plan, ht_range range, const ht_values *values, ht_text *out);
/* The plan's edits for an applied source, as replacements that do not overlap, in the order of
 * their places. Free each text, then the array. Returns what ht_plan_render does. */
typedef struct ht_replacement {
    ht_range range;
    char *text;
    size_t owner; /* for the caller; 0 */
    size_t order; /* the same */
} ht_replacement;
char *ht_plan_flatten(const ht_plan *plan, const ht_values *values, ht_replacement **out_list,
                      size_t *out_count);
/* Returns true if the kernel of an applied source has values of one of these parameters ("A,B"). */
bool ht_plan_kernel_names(const ht_plan *plan, const ht_values *values, const char *names);

/* Evaluates an expression over parameters. Returns false if it has no value. */
bool ht_plan_value(const ht_values *values, const char *expression, int64_t *out_value);

#endif
