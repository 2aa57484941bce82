/* Does a kernel number its blocks only to find where each one's tile begins? Along the axes of the
 * block, blockIdx and gridDim may stand where they are multiplied by the block's constant, once:
 * then a block that is twice as large covers twice as much, whatever else the product holds. */
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>

enum { FACTORS_MAX = 16, DEPTH_MAX = 64 };

typedef struct looking {
    const ht_tiles *tiles;
    ht_plan *plan;
    bool *exact;  /* per axis: the number of threads along it counts */
    bool seen[3]; /* the axis numbers tiles */
    bool good;
} looking;

/* What an expression is multiplied by on the way out. */
typedef struct scale {
    unsigned axes;  /* the axes whose extents are among the factors, as bits */
    size_t extents; /* factors that come from the block */
} scale;

static void refuse(looking *in, CXCursor cursor, const char *words) {
    if (in->good)
        ht_plan_remark(in->plan, HT_REMARK_MISSED, cursor, "%s", words);
    in->good = false;
}

static void look(looking *in, CXCursor cursor, scale by, int depth);

static void look_inside(looking *in, CXCursor cursor, scale by, int depth) {
    ht_cursors list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count && in->good; ++i)
        look(in, list.items[i], by, depth + 1);
    free(list.items);
}

/* ---- products */

static size_t factors_of(CXCursor cursor, CXCursor *items, size_t count) {
    CXCursor left, right, inner = ht_ast_strip(cursor, true);
    enum CXBinaryOperatorKind kind;
    if (ht_ast_binary(inner, &kind, &left, &right) && kind == CXBinaryOperator_Mul) {
        count = factors_of(left, items, count);
        return factors_of(right, items, count);
    }
    if (count < FACTORS_MAX)
        items[count] = inner;
    return count + 1;
}

/* A factor's own part in the scale of the others. What all blocks cover along an axis is the same
 * in any block. */
static scale scale_of(const ht_tiles *tiles, CXCursor factor) {
    const ht_tile *tile = ht_tiles_leaf(tiles, factor);
    int axis;
    if (!tile && ht_index_total(tiles->model, factor, &axis))
        return (scale){0, 0};
    if (ht_index_plain(tiles->model, factor, true, &axis) == HT_INDEX_BLOCK_DIM)
        return (scale){1u << axis, tiles->model->axes[axis].block > 1};
    scale own = {0, tile || ht_tiles_mention(tiles, factor)};
    for (axis = 0; tile && axis < 3; ++axis)
        own.axes |= tile->axis[axis] ? 1u << axis : 0;
    return own;
}

static void look_at_product(looking *in, CXCursor cursor, scale by, int depth) {
    CXCursor factors[FACTORS_MAX];
    size_t count = factors_of(cursor, factors, 0);
    if (count > FACTORS_MAX) {
        refuse(in, cursor, "a product has too many factors");
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

static bool is_alias(const ht_model *model, CXCursor cursor) {
    return clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
           ht_index_alias(model, clang_getCursorReferenced(cursor));
}

/* Is a cursor an index, or a tile's beginning? Then nothing below is to be looked at. The extent
 * must have stood around it once: a block that covers its square grows faster than it does. */
static bool look_at_index(looking *in, CXCursor cursor, scale by) {
    const ht_model *model = in->tiles->model;
    int axis;
    if (ht_index_total(model, cursor, &axis)) {
        in->exact[axis] = true;
        return true;
    }
    bool alias = is_alias(model, cursor);
    ht_index_kind kind = ht_index_plain(model, cursor, alias, &axis);
    bool origin = kind == HT_INDEX_NONE && alias && ht_index_origin(model, cursor, &axis);
    if (kind == HT_INDEX_NONE && !origin)
        return false;
    bool tiled = model->axes[axis].block > 1;
    bool fits = origin ? by.extents == 0 : by.extents == 1 && (by.axes & 1u << axis);
    if (kind == HT_INDEX_GRID_DIM && !(fits && tiled))
        refuse(in, cursor, "gridDim is used");
    else if (kind == HT_INDEX_GRID_DIM)
        in->exact[axis] = true;
    else if ((kind == HT_INDEX_BLOCK || origin) && tiled && !fits)
        refuse(in, cursor, "blockIdx is used by itself along an axis of the block");
    else if (kind == HT_INDEX_BLOCK || origin)
        in->seen[axis] = true;
    return true;
}

static void look(looking *in, CXCursor cursor, scale by, int depth) {
    const ht_model *model = in->tiles->model;
    CXCursor left, right;
    enum CXBinaryOperatorKind kind;
    if (depth > DEPTH_MAX)
        refuse(in, cursor, "an expression is nested too deeply");
    if (!in->good ||
        (clang_getCursorKind(cursor) == CXCursor_VarDecl && ht_index_alias(model, cursor)))
        return;
    if (!clang_isExpression(clang_getCursorKind(cursor))) {
        look_inside(in, cursor, (scale){0, 0}, depth);
        return;
    }
    CXCursor inner = ht_ast_strip(cursor, true);
    if (look_at_index(in, inner, by))
        return;
    bool binary = ht_ast_binary(inner, &kind, &left, &right);
    bool sum = binary && (kind == CXBinaryOperator_Add || kind == CXBinaryOperator_Sub);
    if (binary && kind == CXBinaryOperator_Mul)
        look_at_product(in, inner, by, depth + 1);
    else
        look_inside(in, inner, sum ? by : (scale){0, 0}, depth + 1);
}

bool ht_tile_indices_fit(const ht_tiles *tiles, ht_plan *plan, bool out_exact[3]) {
    const ht_kernel_facts *facts = tiles->model->facts;
    looking in = {.tiles = tiles, .plan = plan, .exact = out_exact, .good = true};
    for (size_t i = 0; i < facts->reached_count && in.good; ++i)
        look_inside(&in, facts->reached[i], (scale){0, 0}, 0);
    for (int axis = 0; axis < 3 && in.good; ++axis)
        if (tiles->model->axes[axis].block > 1 && !in.seen[axis]) {
            ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                           "blocks along %c all do the same", 'x' + axis);
            in.good = false;
        }
    return in.good;
}
