/* The one printer of launch geometry: what a tuned source launches, as a person would write it, and
 * exact wherever the original launch is. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_TEXT_H
#define HT_REFACTOR_PLAN_LAUNCH_TEXT_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

typedef enum ht_launch_part {
    HT_LAUNCH_ITEMS, /* an axis of the grid, from the number of items, in place of its quotient */
    HT_LAUNCH_AXIS,  /* an axis of the grid, from what it was */
    HT_LAUNCH_GRID,  /* the launch's grid, from a variable's or a call's three axes */
    HT_LAUNCH_LEAF,  /* an axis of the block */
    HT_LAUNCH_BLOCK, /* all axes of the block */
    /* at the launch, where another grid may be more than a device launches: */
    HT_LAUNCH_GRID_OR_OLD,
    HT_LAUNCH_BLOCK_OR_OLD,
    HT_LAUNCH_KERNEL_OR_OLD,
    HT_LAUNCH_OLD_KERNEL /* the original kernel once more, under another name */
} ht_launch_part;

/* What an edit prints once the configuration is known. */
typedef struct ht_launch_print {
    ht_launch_part part;
    const ht_grid *grid;
    const ht_launch_site *site;
    int axis;
    ht_range place;       /* what is replaced */
    ht_range qualifier;   /* what stands ahead of the kernel's name: "image::"; may be empty */
    ht_range arguments;   /* of the kernel's template, as launched; may be empty */
    bool divisor_follows; /* the name in the quotient takes the new block's value by itself */
    bool assumed;         /* the original's block is known at run time alone */
} ht_launch_print;

/* An edit of the place by this print; `key` tells it from other prints there. The print is copied.
 */
bool ht_plan_print(ht_plan *plan, ht_range range, const char *param, const char *key,
                   const ht_launch_print *print, bool around);
/* Text with $[ ] for a configuration; free(). NULL: it cannot be written. */
char *ht_launch_print_text(const ht_plan *plan, const ht_launch_print *print,
                           const ht_values *values);

/* The new extent where `old` was it, in blocks of `block` of which `per_block` are to be covered by
 * one: exact, and without a sum or product that overflows where `old` is a legal extent. `wide`:
 * `old` has 64 bits. free(). */
char *ht_extent_rescaled(const char *old, bool atom, bool wide, bool is_unsigned, int64_t block,
                         int64_t per_block);
/* n items in pieces of `per`, rounded up. `safe`: n + per does not overflow in its type. free(). */
char *ht_extent_pieces(const char *items, bool atom, bool safe, const char *per, int64_t value);

/* launch_limits.c: grids of smaller blocks may have more blocks than devices launch. */
typedef enum ht_launch_fallback {
    HT_FALLBACK_NONE, /* every size that the original serves is served */
    HT_FALLBACK_SAME, /* the kernel works with the original's block, too */
    HT_FALLBACK_COPY  /* the original kernel is kept */
} ht_launch_fallback;

ht_launch_fallback ht_launch_fallback_of(const ht_plan *plan, const ht_grid *grid,
                                         const ht_values *values);
/* Returns true if the launch must ask for the number of blocks along an axis. */
bool ht_launch_asks(const ht_plan *plan, const ht_grid *grid, const ht_values *values, int axis);
/* "h <= 65535": the new launch is within limits; free(). NULL: it always is. */
char *ht_launch_test(const ht_plan *plan, const ht_launch_print *print, const ht_values *values);
/* Edits at the launches that choose, and requires for configurations where nothing can. */
void ht_launch_limits(ht_plan *plan, const ht_grid *grid);

/* The parts that both use: items as text with $[ ], free(); NULL: they cannot be written. `atom`:
 * needs no parentheses. */
char *ht_form_items(const ht_form *form, bool *out_atom);
/* Returns true if the dividend's type holds n and what is added to it, for each n of which it holds
 * what the original adds. `named`: its addend and divisor go on to be names. */
bool ht_form_is_safe(const ht_form *form, int64_t block, int64_t per_block, bool named);
bool ht_launch_new_extent(const ht_plan *plan, const ht_values *values, int axis,
                          int64_t *out_per_block, int64_t *out_block);
/* A range with the edits inside it, as an edit's text names it: "$[10,20]"; free(). */
char *ht_range_shown(ht_range place);
/* The axis of the new grid from `old`, the text of what it was; free(). NULL: it cannot be known.
 */
char *ht_launch_axis_from(const ht_plan *plan, const ht_launch_print *print,
                          const ht_values *values, int axis, const char *old, bool atom);
/* "1LL * grid.x * block.x % ${BLOCK_X} == 0": the new block divides the number of threads, and
 * there are not too many of them; free(). NULL: cannot be written. */
char *ht_launch_division(const ht_plan *plan, const ht_launch_site *site, int axis);
bool ht_launch_divides(const ht_plan *plan, const ht_grid *grid, const ht_launch_site *site,
                       int axis);

#endif
