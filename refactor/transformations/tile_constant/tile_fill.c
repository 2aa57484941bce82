/* Is the last tile of a size that the block does not divide as good as a whole one? */
#include "base/memory.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>
#include <string.h>

/* ---- rounding up
 * -------------------------------------------------------------------------------------------------
 */

typedef struct trial {
    const ht_tiles *tiles;
    int64_t factor; /* the constants are this many times the original's */
} trial;

/* Any size will do for what is not a constant of the block's. */
static bool lookup(const void *context, const char *name, int64_t *out_value) {
    const trial *in = context;
    *out_value = 10007;
    for (size_t i = 0; i < in->tiles->count; ++i)
        if (strcmp(in->tiles->items[i].name, name) == 0)
            *out_value = in->tiles->items[i].value * in->factor;
    return true;
}

static bool value(const trial *in, const char *text, int64_t *out_value) {
    ht_expr *expr;
    ht_place nowhere = {0};
    ht_scope scope = {.lookup = lookup, .context = in};
    if (ht_expr_parse(text, nowhere, &expr, NULL) != HT_OK)
        return false;
    bool known = ht_expr_evaluate(expr, &scope, out_value, NULL) == HT_OK;
    ht_expr_free(expr);
    return known;
}

bool ht_tile_rounds_up(const ht_tiles *tiles, CXCursor dividend, CXCursor items,
                       const char *divisor) {
    char *whole = ht_tiles_expression(tiles, dividend), *part = ht_tiles_expression(tiles, items);
    bool same = whole && part;
    for (int64_t factor = 1; same && factor <= 3; ++factor) {
        trial in = {tiles, factor};
        int64_t all, some, by;
        same = value(&in, whole, &all) && value(&in, part, &some) && value(&in, divisor, &by) &&
               all - some == by - 1;
    }
    free(whole);
    free(part);
    return same;
}

/* ---- filling up
 * --------------------------------------------------------------------------------------------------
 */

static CXCursor stored_array(const ht_model *model, CXCursor cursor) {
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    if (!ht_ast_binary(cursor, &kind, &left, &right) || kind != CXBinaryOperator_Assign)
        return clang_getNullCursor();
    CXCursor place = ht_ast_strip(left, true);
    while (clang_getCursorKind(place) == CXCursor_ArraySubscriptExpr)
        place = ht_ast_strip(ht_ast_child(place, 0), true);
    const ht_local *local = ht_model_local(model, ht_ast_variable(place));
    return local && local->is_shared ? local->cursor : clang_getNullCursor();
}

typedef struct store_search {
    const ht_model *model;
    CXCursor array; /* null: any */
    CXCursor found;
} store_search;

static bool on_store(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    store_search *in = context;
    CXCursor array = stored_array(in->model, cursor);
    if (!clang_Cursor_isNull(array) &&
        (clang_Cursor_isNull(in->array) || clang_equalCursors(array, in->array)))
        in->found = array;
    return clang_Cursor_isNull(in->found);
}

static CXCursor stored_in(const ht_model *model, CXCursor statement, CXCursor array) {
    store_search in = {model, array, clang_getNullCursor()};
    if (on_store(statement, statement, &in))
        ht_ast_walk(statement, on_store, &in);
    return in.found;
}

typedef struct filling {
    const ht_model *model;
    bool filled;
} filling;

/* if (inside) tile[..] = load; else tile[..] = 0; */
static bool on_condition(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    filling *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_ContinueStmt || kind == CXCursor_SwitchStmt)
        in->filled = false;
    if (kind != CXCursor_IfStmt)
        return in->filled;
    ht_cursors parts = ht_ast_children(cursor);
    CXCursor none = clang_getNullCursor();
    for (size_t i = 1; i < parts.count && in->filled; ++i) {
        CXCursor array = stored_in(in->model, parts.items[i], none);
        CXCursor other = i + 1 < parts.count ? parts.items[i + 1] : parts.items[1];
        if (!clang_Cursor_isNull(array))
            in->filled =
                parts.count == 3 && !clang_Cursor_isNull(stored_in(in->model, other, array));
    }
    free(parts.items);
    return in->filled;
}

bool ht_tile_fills(const ht_tiles *tiles) {
    filling in = {tiles->model, true};
    ht_ast_walk(tiles->model->body, on_condition, &in);
    return in.filled;
}
