/* `for` statements in normal form. */
#include "refactor/kernel/facts.h"

#include <stdlib.h>

/* Which of the three header parts are written, told by the tokens between the parentheses. */
static bool header_parts(const ht_model *model, CXCursor statement, bool parts[3]) {
    const ht_tokens *tokens = &model->facts->source->tokens;
    CXFile file;
    unsigned offset, spelling;
    CXSourceLocation start = clang_getRangeStart(clang_getCursorExtent(statement));
    clang_getExpansionLocation(start, &file, NULL, NULL, &offset);
    clang_getSpellingLocation(start, NULL, NULL, NULL, &spelling);
    if (!file || !clang_File_isEqual(file, model->file) || offset != spelling)
        return false;
    size_t at = ht_tokens_at(tokens, offset);
    if (!ht_tokens_is(tokens, at, "for") || !ht_tokens_is(tokens, at + 1, "("))
        return false;
    size_t close = ht_tokens_close(tokens, at + 1), part = 0, depth = 0;
    for (size_t i = at + 2; i < close; ++i) {
        if (ht_tokens_is(tokens, i, "(") || ht_tokens_is(tokens, i, "{") ||
            ht_tokens_is(tokens, i, "["))
            ++depth;
        else if (ht_tokens_is(tokens, i, ")") || ht_tokens_is(tokens, i, "}") ||
                 ht_tokens_is(tokens, i, "]"))
            --depth;
        if (depth == 0 && ht_tokens_is(tokens, i, ";")) {
            if (++part > 2)
                return false;
        } else
            parts[part] = true;
    }
    return part == 2;
}

bool ht_ast_for(CXCursor statement, CXCursor *out_init, CXCursor *out_condition,
                CXCursor *out_increment, CXCursor *out_body) {
    *out_init = *out_condition = *out_increment = *out_body = clang_getNullCursor();
    if (clang_getCursorKind(statement) != CXCursor_ForStmt)
        return false;
    ht_cursors list = ht_ast_children(statement);
    bool whole = list.count == 4;
    if (whole) {
        *out_init = list.items[0];
        *out_condition = list.items[1];
        *out_increment = list.items[2];
        *out_body = list.items[3];
    }
    free(list.items);
    return whole;
}

typedef struct write_search {
    CXCursor variable;
    bool found;
} write_search;

static bool names(CXCursor expression, CXCursor variable) {
    return clang_equalCursors(ht_ast_variable(expression), variable);
}

static bool is_assignment(enum CXBinaryOperatorKind kind) {
    return kind >= CXBinaryOperator_Assign && kind <= CXBinaryOperator_OrAssign;
}

static bool is_update(enum CXUnaryOperatorKind kind) {
    return kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec ||
           kind == CXUnaryOperator_PreInc || kind == CXUnaryOperator_PreDec ||
           kind == CXUnaryOperator_AddrOf;
}

static bool on_write(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    write_search *search = context;
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    if (ht_ast_binary(cursor, &binary, &left, &right) && is_assignment(binary))
        search->found = search->found || names(left, search->variable);
    else if (ht_ast_unary(cursor, &unary, &left) && is_update(unary))
        search->found = search->found || names(left, search->variable);
    return true;
}

/* Steps of `i`: ++i, i++, i += C. */
static bool loop_step(CXCursor increment, CXCursor variable, int64_t *out_step) {
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    increment = ht_ast_strip(increment, false);
    if (ht_ast_unary(increment, &unary, &left)) {
        *out_step = 1;
        return (unary == CXUnaryOperator_PreInc || unary == CXUnaryOperator_PostInc) &&
               names(left, variable);
    }
    return ht_ast_binary(increment, &binary, &left, &right) &&
           binary == CXBinaryOperator_AddAssign && names(left, variable) &&
           ht_ast_constant(right, out_step) && *out_step > 0;
}

static CXCursor loop_variable(CXCursor init, CXCursor *out_start) {
    if (clang_getCursorKind(init) == CXCursor_DeclStmt) {
        ht_cursors list = ht_ast_children(init);
        CXCursor variable =
            list.count == 1 && clang_getCursorKind(list.items[0]) == CXCursor_VarDecl
                ? list.items[0]
                : clang_getNullCursor();
        free(list.items);
        if (!clang_Cursor_isNull(variable))
            *out_start = clang_Cursor_getVarDeclInitializer(variable);
        return variable;
    }
    enum CXBinaryOperatorKind kind;
    CXCursor left, right;
    if (!ht_ast_binary(ht_ast_strip(init, false), &kind, &left, &right) ||
        kind != CXBinaryOperator_Assign)
        return clang_getNullCursor();
    *out_start = right;
    return ht_ast_variable(left);
}

bool ht_ast_trip_count(const ht_model *model, CXCursor statement, int64_t *out_trip) {
    CXCursor init, condition, increment, body, start = clang_getNullCursor(), left, right;
    bool parts[3] = {false};
    if (!ht_ast_for(statement, &init, &condition, &increment, &body) ||
        !header_parts(model, statement, parts) || !(parts[0] && parts[1] && parts[2]))
        return false;
    CXCursor variable = loop_variable(init, &start);
    int64_t from, to, step;
    enum CXBinaryOperatorKind kind;
    if (clang_Cursor_isNull(variable) || clang_Cursor_isNull(start) ||
        !ht_model_constant(model, start, &from) ||
        !ht_ast_binary(ht_ast_strip(condition, false), &kind, &left, &right) ||
        !names(left, variable) || !ht_model_constant(model, right, &to) ||
        !loop_step(increment, variable, &step))
        return false;
    if (kind == CXBinaryOperator_LE)
        ++to;
    else if (kind != CXBinaryOperator_LT && !(kind == CXBinaryOperator_NE && step == 1))
        return false;
    write_search search = {variable, false};
    ht_ast_walk(body, on_write, &search);
    if (search.found || to <= from || to - from > 1000000)
        return false;
    *out_trip = (to - from + step - 1) / step;
    return true;
}
