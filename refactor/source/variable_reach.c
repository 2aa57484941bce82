#include "refactor/source/variable_reach.h"

#include "refactor/source/ast.h"
#include "refactor/source/operators.h"
#include "refactor/source/variable.h"

#include <stdlib.h>

typedef struct reach {
    CXCursor variable;
    int64_t part;
    ht_reach_kind kind;
    CXCursor value;
    bool found;
} reach;

/* ---- functions in which statements say nothing ---- */

typedef struct escape_search {
    CXCursor variable;
    int64_t part;
    bool found;
} escape_search;

typedef struct field_search {
    CXCursor field;
    int64_t index, found;
} field_search;

static enum CXVisitorResult on_field(CXCursor field, CXClientData context) {
    field_search *in = context;
    if (clang_equalCursors(field, in->field))
        in->found = in->index;
    ++in->index;
    return CXVisit_Continue;
}

/* Returns the number of a field among those of the variable's structure; -2: it is not one. */
static int64_t field_number(CXCursor variable, CXCursor field) {
    field_search in = {field, 0, -2};
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    if (type.kind == CXType_Record)
        clang_Type_visitFields(type, on_field, &in);
    return in.found;
}

/* Returns the part of the variable that `expression` is or lies in: 1 for v.b, v.b.x and v.b[2] if
 * b is the second field; -1: none, or not known. */
static int64_t part_around(CXCursor expression, CXCursor variable) {
    for (;;) {
        expression = ht_ast_strip(expression, true);
        enum CXCursorKind kind = clang_getCursorKind(expression);
        if (kind != CXCursor_MemberRefExpr && kind != CXCursor_ArraySubscriptExpr)
            return -1;
        CXCursor base = ht_ast_child(expression, 0);
        if (clang_Cursor_isNull(base))
            return -1;
        CXType type = clang_getCanonicalType(clang_getCursorType(ht_ast_strip(base, true)));
        if (type.kind == CXType_Pointer)
            return -1;
        if (kind == CXCursor_MemberRefExpr && clang_equalCursors(ht_ast_variable(base), variable))
            return field_number(variable, clang_getCursorReferenced(expression));
        expression = base;
    }
}

static bool names(CXCursor expression, CXCursor variable) {
    expression = ht_ast_strip(expression, true);
    while (clang_getCursorKind(expression) == CXCursor_MemberRefExpr ||
           clang_getCursorKind(expression) == CXCursor_ArraySubscriptExpr)
        expression = ht_ast_strip(ht_ast_child(expression, 0), true);
    return clang_equalCursors(ht_ast_variable(expression), variable);
}

/* Returns true if the address of `operand` is one of the variable, or of the part that is asked
 * for. */
static bool reaches(const escape_search *in, CXCursor operand) {
    int64_t part = in->part >= 0 ? part_around(operand, in->variable) : -1;
    return names(operand, in->variable) && (part < 0 || part == in->part);
}

/* Notes labels, and whatever may change the variable later: its address, a reference to it, a
 * lambda that writes it. */
static bool on_escape(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    escape_search *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    enum CXUnaryOperatorKind unary;
    CXCursor operand;
    if (kind == CXCursor_LabelStmt)
        in->found = true;
    else if (kind == CXCursor_LambdaExpr)
        in->found = in->found || ht_variable_writes_at(cursor, in->variable) > 0;
    else if (ht_ast_unary(cursor, &unary, &operand))
        in->found = in->found || (unary == CXUnaryOperator_AddrOf && reaches(in, operand));
    else if (kind == CXCursor_VarDecl &&
             clang_getCursorType(cursor).kind == CXType_LValueReference) {
        CXCursor initializer = clang_Cursor_getVarDeclInitializer(cursor);
        in->found = in->found || (!clang_Cursor_isNull(initializer) && reaches(in, initializer));
    }
    return !in->found;
}

static bool escapes(CXCursor function, CXCursor variable, int64_t part) {
    escape_search in = {variable, part, false};
    ht_ast_walk(function, on_escape, &in);
    return in.found;
}

bool ht_variable_escapes(CXCursor variable) {
    return escapes(clang_getCursorSemanticParent(variable), variable, -1);
}

/* ---- one statement ---- */

/* Returns the number of the part that `left` names; -1: the whole variable; -2: neither. */
static int64_t part_of(CXCursor left, CXCursor variable) {
    int64_t index;
    left = ht_ast_strip(left, false);
    if (clang_equalCursors(ht_ast_variable(left), variable))
        return -1;
    if (!clang_equalCursors(ht_ast_variable(ht_ast_child(left, 0)), variable))
        return -2;
    if (clang_getCursorKind(left) == CXCursor_ArraySubscriptExpr)
        return ht_ast_constant(ht_ast_child(left, 1), &index) && index >= 0 ? index : -2;
    if (clang_getCursorKind(left) != CXCursor_MemberRefExpr)
        return -2;
    int64_t number = field_number(variable, clang_getCursorReferenced(left));
    if (number < 0)
        number = ht_cursor_axis(left);
    return number < 0 ? -2 : number;
}

typedef struct other_search {
    const reach *in;
    unsigned count;
} other_search;

static bool on_other_part(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    other_search *search = context;
    enum CXBinaryOperatorKind kind;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    int64_t part = -2;
    if (clang_getCursorKind(cursor) == CXCursor_CallExpr) {
        if (!ht_cursor_named(cursor, "operator=") || clang_Cursor_getNumArguments(cursor) < 1)
            return true;
        left = clang_Cursor_getArgument(cursor, 0);
    } else if (ht_ast_binary(cursor, &kind, &left, &right)) {
        if (ht_operator_assigns((int)kind))
            part = part_of(left, search->in->variable);
    } else if (ht_ast_unary(cursor, &unary, &left) && unary <= CXUnaryOperator_AddrOf)
        part = unary == CXUnaryOperator_AddrOf ? -2 : part_of(left, search->in->variable);
    else
        return true;
    if (part < 0)
        part = part_around(left, search->in->variable);
    search->count += part >= 0 && part != search->in->part;
    return true;
}

/* Returns true if the code may change the part that is asked for. */
static bool changes(const reach *in, CXCursor code) {
    other_search search = {in, 0};
    if (in->part >= 0) {
        on_other_part(code, code, &search);
        ht_ast_walk(code, on_other_part, &search);
    }
    return ht_variable_writes_at(code, in->variable) > search.count;
}

/* Reads `variable = value;`, also by the operator= of a class. */
static bool is_assignment(CXCursor statement, CXCursor *out_left, CXCursor *out_value) {
    enum CXBinaryOperatorKind kind;
    CXCursor plain = ht_ast_strip(statement, false);
    if (ht_ast_binary(plain, &kind, out_left, out_value))
        return kind == CXBinaryOperator_Assign;
    ht_cursors list = ht_ast_children(plain);
    bool found = clang_getCursorKind(plain) == CXCursor_CallExpr &&
                 ht_cursor_named(plain, "operator=") && list.count == 3;
    if (found) {
        *out_left = list.items[0];
        *out_value = list.items[2];
    }
    free(list.items);
    return found;
}

static bool declares(CXCursor statement, CXCursor variable) {
    ht_cursors list = {0};
    bool found = false;
    if (clang_getCursorKind(statement) == CXCursor_DeclStmt)
        list = ht_ast_children(statement);
    for (size_t i = 0; i < list.count; ++i)
        found = found || clang_equalCursors(list.items[i], variable);
    free(list.items);
    return found;
}

/* ---- updates of an earlier value ---- */

static const char *updating(enum CXBinaryOperatorKind kind) {
    return kind == CXBinaryOperator_AddAssign   ? "+"
           : kind == CXBinaryOperator_SubAssign ? "-"
           : kind == CXBinaryOperator_MulAssign ? "*"
           : kind == CXBinaryOperator_DivAssign ? "/"
                                                : NULL;
}

/* Reads `part = value;`, `part += value;` or `++part;`, which change nothing else of the variable.
 * Of a dim3 (part >= 0) it must be the part. */
static bool is_update(const reach *in, CXCursor statement, ht_update *out) {
    enum CXBinaryOperatorKind kind;
    enum CXUnaryOperatorKind unary;
    CXCursor left, value = clang_getNullCursor(), plain = ht_ast_strip(statement, false);
    *out = (ht_update){.at = statement, .op = NULL, .value = value};
    if (ht_ast_binary(plain, &kind, &left, &value)) {
        out->op = updating(kind);
        out->value = value;
        if ((!out->op && kind != CXBinaryOperator_Assign) || changes(in, value))
            return false;
    } else if (ht_ast_unary(plain, &unary, &left) && unary <= CXUnaryOperator_PreDec) {
        bool less = unary == CXUnaryOperator_PostDec || unary == CXUnaryOperator_PreDec;
        out->op = less ? "-" : "+";
    } else
        return false;
    return part_of(left, in->variable) == in->part;
}

/* Reads a branch of an `if`: at most one of its statements changes the part, by an update. */
static bool is_branch(const reach *in, CXCursor branch, ht_update *out) {
    ht_cursors list = {&branch, 1};
    bool block = clang_getCursorKind(branch) == CXCursor_CompoundStmt, good = true;
    *out = (ht_update){.at = clang_getNullCursor(), .op = NULL, .value = clang_getNullCursor()};
    if (block)
        list = ht_ast_children(branch);
    for (size_t i = 0; i < list.count && good; ++i)
        if (changes(in, list.items[i]))
            good = clang_Cursor_isNull(out->at) && is_update(in, list.items[i], out);
    if (block)
        free(list.items);
    return good;
}

static bool update_read(const reach *in, CXCursor statement, CXCursor *out_condition,
                        ht_update out_branches[2]) {
    const ht_update nothing = {clang_getNullCursor(), NULL, clang_getNullCursor()};
    *out_condition = clang_getNullCursor();
    out_branches[0] = out_branches[1] = nothing;
    if (clang_getCursorKind(statement) != CXCursor_IfStmt)
        return is_update(in, statement, &out_branches[0]);
    ht_cursors list = ht_ast_children(statement);
    bool good = (list.count == 2 || list.count == 3) &&
                clang_isExpression(clang_getCursorKind(list.items[0])) &&
                !changes(in, list.items[0]);
    if (good)
        *out_condition = list.items[0];
    for (size_t i = 1; i < list.count && good; ++i)
        good = is_branch(in, list.items[i], &out_branches[i - 1]);
    free(list.items);
    return good;
}

void ht_variable_update(CXCursor variable, CXCursor statement, int64_t part,
                        CXCursor *out_condition, ht_update out_branches[2]) {
    const reach in = {.variable = variable, .part = part};
    (void)update_read(&in, statement, out_condition, out_branches);
}

/* Looks at a statement before the use. Returns false if it may change the variable in another way
 * than by a plain assignment. */
static bool look_at(reach *in, CXCursor statement) {
    CXCursor left, value;
    if (declares(statement, in->variable)) {
        in->found = true;
        in->kind = HT_REACH_INITIAL;
        in->value = clang_Cursor_getVarDeclInitializer(in->variable);
        return !changes(in, statement);
    }
    if (!changes(in, statement))
        return true;
    if (!is_assignment(statement, &left, &value)) {
        CXCursor condition;
        ht_update branches[2];
        in->found = update_read(in, statement, &condition, branches);
        in->kind = HT_REACH_UPDATE;
        in->value = statement;
        return in->found;
    }
    if (changes(in, value))
        return false;
    int64_t part = part_of(left, in->variable);
    if (part == -2)
        return false;
    if (part != -1 && in->part == -1)
        return false; /* a part of what is asked for whole */
    in->found = true;
    in->kind = part == -1 ? HT_REACH_WHOLE : HT_REACH_PART;
    in->value = value;
    return true;
}

/* ---- the way to the use ---- */

static bool is_case(CXCursor statement) {
    enum CXCursorKind kind = clang_getCursorKind(statement);
    return kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt;
}

/* Looks at the statements of a block before the index-th, the nearest first. */
static bool look_back(reach *in, const ht_cursors *block, size_t index) {
    bool good = true;
    for (size_t i = index; i-- > 0 && good && !in->found;) {
        /* a switch jumps past what stands before a case */
        if (is_case(block->items[i + 1]))
            return false;
        good = look_at(in, block->items[i]);
    }
    return good && !(index > 0 && !in->found && is_case(block->items[0]));
}

/* Looks at everything else of a statement around the use: its condition, or, of a loop, all that
 * runs before the use is reached again. */
static bool look_around(const reach *in, CXCursor parent, CXCursor child) {
    bool branches = clang_getCursorKind(parent) == CXCursor_IfStmt, good = true;
    ht_cursors list = ht_ast_children(parent);
    if (branches && clang_equalCursors(list.items[0], child))
        list.count = 0; /* the condition comes first */
    for (size_t i = 0; i < list.count && good; ++i) {
        enum CXCursorKind kind = clang_getCursorKind(list.items[i]);
        bool other = branches && (i >= 2 || (clang_isStatement(kind) && kind != CXCursor_DeclStmt));
        good = other || clang_equalCursors(list.items[i], child) || !changes(in, list.items[i]);
    }
    free(list.items);
    return good;
}

static bool leave(reach *in, CXCursor parent, CXCursor child) {
    switch (clang_getCursorKind(parent)) {
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_CXXTryStmt:
        return !changes(in, parent);
    case CXCursor_LambdaExpr:
        return false;
    default:
        return look_around(in, parent, child);
    }
}

/* Goes from the use outward, from below `at`. Returns true once the use was found there; in->found
 * and *out_good say how it went. */
static bool go(reach *in, CXCursor at, CXCursor use, bool *out_good) {
    if (clang_equalCursors(at, use))
        return true;
    ht_cursors list = ht_ast_children(at);
    bool inside = false;
    for (size_t i = 0; i < list.count && !inside; ++i) {
        inside = go(in, list.items[i], use, out_good);
        if (!inside || !*out_good || in->found)
            continue;
        *out_good = clang_getCursorKind(at) == CXCursor_CompoundStmt ? look_back(in, &list, i)
                                                                     : leave(in, at, list.items[i]);
    }
    free(list.items);
    return inside;
}

bool ht_variable_reach(CXCursor variable, CXCursor use, int64_t part, ht_reach_kind *out_kind,
                       CXCursor *out_value) {
    CXCursor function = clang_getCursorSemanticParent(variable);
    enum CXCursorKind kind = clang_getCursorKind(function);
    reach in = {.variable = variable, .part = part, .value = clang_getNullCursor()};
    bool good = true;
    *out_value = clang_getNullCursor();
    if (clang_getCursorKind(variable) != CXCursor_VarDecl ||
        clang_Cursor_getStorageClass(variable) == CX_SC_Static ||
        (kind != CXCursor_FunctionDecl && kind != CXCursor_FunctionTemplate &&
         kind != CXCursor_CXXMethod && kind != CXCursor_Constructor) ||
        escapes(function, variable, part) || !go(&in, function, use, &good) || !good || !in.found)
        return false;
    *out_kind = in.kind;
    *out_value = in.value;
    return true;
}
