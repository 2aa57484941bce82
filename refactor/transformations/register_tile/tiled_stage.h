/* Changes of the tiled form by other transformations (tiled.h). Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_STAGE_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_STAGE_H

#include "refactor/plan/plan.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

/* Returns the form that register-tile made for this plan; NULL: there is none. Borrowed. */
ht_tiled_form *ht_tiled_of(const ht_plan *plan);

/* Returns the loop's index in form->loops; SIZE_MAX: it is inside of a segment, or not a loop. */
size_t ht_tiled_loop_of(const ht_tiled_form *form, const ht_syntax *loop);

/* Returns true if the expression is in a part that the form writes, in a segment or outside. False
 * for the guards, the indices' own declarations, and expressions that depend on the plain index. */
bool ht_tiled_has(const ht_tiled_form *form, const ht_syntax *expression);

/* Writes `text` in place of the expression; "$@" in it is the expression as the form would have
 * written it, earlier replacements included. Returns false if a macro writes the expression, or if
 * one around it or in it is replaced already. */
bool ht_tiled_replace(ht_tiled_form *form, const ht_syntax *expression, const char *text);
bool ht_tiled_may_replace(const ht_tiled_form *form, const ht_syntax *expression);

/* Inserts `text` (statements, with a newline before each) at the start of each iteration of a loop;
 * for HT_TILED_TOP, before the first loop or segment; for HT_TILED_FRONT, before everything that
 * runs for the thread's outputs. Several texts at a place are in the order of the calls. `wide`: an
 * alternative text (NULL: none), which ht_tiled_offer offers together with those inserted
 * before. */
enum { HT_TILED_TOP = -1, HT_TILED_FRONT = -2 };
void ht_tiled_insert(ht_tiled_form *form, long loop, const char *text, const char *wide);
void ht_tiled_offer(ht_tiled_form *form, const ht_tiled_vector *vector);
/* Replaces texts by the wide ones of an offer. */
void ht_tiled_widen(ht_tiled_form *form, size_t vector);

/* Adds a path for threads whose outputs all satisfy some conditions (`thread`; `block`: those of
 * all outputs of the block, where threads meet inside). Returns a name that is true on that path,
 * as a constant for the compiler, in replaced and inserted text, and false elsewhere. `param`: a
 * boolean parameter that turns the path on. There can be only one. The plan owns the name. */
const char *ht_tiled_inner(ht_tiled_form *form, const char *param, const char *thread,
                           const char *block);

/* Says that threads of a block meet inside of the form, at barriers in inserted text, if
 * `condition` holds, an expression over parameters: "STAGE_IN || STAGE_W". Then all take the same
 * path through it. */
void ht_tiled_meet(ht_tiled_form *form, const char *condition);

/* Writes the form again, with its replacements and insertions. Returns false if it cannot be
 * written; then it stays as it was before, without them. */
bool ht_tiled_write(ht_tiled_form *form);

/* Returns true if the node, a part of it or an expression around it was replaced. */
bool ht_tiled_is_replaced(const ht_tiled *t, const ht_syntax *node);
/* Drops the replacements and insertions of other transformations. */
void ht_tiled_forget(ht_tiled *t);

/* Returns the expression's node in the work; NULL: there is none, or it depends on the plain
 * index. */
const ht_syntax *ht_tiled_find(const ht_tiled *t, const ht_syntax *expression);

#endif
