/* Texts of launch expressions. Private to refactor/. */
#ifndef HT_REFACTOR_KERNEL_LAUNCH_WORDS_H
#define HT_REFACTOR_KERNEL_LAUNCH_WORDS_H

#include "refactor/kernel/facts.h"

/* Returns true if the extent's variable is a dim3, or another record. */
bool ht_extent_is_record(CXCursor variable);
/* Returns true if the symbol depends on a value that stands for one known only at run time. */
bool ht_symbol_is_assumed(const ht_symbol *symbol);
/* Returns the text of one axis of a launch's extent, valid at the launch; free(). NULL: it cannot
 * be written there. */
char *ht_launch_axis_text(const ht_model *model, const ht_extent3 *extent, int axis);
/* Returns "dim3(64, 4)": the axes up to `last`; free(). */
char *ht_dim3_text(char *const axes[3], int last);
/* Finds the kernel's name with its template arguments as the launch writes them, and the arguments
 * alone. Returns false if the launch does not give all of them. */
bool ht_launch_name_place(const ht_model *model, const ht_launch_site *site, ht_range *out_place,
                          ht_range *out_arguments);
/* Returns ht_launch_axis_text, or "1" for an axis that is not written; free(). */
char *ht_extent_text(const ht_model *model, const ht_extent3 *extent, int axis);
/* Returns true if every launch writes every extent in a form that can be repeated at the launch. */
bool ht_launch_says_extents(const ht_model *model);

/* Returns true for NAME(...), a call of a function, which needs no parentheses. */
bool ht_launch_is_call(const ht_model *model, ht_range place);

#endif
