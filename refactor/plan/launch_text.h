/* The only printer of launch geometry: expressions for a tuned source's launches, in the form in
 * which a person would write them, and exact wherever the original's are. Private to refactor/. */
#ifndef HT_REFACTOR_PLAN_LAUNCH_TEXT_H
#define HT_REFACTOR_PLAN_LAUNCH_TEXT_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/plan.h"

/* Limits of a launch: blocks along y and z, and threads of a block. */
enum { HT_GRID_ROWS_MAX = 65535, HT_BLOCK_THREADS_MAX = 1024 };

typedef enum ht_launch_part {
    HT_LAUNCH_ITEMS, /* an axis of the grid, computed from the number of items */
    HT_LAUNCH_AXIS,  /* an axis of the grid, computed from its old value */
    HT_LAUNCH_GRID,  /* the whole grid, computed from the three axes of a variable or a call */
    HT_LAUNCH_LEAF,  /* an axis of the block */
    HT_LAUNCH_BLOCK, /* all axes of the block */
    /* at the launch, where the new grid may have more blocks than a device launches: */
    HT_LAUNCH_GRID_OR_OLD,
    HT_LAUNCH_BLOCK_OR_OLD,
    HT_LAUNCH_KERNEL_OR_OLD,
    HT_LAUNCH_AHEAD,      /* declarations ahead of the launch: which of both, and block and grid */
    HT_LAUNCH_OLD_KERNEL, /* a copy of the original kernel, under another name */
    /* the same where block and grid are declared (launch_in_place.h): */
    HT_LAUNCH_BLOCK_DECLARED, /* the value of the author's block, with the `;` */
    HT_LAUNCH_BLOCK_AHEAD,    /* a declaration of the block ahead of the grid's */
    HT_LAUNCH_BLOCK_GONE,     /* the author's declaration, which then stands there */
    HT_LAUNCH_GRID_BY_BLOCK   /* an axis of the grid, for whichever block is chosen */
} ht_launch_part;

/* An edit whose text is printed once the configuration is known. */
typedef struct ht_launch_print {
    ht_launch_part part;
    const ht_grid *grid;
    const ht_launch_site *site;
    int axis;
    ht_range place;       /* the text that is replaced */
    ht_range qualifier;   /* the scopes ahead of the kernel's name: "image::"; of
                             HT_LAUNCH_BLOCK_AHEAD,   the author's "dim3 block"; may be empty */
    ht_range arguments;   /* the template arguments of the launch; may be empty */
    bool divisor_follows; /* the name in the quotient already has the new block's value */
    bool by_block;        /* the block is a variable that has the new extents where this stands */
    bool assumed;         /* the original's block is known only at run time */
    /* Names of what is declared ahead of the launch: that the new blocks fit, the block, the grid;
     * NULL: it chooses where it stands. The plan owns them. */
    const char *fits, *block, *blocks;
    bool in_place;  /* block and grid choose where they are declared, if the kernel is the same, */
    bool named;     /* the block by a declaration that is added */
    ht_range value; /* HT_LAUNCH_BLOCK_DECLARED and _AHEAD: the author's block, */
    bool bare;      /* without its type: "(16, 16)" */
} ht_launch_print;

/* Returns true if the text stands where block and grid are declared. */
static inline bool ht_launch_is_declared(const ht_launch_print *print) {
    return print->part >= HT_LAUNCH_BLOCK_DECLARED;
}

/* Returns the text, with $[ ], for a configuration; free(). NULL: it cannot be written. */
char *ht_launch_print_text(const ht_plan *plan, const ht_launch_print *print,
                           const ht_values *values);

/* The outputs of a thread along an axis. */
typedef struct ht_launch_outputs {
    int64_t count;
    char *text; /* a number or a mark of it; NULL: it is 1; owned */
} ht_launch_outputs;

/* Returns the new extent computed from the text of the old one, where the original's blocks serve
 * `block` items and the new ones `per_block`. It is exact, and its sums and products do not
 * overflow if `old` is a legal extent. `wide`: `old` has 64 bits. `small`: an int holds it and the
 * outputs of a thread (ht_extent_is_small).
 * `outputs`: may be a divisor by their text; NULL: not. free(). */
char *ht_extent_rescaled(const char *old, bool atom, bool wide, bool small, int64_t block,
                         int64_t per_block, const ht_launch_outputs *outputs);
/* Returns the number of pieces of `per` items in n, rounded up. `safe`: n + per does not overflow
 * in its type. free(). */
char *ht_extent_pieces(const char *items, bool atom, bool safe, const char *per, int64_t value);

/* launch_limits.c: ways out when the new grid has more blocks than a device launches. */
typedef enum ht_launch_fallback {
    HT_FALLBACK_NONE, /* none is needed: the new grid serves every size that the original serves */
    HT_FALLBACK_SAME, /* launch the same kernel with the original's block */
    HT_FALLBACK_COPY  /* launch the original kernel, which is kept */
} ht_launch_fallback;

/* For both printers. Returns the items as text with $[ ]; free(). NULL: they cannot be written.
 * *out_atom: they need no parentheses. */
char *ht_form_items(const ht_form *form, bool *out_atom);
/* Returns true if the dividend's type holds the new sum for each n for which it holds the
 * original's, and for which a device launches the original. `named`: addend and divisor remain
 * names. */
bool ht_form_is_safe(const ht_form *form, int axis, int64_t block, int64_t per_block, bool named);
/* Returns true if an axis of a legal grid is so small that an int holds it and `more`: along y and
 * z it has at most 65,535 blocks, and along x it may be a quotient. */
bool ht_extent_is_small(const ht_symbol *extent, int axis, int64_t more);
/* Returns true if n and an unsigned block have a sum that does not overflow. */
bool ht_form_takes_unsigned(const ht_form *form);
bool ht_launch_new_extent(const ht_plan *plan, const ht_values *values, int axis,
                          int64_t *out_per_block, int64_t *out_block);
/* Returns true if the symbol is a part of the form's own text. */
bool ht_form_has_text(const ht_form *form, const ht_symbol *symbol);
/* A part of a form's text, and its new text. */
typedef struct ht_form_leaf {
    ht_range place;
    char *text; /* borrowed or owned by the caller */
} ht_form_leaf;
/* Returns the author's text with new ones in place of the leaves; free(). */
char *ht_form_leaves_replaced(ht_range whole, const ht_form_leaf *leaves, size_t count);
/* Returns the length of the name or number at the begin of a text. */
size_t ht_launch_word_length(const char *text);
/* Returns the text for a place: in parentheses, or converted to the type that `old` had, where the
 * place needs it. Takes over `text`; free(). */
char *ht_launch_in_place(const ht_plan *plan, ht_range place, char *text, bool sum,
                         const ht_symbol *old);
/* Returns the text of an edit that shows a range with the edits inside it: "$[10,20]"; free(). */
char *ht_range_shown(ht_range place);
/* Returns the axis of the new grid, computed from `old`, the text of its old value; free(). NULL:
 * it cannot be known. */
char *ht_launch_axis_from(const ht_plan *plan, const ht_launch_print *print,
                          const ht_values *values, int axis, const char *old, bool atom);
/* Returns "1LL * grid.x * block.x % ${BLOCK_X} == 0": the new block divides the number of threads,
 * and does not have too many of them; free(). NULL: it cannot be written. */
char *ht_launch_division(const ht_plan *plan, const ht_launch_site *site, int axis);
bool ht_launch_divides(const ht_plan *plan, const ht_grid *grid, const ht_launch_site *site,
                       int axis);

#endif
