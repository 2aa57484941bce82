/* Writes kernel expressions in terms of the constants that are to become parameters. Private to
 * refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_EXPRESSION_H
#define HT_REFACTOR_TRANSFORMATIONS_TILE_CONSTANT_TILE_EXPRESSION_H

#include "refactor/transformations/tile_constant/tile.h"

/* Returns the constant that an expression's leaf is; NULL: it is not one of them. Nodes are those
 * of the whole tree (ht_syntax_whole). */
const ht_tile *ht_tiles_leaf(const ht_tiles *tiles, const ht_syntax *leaf);
/* Returns true if the expression, or a constant that it names, depends on one of them. */
bool ht_tiles_mention(const ht_tiles *tiles, const ht_syntax *expression);
/* Returns a template expression with the constants and scalar arguments by name; NULL: it has other
 * parts. free(). */
char *ht_tiles_expression(const ht_tiles *tiles, const ht_syntax *expression);

/* Evaluates an expression with the original's constants. Returns false if it depends on anything
 * else. */
bool ht_tile_original(const ht_tiles *tiles, const char *text, int64_t *out_value);

#endif
