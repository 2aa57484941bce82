/* The tiled form of a kernel: a second form of its body in which a thread computes a small box of
 * outputs (register tile), written as loops over the outputs around what differs between them,
 * while loops and statements that are the same for all outputs of a BLOCK stay outside. So control
 * flow outside of the segments is the same for all threads of the block: tiles may be loaded and
 * barriers placed there. docs/tiling.md explains it.
 *
 * The transformation `register-tile` makes the form and keeps it in the plan (ht_tiled_of).
 * Transformations that run after it may ask about it, replace expressions, and insert text. All
 * text is in the language of ht_plan_edit (`${}`, `$[]`, `$?{}{}{}`).
 *
 * What holds inside of the form:
 * - `x`, `y`, ... have their own names in the segments and hold the index of the output, CLAMPED to
 *   the outputs that the kernel's guards let through: outputs outside compute what the nearest one
 *   inside does, and are not stored. So each index lies in [origin, origin + extent) of its axis.
 * - Blocks without any output have left before anything of it is run.
 * - Everything that does not depend on an output's index is the same for all threads of the block.
 */
#ifndef HT_REFACTOR_TILED_H
#define HT_REFACTOR_TILED_H

#include "refactor/plan/transform.h"

typedef struct ht_tiled_axis {
    int axis;            /* of the grid: 0 x, 1 y, 2 z */
    CXCursor variable;   /* the VarDecl that holds the index of the output */
    const char *name;    /* its name */
    const char *factor;  /* parameter: outputs of a thread along it, "COARSEN_X" */
    const char *strided; /* parameter: they are a block apart, "COARSEN_X_STRIDED" */
    const char *origin;  /* a variable of the form, `const int`: the first output of the block */
    char *extent;        /* outputs of a block, template expression: "BLOCK_X * COARSEN_X"; owned */
    const char *counter; /* of the loops over a thread's outputs */
    const char *first;   /* a variable of the form: this thread's first index, not clamped */
    const char *low, *high; /* variables of the form: the block's lowest and highest index that the
                               guards let through; NULL where there is nothing that bounds them:
                               then all from `origin` on, or up to `origin + extent - 1`, are */
} ht_tiled_axis;

/* A loop that stands outside of the segments. Its control is the same for the whole block, and so
 * is that of all that stands around it. */
typedef struct ht_tiled_loop {
    CXCursor loop;  /* the statement */
    size_t parent;  /* the loop around it; SIZE_MAX: none */
    bool has_inner; /* another one stands inside */
} ht_tiled_loop;

/* Text that vector-width may put in place of what was inserted. */
typedef struct ht_tiled_vector {
    const char *param; /* how many elements at once; its name is kept free */
    const char *when;  /* the parameter of what was inserted */
    const char *row;   /* the elements in a row, template expression; kept by the form */
    CXCursor array;    /* the kernel's parameter */
    CXCursor at;       /* a read of it */
    bool apart;        /* elements of a row do not lie side by side */
} ht_tiled_vector;

typedef struct ht_tiled_form {
    const char *param; /* "TILED" */
    ht_tiled_axis axes[3];
    size_t axis_count;
    /* Besides these, the outputs of a thread may lie along an index that is blockIdx itself (or
     * blockIdx % n, with n outputs of each blockIdx / n), the output channel, say: then all of a
     * block's threads compute `plain.factor` of them, and blocks in between leave at once.
     * `strided` is NULL; expressions that depend on it cannot be replaced (ht_tiled_has). */
    ht_tiled_axis plain;
    bool has_plain;
    ht_tiled_loop *loops; /* outermost first, in the order of the source; owned */
    size_t loop_count;
    ht_tiled_vector *vectors; /* owned */
    size_t vector_count;
    struct ht_tiled *inside; /* register-tile's own */
} ht_tiled_form;

/* The form that register-tile has made for this plan; NULL: there is none. Borrowed. */
ht_tiled_form *ht_tiled_of(const ht_plan *plan);

/* The loop's place in form->loops; SIZE_MAX when it stands inside of a segment (or is not a loop).
 */
size_t ht_tiled_loop_of(const ht_tiled_form *form, CXCursor loop);

/* Returns true if this expression stands in a part that the form writes (in a segment or outside).
 * False for the guards, the indices' own declarations, and what depends on the plain index. */
bool ht_tiled_has(const ht_tiled_form *form, CXCursor expression);

/* Where the form writes the expression, `text` stands instead; "$@" in it is the expression as the
 * form would have written it, with what it was replaced by before. False when the expression comes
 * out of a macro, or one around it or in it is replaced already. */
bool ht_tiled_replace(ht_tiled_form *form, CXCursor expression, const char *text);
bool ht_tiled_may_replace(const ht_tiled_form *form, CXCursor expression);

/* Puts `text` (statements, with a newline in front of each) at the start of each iteration of a
 * loop; for HT_TILED_TOP, in front of the first loop or segment; for HT_TILED_FRONT, in front of
 * all that is run for the thread's outputs. Several at one place stand in the order of the calls.
 * `wide`: what may stand there instead (NULL: nothing), offered with those before it by
 * ht_tiled_offer. */
enum { HT_TILED_TOP = -1, HT_TILED_FRONT = -2 };
void ht_tiled_insert(ht_tiled_form *form, long loop, const char *text, const char *wide);
void ht_tiled_offer(ht_tiled_form *form, const ht_tiled_vector *vector);
/* Puts the wide texts of an offer in place. */
void ht_tiled_widen(ht_tiled_form *form, size_t vector);

/* ---- statements of one's own that are run for each output of a thread (tiled_each.c) ---- */

/* Could the expression be evaluated at the start of `place` (as for ht_tiled_insert) for an output,
 * with the value that its names have where it stands? NULL: yes; else why not. */
const char *ht_tiled_why_not_at(const ht_tiled_form *form, CXCursor expression, long place);
/* Returns true if it is evaluated whenever the place is reached, for each output. */
bool ht_tiled_always_runs(const ht_tiled_form *form, CXCursor expression, long place);
/* The expression in the language of ht_plan_edit, free(); NULL: a macro writes it. */
char *ht_tiled_source(const ht_tiled_form *form, CXCursor expression);
/* For arrays with an element for each output that tells the expression's value from others': the
 * dimensions "[COARSEN_Y][COARSEN_X]" and the place in it "[ty][tx]". free() both. */
void ht_tiled_places(const ht_tiled_form *form, CXCursor expression, char **out_dimensions,
                     char **out_place);
/* Puts a segment of its own at `place`: `text`, for each such output, with the indices and
 * constants that the expression (one that stands for all in `text`) names; where `condition` holds.
 */
void ht_tiled_insert_each(ht_tiled_form *form, long place, CXCursor expression,
                          const char *condition, const char *text);

/* Returns true if a variable is written only where outputs need it, computed anew. */
bool ht_tiled_computes_again(const ht_tiled_form *form, CXCursor variable);

/* ---- a way of its own for threads inside (tiled_stage.c) ---- */

/* Where the conditions hold for a thread's outputs (`thread`; `block`: for all of the block's,
 * asked where threads meet inside), the name that is returned is true, a constant for the compiler,
 * in what is replaced and inserted; elsewhere it is false. `param`: whether there is such a way, a
 * boolean parameter. Only one. The name is the plan's. */
const char *ht_tiled_inner(ht_tiled_form *form, const char *param, const char *thread,
                           const char *block);
/* This thread's (the block's) last output along one of form->axes, "x_first + 3 * x_apart"; free().
 */
char *ht_tiled_last(const ht_tiled_form *form, size_t axis, bool block);

/* ---- walking (tiled_stream.c) ---- */

/* Of an axis with one output a thread: `param` outputs of a thread along it are computed one after
 * the other, in a loop around all else. `fresh` is a variable of the form: true in the first of
 * them. NULL as `param` takes it back. */
void ht_tiled_walk(ht_tiled_form *form, size_t axis, const char *param, const char *fresh);

/* Threads of a block meet inside of the form (at barriers in inserted text) when `condition`, an
 * expression over parameters, holds: "STAGE_IN || STAGE_W". Then all take the same way through it.
 */
void ht_tiled_meet(ht_tiled_form *form, const char *condition);

/* From now on neighbouring outputs' elements are one access where they can be, `param` of them.
 * False: nowhere; *out_why (NULL: there is no access at all) and *out_at say what the first one
 * lacks. */
bool ht_tiled_pack(ht_tiled_form *form, const char *param, const char **out_why, CXCursor *out_at);

/* Writes the form anew, with what was replaced and inserted. False: it cannot be written so, and
 * stands as it was before; nothing is replaced or inserted then. */
bool ht_tiled_write(ht_tiled_form *form);

/* For the plan. */
void ht_tiled_free(ht_tiled_form *form);

#endif
