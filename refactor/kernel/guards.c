/* Guards: comparisons of a global index with a bound that stand before every memory access and side
 * effect, so that threads at or behind the bound do nothing. */
#include "base/memory.h"
#include "refactor/kernel/pins.h"
#include "refactor/source/conditional.h"

#include <stdlib.h>
#include <string.h>

static bool is_pure_call(CXCursor call) {
    char *name = ht_cursor_name(call);
    bool pure = strncmp(name, "__ockl_get_", 11) == 0 || strncmp(name, "operator ", 9) == 0 ||
                strcmp(name, "operator*") == 0 || strcmp(name, "operator+") == 0 ||
                strcmp(name, "__X") == 0 || strcmp(name, "min") == 0 || strcmp(name, "max") == 0 ||
                strcmp(name, "uint2") == 0 || strcmp(name, "int2") == 0 ||
                strcmp(name, "dim3") == 0;
    free(name);
    return pure;
}

static bool on_impure(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bool *impure = context;
    enum CXUnaryOperatorKind unary;
    CXCursor operand;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_LambdaExpr:
    case CXCursor_StmtExpr:
    case CXCursor_AsmStmt:
    case CXCursor_CompoundAssignOperator:
        *impure = true;
        break;
    case CXCursor_CallExpr:
        *impure = *impure || !is_pure_call(cursor);
        break;
    case CXCursor_UnaryOperator:
        *impure =
            *impure || !ht_ast_unary(cursor, &unary, &operand) || unary == CXUnaryOperator_Deref;
        break;
    case CXCursor_MemberRefExpr: {
        CXCursor base = ht_ast_strip(ht_ast_child(cursor, 0), true);
        *impure =
            *impure || clang_getCanonicalType(clang_getCursorType(base)).kind == CXType_Pointer;
        break;
    }
    default:
        break;
    }
    return !*impure;
}

static bool is_pure(CXCursor cursor) {
    bool impure = false;
    on_impure(cursor, cursor, &impure);
    if (!impure)
        ht_ast_walk(cursor, on_impure, &impure);
    return !impure;
}

/* `index < bound` holds for all threads that go on. */
static void note_guard(ht_model *model, int axis, CXCursor bound, bool inclusive) {
    ht_axis *of = &model->axes[axis];
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    int64_t one;
    if (of->guard)
        return;
    if (inclusive && ht_ast_binary(ht_ast_strip(bound, true), &kind, &left, &right) &&
        kind == CXBinaryOperator_Sub && ht_ast_constant(right, &one) && one == 1) {
        bound = left; /* index <= n - 1 */
        inclusive = false;
    }
    char *text = ht_ast_expression(model, bound);
    if (!text)
        return;
    of->guard = inclusive ? ht_format("%s + 1", text) : ht_strdup(text);
    of->guard_bound = bound;
    free(text);
}

/* A global index, also through a variable that holds it here and changes further on. */
static bool is_global_index(const ht_model *model, CXCursor expression, int *out_axis) {
    if (ht_ast_index(model, expression, out_axis) == HT_INDEX_GLOBAL)
        return true;
    const ht_local *local = ht_model_local(model, ht_ast_variable(expression));
    unsigned offset;
    clang_getExpansionLocation(clang_getRangeEnd(clang_getCursorExtent(expression)), NULL, NULL,
                               NULL, &offset);
    return local && local->writes > 0 && local->first_write > offset &&
           !clang_Cursor_isNull(local->initializer) &&
           ht_ast_index(model, local->initializer, out_axis) == HT_INDEX_GLOBAL;
}

/* `enters`: the condition lets threads through (else it turns them away). */
static void read_condition(ht_model *model, CXCursor condition, bool enters) {
    CXCursor cursor = ht_ast_strip(condition, false), left, right;
    enum CXUnaryOperatorKind unary;
    enum CXBinaryOperatorKind kind;
    if (ht_ast_unary(cursor, &unary, &left) && unary == CXUnaryOperator_LNot) {
        read_condition(model, left, !enters);
        return;
    }
    if (!ht_ast_binary(cursor, &kind, &left, &right))
        return;
    if (kind == (enters ? CXBinaryOperator_LAnd : CXBinaryOperator_LOr)) {
        read_condition(model, left, enters);
        read_condition(model, right, enters);
        return;
    }
    int axis;
    CXCursor bound = right;
    if (!is_global_index(model, left, &axis)) {
        if (!is_global_index(model, right, &axis))
            return;
        bound = left;
        kind = ht_ast_mirrored(kind);
    }
    if (!enters)
        kind = ht_ast_negated(kind);
    if (kind == CXBinaryOperator_LT || kind == CXBinaryOperator_LE)
        note_guard(model, axis, bound, kind == CXBinaryOperator_LE);
}

static bool is_return(CXCursor statement) {
    enum CXCursorKind kind = clang_getCursorKind(statement);
    if (kind == CXCursor_ReturnStmt)
        return true;
    if (kind != CXCursor_CompoundStmt)
        return false;
    ht_cursors list = ht_ast_children(statement);
    bool only = list.count == 1 && clang_getCursorKind(list.items[0]) == CXCursor_ReturnStmt;
    free(list.items);
    return only;
}

/* Would the scan end in another build, ahead of the statement or at it? A branch that is not taken
 * may access memory, or turn no thread away. */
static bool other_build_ends(const ht_model *model, CXCursor statement) {
    const ht_source *source = model->facts->source;
    const ht_tokens *tokens = ht_source_tokens(source, model->facts->file);
    size_t file;
    ht_range range;
    if (!ht_source_range(source, statement, &file, &range) || file != model->facts->file)
        return false;
    for (size_t i = ht_tokens_at(tokens, model->body_range.begin);
         i < tokens->count && tokens->items[i].begin < range.end; ++i)
        if (ht_source_skipped(source, file, tokens->items[i].begin) &&
            (ht_tokens_is(tokens, i, "[") || ht_tokens_is(tokens, i, "(") ||
             ht_tokens_is(tokens, i, "->") || ht_tokens_is(tokens, i, "*") ||
             ht_directive_kind(tokens, i) == HT_DIRECTIVE_INCLUDE))
            return true;
    return false;
}

/* Is the guard itself, up to the end of its condition, there in every build? */
static bool is_unconditional(const ht_model *model, CXCursor statement, CXCursor condition) {
    const ht_source *source = model->facts->source;
    size_t file;
    ht_range whole, asked;
    return ht_source_range(source, statement, &file, &whole) &&
           ht_source_range(source, condition, &file, &asked) &&
           !ht_source_in_conditional(source, file, model->body_range, whole.begin) &&
           !ht_source_has_conditional(source, file, (ht_range){whole.begin, asked.end});
}

/* True: the scan may go on behind this statement. */
static bool look_at(ht_model *model, CXCursor statement, bool last) {
    enum CXCursorKind kind = clang_getCursorKind(statement);
    if (other_build_ends(model, statement))
        return false;
    if (kind == CXCursor_NullStmt)
        return true;
    if (kind == CXCursor_DeclStmt)
        return is_pure(statement);
    if (kind != CXCursor_IfStmt)
        return false;
    ht_cursors parts = ht_ast_children(statement);
    bool go_on = false;
    if (parts.count == 2 && is_pure(parts.items[0])) {
        go_on = is_return(parts.items[1]);
        if ((go_on || last) && is_unconditional(model, statement, parts.items[0]))
            read_condition(model, parts.items[0], !go_on);
    }
    free(parts.items);
    return go_on;
}

void ht_guards_build(ht_model *model) {
    ht_cursors list = ht_ast_children(model->body);
    size_t count = list.count;
    while (count > 0 && (clang_getCursorKind(list.items[count - 1]) == CXCursor_NullStmt ||
                         clang_getCursorKind(list.items[count - 1]) == CXCursor_ReturnStmt))
        --count;
    for (size_t i = 0; i < count; ++i)
        if (!look_at(model, list.items[i], i + 1 == count))
            break;
    free(list.items);
}
