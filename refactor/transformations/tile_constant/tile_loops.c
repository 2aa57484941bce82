/* Loops that go over a range in steps of the block's constant, tile by tile:
 *
 *     for (int a = first; a <= first + n - 1; a += TILE)
 *
 * Where the constant does not divide the range, the last step goes beyond it. */
#include "base/memory.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>

enum { TERMS_MAX = 16, DEPTH_MAX = 8 };

typedef struct term {
    CXCursor cursor;
    bool minus;
} term;

/* The value that a name stands for when it is set once. */
static CXCursor resolved(const ht_model *model, CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, true);
    const ht_local *local = ht_model_local(model, ht_ast_variable(cursor));
    return local && local->writes == 0 && !clang_Cursor_isNull(local->initializer)
               ? ht_ast_strip(local->initializer, true)
               : cursor;
}

/* The terms of a sum, down to the names among them. */
static size_t terms_of(const ht_model *model, CXCursor expression, bool minus, CXCursor stop,
                       term *items, size_t count, int depth) {
    CXCursor cursor = ht_ast_strip(expression, true), left, right;
    enum CXBinaryOperatorKind kind;
    CXCursor variable = ht_ast_variable(cursor);
    if (!clang_Cursor_isNull(variable) && clang_equalCursors(variable, stop)) {
        items[count < TERMS_MAX ? count : TERMS_MAX - 1] = (term){cursor, minus};
        return count + 1;
    }
    CXCursor inner = resolved(model, cursor);
    if (depth < DEPTH_MAX && ht_ast_binary(inner, &kind, &left, &right) &&
        (kind == CXBinaryOperator_Add || kind == CXBinaryOperator_Sub)) {
        count = terms_of(model, left, minus, stop, items, count, depth + 1);
        return terms_of(model, right, minus != (kind == CXBinaryOperator_Sub), stop, items, count,
                        depth + 1);
    }
    items[count < TERMS_MAX ? count : TERMS_MAX - 1] = (term){cursor, minus};
    return count + 1;
}

/* What a loop from `start` to `bound` goes over, as a template expression; NULL when it is not
 * known. free(). */
static char *range_of(const ht_tiles *tiles, CXCursor start, CXCursor bound, bool inclusive) {
    const ht_model *model = tiles->model;
    int64_t zero;
    bool from_zero = ht_model_constant(model, start, &zero) && zero == 0, taken = from_zero;
    CXCursor stop = from_zero ? clang_getNullCursor() : ht_ast_variable(start);
    term items[TERMS_MAX];
    size_t count = terms_of(model, bound, false, stop, items, 0, 0);
    ht_text text = {0};
    bool known = count <= TERMS_MAX && (from_zero || !clang_Cursor_isNull(stop));
    ht_text_append(&text, "0");
    for (size_t i = 0; i < count && known; ++i) {
        if (!taken && !items[i].minus &&
            clang_equalCursors(ht_ast_variable(items[i].cursor), stop)) {
            taken = true;
            continue;
        }
        char *part = ht_tiles_expression(tiles, items[i].cursor);
        known = part != NULL;
        ht_text_printf(&text, items[i].minus ? " - %s" : " + %s", part ? part : "");
        free(part);
    }
    if (inclusive)
        ht_text_append(&text, " + 1");
    if (known && taken)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

/* The step of `variable` in an increment that may have several parts. */
static CXCursor step_of(CXCursor increment, CXCursor variable) {
    CXCursor cursor = ht_ast_strip(increment, false), left, right;
    enum CXBinaryOperatorKind kind;
    if (!ht_ast_binary(cursor, &kind, &left, &right))
        return clang_getNullCursor();
    if (kind == CXBinaryOperator_Comma) {
        CXCursor step = step_of(left, variable);
        return clang_Cursor_isNull(step) ? step_of(right, variable) : step;
    }
    return kind == CXBinaryOperator_AddAssign && clang_equalCursors(ht_ast_variable(left), variable)
               ? right
               : clang_getNullCursor();
}

bool ht_tile_loop_read(const ht_tiles *tiles, CXCursor statement, ht_tile_loop *out_loop) {
    CXCursor init, condition, increment, body, bound;
    enum CXBinaryOperatorKind kind;
    *out_loop = (ht_tile_loop){clang_getNullCursor(), clang_getNullCursor(), NULL};
    if (!ht_ast_for(statement, &init, &condition, &increment, &body) ||
        clang_getCursorKind(init) != CXCursor_DeclStmt ||
        !ht_ast_binary(ht_ast_strip(condition, false), &kind, &out_loop->counter, &bound) ||
        (kind != CXBinaryOperator_LT && kind != CXBinaryOperator_LE))
        return false;
    out_loop->counter = ht_ast_variable(out_loop->counter);
    const ht_local *local = ht_model_local(tiles->model, out_loop->counter);
    if (!local || clang_Cursor_isNull(local->initializer))
        return false;
    out_loop->step = step_of(increment, out_loop->counter);
    if (clang_Cursor_isNull(out_loop->step))
        return false;
    out_loop->range = range_of(tiles, local->initializer, bound, kind == CXBinaryOperator_LE);
    return true;
}
