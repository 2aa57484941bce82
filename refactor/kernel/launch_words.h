/* Texts of what a source launches. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_LAUNCH_WORDS_H
#define HT_REFACTOR_KERNEL_LAUNCH_WORDS_H

#include "refactor/kernel/facts.h"

/* Returns true if the extent's variable is a dim3, or another record. */
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
/* ht_launch_axis_text, and "1" for an axis that is not written; free(). */
char *ht_extent_text(const ht_model *model, const ht_extent3 *extent, int axis);
/* Returns true if all launches have texts of all extents that are written, to be used again at the
 * launch. */
bool ht_launch_says_extents(const ht_model *model);

#endif
