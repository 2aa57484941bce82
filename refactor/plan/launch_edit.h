/* What of the host's text belongs to one kernel's launches. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_EDIT_H
#define HT_REFACTOR_PLAN_LAUNCH_EDIT_H

#include "refactor/plan/plan.h"

/* Returns true if this text serves only the block and grid of this kernel's launches. */
bool ht_launch_owns(const ht_plan *plan, ht_range place);
/* The constant `name` takes its new value at its definition: launches that name it follow by
 * themselves. */
void ht_plan_follow(ht_plan *plan, const char *name);

/* launch_stack.c: */
bool ht_extent_is_record(CXCursor variable);
/* Returns true if a value that stands for what is known at run time alone takes part. */
bool ht_symbol_is_assumed(const ht_symbol *symbol);
/* Text of one axis of what the source launches, to stand at the launch; free(). NULL: it cannot be
 * written there. */
char *ht_launch_axis_text(const ht_model *model, const ht_extent3 *extent, int axis);
/* "dim3(64, 4)": the axes up to `last`; free(). */
char *ht_dim3_text(char *const axes[3], int last);
/* The kernel's name with its template arguments, as the launch writes it, and these alone; false:
 * the launch does not give all of them. */
bool ht_launch_name_place(const ht_model *model, const ht_launch_site *site, ht_range *out_place,
                          ht_range *out_arguments);
/* Blocks that lie in one: at the launch, since whether they do depends on its grid. */
bool ht_launch_edit_stacked(ht_plan *plan, const ht_launch_site *site);
/* Several times the bytes, where blocks take more than they did. */
bool ht_launch_edit_lds(ht_plan *plan, const ht_launch_site *site);

#endif
