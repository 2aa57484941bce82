#include "refactor/transformations/tile_constant/tile_expression.h"
#include "refactor/kernel/expression.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 24, BUDGET = 20000 };

const ht_tile *ht_tiles_leaf(const ht_tiles *tiles, const ht_syntax *leaf) {
    const ht_syntax *node = ht_syntax_strip_whole(leaf);
    if (node->kind != HT_SYNTAX_CONSTANT && node->kind != HT_SYNTAX_NAME)
        return NULL;
    const ht_macro *macro = ht_syntax_is_literal(node) ? ht_syntax_macro(node) : NULL;
    for (size_t i = 0; i < tiles->count; ++i) {
        const ht_tile *tile = &tiles->items[i];
        if (tile->kind == HT_TILE_MACRO ? macro && tile->macro == macro
                                        : tile->variable && tile->variable->index == node->variable)
            return tile;
    }
    return NULL;
}

/* Returns true if the expression depends on one of the constants. `budget`: nodes that may still be
 * visited; once it is spent, the answer is true. */
static bool mentions(const ht_tiles *tiles, const ht_syntax *node, int depth, int *budget) {
    int axis;
    if (!node)
        return false;
    if (--*budget < 0 || ht_tiles_leaf(tiles, node) ||
        ht_syntax_builtin(node, false, &axis) == HT_INDEX_BLOCK_DIM)
        return true;
    if (node->kind == HT_SYNTAX_NAME && depth < DEPTH_MAX &&
        mentions(tiles, ht_syntax_fixed(ht_syntax_named(node)), depth + 1, budget))
        return true;
    for (size_t i = 0; i < node->count; ++i)
        if (mentions(tiles, node->children[i], depth, budget))
            return true;
    return false;
}

bool ht_tiles_mention(const ht_tiles *tiles, const ht_syntax *expression) {
    int budget = BUDGET;
    return mentions(tiles, expression, 0, &budget);
}

/* ---- writing ---- */

/* Returns true for + - * / %; tile proofs do not handle shifts. */
static bool is_written(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_BINARY && node->op >= HT_BINARY_MUL && node->op <= HT_BINARY_SUB;
}

static const char *tile_of_axis(const ht_tiles *tiles, int axis) {
    for (size_t i = 0; i < tiles->count; ++i)
        if (tiles->items[i].axis[axis])
            return tiles->items[i].name;
    return NULL;
}

/* Writes a constant of the block under its parameter's name. Expressions that depend on one
 * are no numbers. */
static ht_word word_of(const ht_syntax *node, const void *context, ht_text *out) {
    const ht_tiles *tiles = context;
    const ht_tile *leaf = ht_tiles_leaf(tiles, node);
    int64_t value;
    int axis;
    if (leaf) {
        ht_text_append(out, leaf->name);
        return HT_WORD_WRITTEN;
    }
    if (ht_syntax_builtin(node, false, &axis) == HT_INDEX_BLOCK_DIM) {
        const char *name = tile_of_axis(tiles, axis);
        if (name)
            ht_text_append(out, name);
        else
            ht_text_printf(out, "%lld", (long long)tiles->model->axes[axis].block);
        return name || tiles->model->axes[axis].block > 0 ? HT_WORD_WRITTEN : HT_WORD_UNKNOWN;
    }
    bool parts = ht_tiles_mention(tiles, node);
    if (!parts && ht_syntax_constant(node, &value))
        return HT_WORD_NONE;
    if (node->kind != HT_SYNTAX_NAME && !is_written(node))
        return HT_WORD_UNKNOWN;
    return parts ? HT_WORD_PARTS : HT_WORD_NONE;
}

char *ht_tiles_expression(const ht_tiles *tiles, const ht_syntax *expression) {
    return ht_syntax_expression_with(expression, word_of, tiles);
}

/* ---- values ---- */

static bool lookup_tile(const void *context, const char *name, int64_t *out_value) {
    const ht_tiles *tiles = context;
    for (size_t i = 0; i < tiles->count; ++i)
        if (strcmp(tiles->items[i].name, name) == 0) {
            *out_value = tiles->items[i].value;
            return true;
        }
    return false;
}

bool ht_tile_original(const ht_tiles *tiles, const char *text, int64_t *out_value) {
    ht_scope scope = {.lookup = lookup_tile, .context = tiles};
    return ht_expr_text_value(text, &scope, out_value);
}
