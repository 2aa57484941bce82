/* Statements that another transformation inserts for each output of a thread: finds out which
 * expressions may be evaluated at the place (tiled.h). Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_EACH_H
#define HT_REFACTOR_TRANSFORMATIONS_REGISTER_TILE_TILED_EACH_H

#include "refactor/transformations/register_tile/tiled.h"

/* Returns why the expression cannot be evaluated for an output at the start of `place` (as for
 * ht_tiled_insert) with the values that its names have at its own place; NULL: it can. */
const char *ht_tiled_why_not_at(const ht_tiled_form *form, const ht_syntax *expression, long place);
/* Returns true if the expression is evaluated for each output whenever the place is reached. */
bool ht_tiled_always_runs(const ht_tiled_form *form, const ht_syntax *expression, long place);
/* Returns the expression in the language of ht_plan_edit, free(); NULL: a macro writes it. */
char *ht_tiled_source(const ht_tiled_form *form, const ht_syntax *expression);
/* Returns the dimensions "[COARSEN_Y][COARSEN_X]" of an array with an element for each output for
 * which the expression may differ, and the current output's place in it, "[ty][tx]". free()
 * both. */
void ht_tiled_places(const ht_tiled_form *form, const ht_syntax *expression, char **out_dimensions,
                     char **out_place);
/* Inserts a segment at `place`: `text` for each such output, with the indices and constants that
 * the expression names (it stands for all in `text`), in configurations where `condition` holds. */
void ht_tiled_insert_each(ht_tiled_form *form, long place, const ht_syntax *expression,
                          const char *condition, const char *text);

/* Returns true if a variable is computed anew where outputs need it, and written nowhere else. */
bool ht_tiled_computes_again(const ht_tiled_form *form, size_t variable);

#endif
