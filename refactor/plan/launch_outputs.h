/* Grids of threads that compute several outputs each. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_OUTPUTS_H
#define HT_REFACTOR_PLAN_LAUNCH_OUTPUTS_H

#include "refactor/plan/launch_text.h"

/* Reads the outputs of a thread along an axis; free the text. */
ht_launch_outputs ht_launch_outputs_read(const ht_plan *plan, const ht_values *values, int axis);
/* Returns true if the items are threads with two outputs each or more: their number is far below
 * the limits of its type. */
bool ht_launch_outputs_halve(const ht_plan *plan, const ht_values *values, const ht_form *form,
                             int axis);
/* Returns the mark of a number that stands for a macro or a constant of the author's, whose
 * definition may change with it; free(). NULL: none stands there. */
char *ht_launch_macro_mark(const ht_plan *plan, const ht_values *values, const ht_symbol *leaf,
                           int64_t number);
/* Returns the text of a variable of the author's that stands there and has this value; free().
 * NULL: none does. */
char *ht_launch_name_kept(const ht_plan *plan, const ht_symbol *leaf, int64_t number);
/* Returns CEIL_DIV(n, 512LL): the author's macro, whose sum then has 64 bits; free(). NULL: it is
 * not such a macro. */
char *ht_launch_macro_text(const ht_plan *plan, const ht_form *form, int64_t per_block);
/* Returns the blocks for `items` as a person writes them: CEIL_DIV(n, 4 * THREADS) or
 * (n + 4 * threads - 1) / (4 * threads) where the sum cannot overflow; else the threads are rounded
 * up first, and blocks of them: ((n + 3) / 4 + threads - 1) / threads is the same number, and its
 * sums are small. free(). NULL: it cannot be written so. */
char *ht_launch_outputs_divided(const ht_plan *plan, const ht_launch_print *print,
                                const ht_values *values, int64_t per_block, int64_t block,
                                const char *items);
/* The same at a launch where the new block is a number. */
char *ht_launch_outputs_pieces(const ht_plan *plan, const ht_launch_print *print,
                               const ht_values *values, int axis, const char *items);
/* Returns (n + 4 * block.x - 1) / (4 * block.x) for an axis where the author has numbers, and the
 * block is a variable that is declared ahead (print->by_block): an unsigned sum, which holds any n
 * of an int. free(). NULL: numbers stay, since no thread of the launch has several outputs, or n is
 * unsigned. */
char *ht_launch_by_block(const ht_plan *plan, const ht_launch_print *print,
                         const ht_values *values);
/* Returns the grid of blocks that serve as many items as before with fewer threads, where the
 * author has a constant for both: with marks that become 4 * BLOCK where its definition changes to
 * the new number of threads, and else stay BLOCK. free(). NULL: the author's text is right. */
char *ht_launch_tile_marks(const ht_plan *plan, const ht_launch_print *print,
                           const ht_values *values, int64_t block);
/* For tuned sources whose grid divides by the outputs of a thread and the block at once, where both
 * are parameters again (refactor/kernel/geometry_joined.h). Returns true if the axis's text can be
 * written for any outputs and blocks. */
bool ht_launch_joined_can(const ht_form *form);
/* Returns such an axis; free(). NULL: it cannot be written. */
char *ht_launch_joined_text(const ht_plan *plan, const ht_launch_print *print,
                            const ht_values *values);

#endif
