#include "refactor/infer/infer_guard.h"
#include "refactor/source/ast.h"
#include "refactor/source/variable.h"

#include <stdlib.h>

/* ---- one test ---- */

/* Follows `const int v = width;` to the field. */
static ht_infer_field *field_of(const ht_infer *in, const ht_symbol *symbol, int depth) {
    enum { DEPTH_MAX = 8 };
    if (!symbol || symbol->kind != HT_SYMBOL_VARIABLE || depth > DEPTH_MAX)
        return NULL;
    for (size_t i = 0; i < in->field_count; ++i)
        if (clang_equalCursors(in->fields[i].declaration, symbol->declaration))
            return &in->fields[i];
    return field_of(in, symbol->value_of, depth + 1);
}

/* `at`: the test, after which the host must not change the variable. */
static void field_is(ht_infer *in, CXCursor expression, int64_t value, CXCursor at) {
    const ht_launch_site *site = &in->model->facts->launches.items[0];
    ht_symbol *symbol = ht_symbol_read(in->model->facts->source, expression);
    ht_infer_field *field = field_of(in, symbol, 0);
    bool kept = field && ht_variable_writes_in(site->function, field->declaration,
                                               (unsigned)ht_ast_begin(at)) == 0;
    int line = ht_ast_line(at);
    if (kept && !field->asked && value > 0) { /* of several tests the innermost */
        field->value = value;
        field->known = field->asked = true;
        field->line = line;
    }
    ht_symbol_free(symbol);
}

/* Takes values from a test that is known to hold, or not to. */
static void test_is(ht_infer *in, CXCursor test, bool holds) {
    test = ht_ast_strip(test, false);
    enum CXUnaryOperatorKind unary;
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    int64_t value;
    if (ht_ast_unary(test, &unary, &left) && unary == CXUnaryOperator_LNot) {
        test_is(in, left, !holds);
        return;
    }
    if (!ht_ast_binary(test, &kind, &left, &right))
        return;
    if (kind == (holds ? CXBinaryOperator_LAnd : CXBinaryOperator_LOr)) {
        test_is(in, left, holds);
        test_is(in, right, holds);
    } else if (kind == (holds ? CXBinaryOperator_EQ : CXBinaryOperator_NE)) {
        if (ht_ast_constant(right, &value))
            field_is(in, left, value, test);
        else if (ht_ast_constant(left, &value))
            field_is(in, right, value, test);
    }
}

/* ---- the way to the launch ---- */

/* Returns true for a statement after which nothing of the function is run. */
static bool leaves(CXCursor statement) {
    enum CXCursorKind kind = clang_getCursorKind(statement);
    if (kind != CXCursor_CompoundStmt)
        return kind == CXCursor_ReturnStmt || kind == CXCursor_CXXThrowExpr;
    ht_cursors list = ht_ast_children(statement);
    bool last = list.count && leaves(list.items[list.count - 1]);
    free(list.items);
    return last;
}

static bool is_label(CXCursor statement) {
    enum CXCursorKind kind = clang_getCursorKind(statement);
    return kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt;
}

/* Takes what `if (n != 128) return;` leaves ahead of the i-th statement, as far as to the `case` or
 * `default` that is nearest to it, which it returns; null cursor: there is none. */
static CXCursor statements_pass(ht_infer *in, const ht_cursors *list, size_t i) {
    for (size_t k = i + 1; k-- > 0;) {
        if (is_label(list->items[k]))
            return list->items[k];
        ht_cursors parts = ht_ast_children(list->items[k]);
        if (k < i && clang_getCursorKind(list->items[k]) == CXCursor_IfStmt && parts.count == 2 &&
            leaves(parts.items[1]))
            test_is(in, parts.items[0], false);
        free(parts.items);
    }
    return clang_getNullCursor();
}

/* Takes the value of `size` with which a switch goes to the label. */
static void switch_pass(ht_infer *in, CXCursor size, CXCursor label) {
    int64_t value;
    if (clang_getCursorKind(label) == CXCursor_CaseStmt &&
        ht_ast_constant(ht_ast_child(label, 0), &value))
        field_is(in, size, value, label);
}

typedef struct way {
    ht_infer *in;
    CXCursor label; /* the `case` or `default` that leads to the launch */
} way;

static void statement_pass(CXCursor statement, const ht_cursors *parts, size_t i, void *context) {
    way *on = context;
    switch (clang_getCursorKind(statement)) {
    case CXCursor_CompoundStmt: {
        CXCursor ahead = statements_pass(on->in, parts, i);
        on->label = clang_Cursor_isNull(on->label) ? ahead : on->label;
        break;
    }
    case CXCursor_IfStmt: /* not one that declares a variable */
        if (i > 0 && clang_isExpression(clang_getCursorKind(parts->items[0])))
            test_is(on->in, parts->items[0], i == 1);
        break;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        on->label = clang_Cursor_isNull(on->label) ? statement : on->label;
        break;
    case CXCursor_SwitchStmt:
        switch_pass(on->in, parts->items[0], on->label);
        on->label = clang_getNullCursor();
        break;
    default:
        break;
    }
}

void ht_infer_guards(ht_infer *in) {
    const ht_launches *launches = &in->model->facts->launches;
    way on = {in, clang_getNullCursor()};
    if (launches->count && !clang_Cursor_isNull(launches->items[0].function))
        ht_ast_outwards(launches->items[0].function, launches->items[0].callee, statement_pass,
                        &on);
}
