/* The tiled form of a kernel: a second form of its body in which a thread computes a small box of
 * outputs (a register tile). Statements that differ between outputs are in segments, with loops
 * over the outputs around them; loops and statements that are the same for all outputs of a BLOCK
 * are outside of the segments. So control flow outside of the segments is the same for all threads
 * of the block: tiles may be loaded and barriers placed there. docs/tiling.md explains it.
 *
 * The transformation `register-tile` makes the form and keeps it in the plan (ht_tiled_of). Later
 * transformations may query it, replace expressions, and insert text. All text is in the language
 * of ht_plan_edit (`${}`, `$[]`, `$?{}{}{}`).
 *
 * Inside of the form:
 * - `x`, `y`, ... have their own names in the segments and hold the index of the output, CLAMPED to
 *   the outputs that the kernel's guards let through: outputs outside compute what the nearest one
 *   inside does, and are not stored. So each index is in [origin, origin + extent) of its axis.
 * - Blocks without any output return before any part of the form runs.
 * - Everything that does not depend on an output's index is the same for all threads of the block.
 */
#ifndef HT_REFACTOR_TILED_H
#define HT_REFACTOR_TILED_H

#include "refactor/kernel/syntax.h"
#include "refactor/plan/transform.h"

typedef struct ht_tiled_axis {
    int axis;                           /* of the grid: 0 x, 1 y, 2 z */
    const ht_syntax_variable *variable; /* the variable that holds the output's index */
    const char *name;                   /* its name */
    const char *factor;  /* parameter: a thread's outputs along the axis, "COARSEN_X" */
    const char *strided; /* parameter: these are a block apart, "COARSEN_X_STRIDED" */
    const char *origin;  /* variable of the form, `const int`: the block's first output */
    char *extent;        /* a block's outputs, template expression: "BLOCK_X * COARSEN_X"; owned */
    const char *counter; /* counter of the loops over a thread's outputs */
    const char *first;   /* variable of the form: this thread's first index, not clamped */
    const char *low, *high; /* variables of the form: the block's lowest and highest index that the
                               guards let through; NULL: no guard bounds it, so all from `origin`
                               on, or up to `origin + extent - 1`, are let through */
} ht_tiled_axis;

/* A loop outside of the segments. Its control, and that of all loops and conditions around it, is
 * the same for the whole block. */
typedef struct ht_tiled_loop {
    const ht_syntax *loop;
    size_t parent; /* the loop around it; SIZE_MAX: none */
} ht_tiled_loop;

/* Text that vector-width may put in place of an inserted one. */
typedef struct ht_tiled_vector {
    const char *param; /* number of elements at once; the name is reserved */
    const char *when;  /* parameter of the inserted text */
    const char *row;   /* elements in a row, template expression; owned by the form */
    const ht_parameter *array;
    ht_position at; /* a read of the array */
    bool apart;     /* elements of a row are not next to each other in memory */
} ht_tiled_vector;

typedef struct ht_tiled_form {
    const char *param; /* "TILED" */
    const char *apart; /* parameter: threads whose outputs are all inside have a copy of the body
                          without tests for that, "EDGE_APART" */
    ht_tiled_axis axes[3];
    size_t axis_count;
    /* In addition, a thread's outputs may be along an index that is blockIdx itself (or blockIdx %
     * n, with n outputs for each blockIdx / n), for example the output channel. Then all threads of
     * a block compute `plain.factor` of them, and the blocks between return at once. `strided` is
     * NULL. Expressions that depend on this index cannot be replaced (ht_tiled_has). */
    ht_tiled_axis plain;
    bool has_plain;
    ht_tiled_loop *loops; /* outermost first, in the order of the source; owned */
    size_t loop_count;
    ht_tiled_vector *vectors; /* owned */
    size_t vector_count;
    struct ht_tiled *inside; /* private to register-tile */
} ht_tiled_form;

#endif
