#include "refactor/transformations/tile_constant/tile_indices.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/tile_constant/tile.h"
#include "refactor/transformations/tile_constant/tile_expression.h"

#include <stdlib.h>

enum { FACTORS_MAX = 16, DEPTH_MAX = 64 };

typedef struct looking {
    const ht_tiles *tiles;
    ht_plan *plan;
    bool *exact;  /* by axis: the number of threads along it matters */
    bool seen[3]; /* the axis numbers tiles */
    bool good;
} looking;

/* The factors by which an expression is multiplied further out. */
typedef struct scale {
    unsigned axes;  /* the axes whose extents are among the factors, as bits */
    size_t extents; /* factors that come from the block */
} scale;

static void refuse(looking *in, const ht_syntax *node, const char *words) {
    if (in->good)
        ht_plan_remark_place(in->plan, HT_REMARK_MISSED, node->at, "%s", words);
    in->good = false;
}

static void look(looking *in, const ht_syntax *node, scale by, int depth);

static void look_inside(looking *in, const ht_syntax *node, scale by, int depth) {
    for (size_t i = 0; i < node->count && in->good; ++i)
        if (node->children[i])
            look(in, node->children[i], by, depth + 1);
}

/* ---- products */

static bool is_product(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_BINARY && node->op == HT_BINARY_MUL;
}

static size_t factors_of(const ht_syntax *expression, const ht_syntax **items, size_t count) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    if (is_product(node)) {
        count = factors_of(node->children[0], items, count);
        return factors_of(node->children[1], items, count);
    }
    if (count < FACTORS_MAX)
        items[count] = node;
    return count + 1;
}

/* Returns what a factor contributes to the scale of the others. The extent that all blocks cover
 * together along an axis is the same with any block, and contributes nothing. */
static scale scale_of(const ht_tiles *tiles, const ht_syntax *factor) {
    const ht_tile *tile = ht_tiles_leaf(tiles, factor);
    int axis;
    if (!tile && ht_syntax_total(factor, &axis))
        return (scale){0, 0};
    if (ht_syntax_builtin(factor, true, &axis) == HT_INDEX_BLOCK_DIM)
        return (scale){1u << axis, tiles->model->axes[axis].block > 1};
    scale own = {0, tile || ht_tiles_mention(tiles, factor)};
    for (axis = 0; tile && axis < 3; ++axis)
        own.axes |= tile->axis[axis] ? 1u << axis : 0;
    return own;
}

static void look_at_product(looking *in, const ht_syntax *node, scale by, int depth) {
    const ht_syntax *factors[FACTORS_MAX];
    size_t count = factors_of(node, factors, 0);
    if (count > FACTORS_MAX) {
        refuse(in, node, "a product has too many factors");
        return;
    }
    for (size_t i = 0; i < count && in->good; ++i) {
        scale around = by;
        for (size_t j = 0; j < count; ++j) {
            scale own = j == i ? (scale){0, 0} : scale_of(in->tiles, factors[j]);
            around.axes |= own.axes;
            around.extents += own.extents;
        }
        look(in, factors[i], around, depth + 1);
    }
}

/* ---- the rest */

/* Returns true if a node is an index or a tile's beginning, below which nothing needs a check. The
 * extent must be a factor around it exactly once: a block that covers its square grows faster than
 * the block itself. */
static bool look_at_index(looking *in, const ht_syntax *node, scale by) {
    int axis;
    if (ht_syntax_total(node, &axis)) {
        in->exact[axis] = true;
        return true;
    }
    bool alias = node->kind == HT_SYNTAX_NAME && ht_syntax_is_alias(ht_syntax_named(node));
    ht_index_kind kind = ht_syntax_builtin(node, alias, &axis);
    bool origin = kind == HT_INDEX_NONE && alias && ht_syntax_is_origin(node, &axis);
    if (kind == HT_INDEX_NONE && !origin)
        return false;
    bool tiled = in->tiles->model->axes[axis].block > 1;
    bool fits = origin ? by.extents == 0 : by.extents == 1 && (by.axes & 1u << axis);
    if (kind == HT_INDEX_GRID_DIM && !(fits && tiled))
        refuse(in, node, "gridDim is used");
    else if (kind == HT_INDEX_GRID_DIM)
        in->exact[axis] = true;
    else if ((kind == HT_INDEX_BLOCK || origin) && tiled && !fits)
        refuse(in, node, "blockIdx is used by itself along an axis of the block");
    else if (kind == HT_INDEX_BLOCK || origin)
        in->seen[axis] = true;
    return true;
}

static void look(looking *in, const ht_syntax *node, scale by, int depth) {
    if (depth > DEPTH_MAX)
        refuse(in, node, "an expression is nested too deeply");
    if (!in->good || (node->kind == HT_SYNTAX_VARIABLE &&
                      ht_syntax_is_alias(&node->tree->variables[node->variable])))
        return;
    if (!ht_syntax_is_expression(node)) {
        look_inside(in, node, (scale){0, 0}, depth);
        return;
    }
    const ht_syntax *inner = ht_syntax_strip_whole(node);
    if (look_at_index(in, inner, by))
        return;
    bool sum = inner->kind == HT_SYNTAX_BINARY &&
               (inner->op == HT_BINARY_ADD || inner->op == HT_BINARY_SUB);
    if (is_product(inner))
        look_at_product(in, inner, by, depth + 1);
    else
        look_inside(in, inner, sum ? by : (scale){0, 0}, depth + 1);
}

bool ht_tile_indices_fit(const ht_tiles *tiles, ht_plan *plan, bool out_exact[3]) {
    const ht_syntax *all = ht_syntax_whole(tiles->model)->all;
    looking in = {.tiles = tiles, .plan = plan, .exact = out_exact, .good = true};
    for (size_t i = 0; i < all->count && in.good; ++i)
        look_inside(&in, all->children[i], (scale){0, 0}, 0);
    for (int axis = 0; axis < 3 && in.good; ++axis)
        if (tiles->model->axes[axis].block > 1 && !in.seen[axis]) {
            ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                                 "blocks along %c all do the same", 'x' + axis);
            in.good = false;
        }
    return in.good;
}
