#include "refactor/transformations/tile_constant/tile_expression.h"
#include "refactor/kernel/expression.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 24, BUDGET = 20000, LENGTH_MAX = 2000 };

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
    if (node->kind == HT_SYNTAX_NAME && depth < DEPTH_MAX) {
        const ht_syntax_variable *variable = ht_syntax_named(node);
        bool fixed = variable->local ? variable->local->writes == 0 : variable->is_const;
        if (fixed && mentions(tiles, ht_syntax_initializer(variable), depth + 1, budget))
            return true;
    }
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

static bool write(const ht_tiles *tiles, const ht_syntax *expression, int depth, ht_text *out);

/* Returns true for + - * / %; tile proofs do not handle shifts. */
static bool is_written(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_BINARY && node->op >= HT_BINARY_MUL && node->op <= HT_BINARY_SUB;
}

static bool write_variable(const ht_tiles *tiles, const ht_syntax_variable *variable, int depth,
                           ht_text *out) {
    const ht_model *model = tiles->model;
    const ht_parameter *parameter = variable->parameter;
    if (parameter) {
        const char *name = ht_argument_name(model, (size_t)(parameter - model->parameters.items));
        if (!name || parameter->is_assigned)
            return false;
        ht_text_append(out, name);
        return true;
    }
    if (variable->local ? variable->local->writes > 0 : !variable->is_const)
        return false;
    const ht_syntax *value = ht_syntax_initializer(variable);
    return value && write(tiles, value, depth + 1, out);
}

static const char *tile_of_axis(const ht_tiles *tiles, int axis) {
    for (size_t i = 0; i < tiles->count; ++i)
        if (tiles->items[i].axis[axis])
            return tiles->items[i].name;
    return NULL;
}

static bool write(const ht_tiles *tiles, const ht_syntax *expression, int depth, ht_text *out) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    int64_t value;
    int axis;
    if (depth > DEPTH_MAX || out->length > LENGTH_MAX)
        return false;
    const ht_tile *leaf = ht_tiles_leaf(tiles, node);
    if (leaf) {
        ht_text_append(out, leaf->name);
        return true;
    }
    if (!ht_tiles_mention(tiles, node) && ht_syntax_constant(node, &value)) {
        ht_text_printf(out, value < 0 ? "(%lld)" : "%lld", (long long)value);
        return true;
    }
    if (ht_syntax_builtin(node, false, &axis) == HT_INDEX_BLOCK_DIM) {
        const char *name = tile_of_axis(tiles, axis);
        if (name)
            ht_text_append(out, name);
        else
            ht_text_printf(out, "%lld", (long long)tiles->model->axes[axis].block);
        return name || tiles->model->axes[axis].block > 0;
    }
    if (node->kind == HT_SYNTAX_NAME)
        return write_variable(tiles, ht_syntax_named(node), depth, out);
    if (!is_written(node))
        return false;
    ht_text_append(out, "(");
    if (!write(tiles, node->children[0], depth + 1, out))
        return false;
    ht_text_printf(out, " %s ", ht_operator_text(node->op));
    if (!write(tiles, node->children[1], depth + 1, out))
        return false;
    ht_text_append(out, ")");
    return true;
}

char *ht_tiles_expression(const ht_tiles *tiles, const ht_syntax *expression) {
    ht_text text = {0};
    if (write(tiles, expression, 0, &text) && text.length)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
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
