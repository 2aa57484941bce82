#include "refactor/kernel/syntax_expression.h"
#include "refactor/kernel/indexing.h"
#include "refactor/kernel/syntax_build.h"
#include "refactor/kernel/syntax_call.h"
#include "refactor/kernel/syntax_variable.h"
#include "refactor/source/operators.h"

#include <stdlib.h>
#include <string.h>

/* Adds the parts of a name or a constant in a whole tree: a template's arguments, the operand of a
 * sizeof. */
static ht_syntax *with_parts(ht_syntax_builder *b, ht_syntax *node) {
    if (b->whole)
        ht_syntax_add_children(b, node);
    return node;
}

static ht_syntax *build_name(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    CXCursor declaration = clang_getCursorReferenced(cursor);
    switch (clang_getCursorKind(declaration)) {
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl: {
        ht_syntax *node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_NAME);
        node->variable = ht_syntax_note_variable(b, declaration);
        return with_parts(b, node);
    }
    case CXCursor_NonTypeTemplateParameter:
    case CXCursor_EnumConstantDecl: {
        ht_syntax *node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_CONSTANT);
        if (b->whole)
            node->variable = ht_syntax_note_variable(b, declaration);
        return with_parts(b, node);
    }
    default:
        ht_syntax_note(b, cursor, "a name that is not analysed");
        ht_syntax *node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_UNKNOWN);
        node->op = HT_UNKNOWN_NAME;
        return node;
    }
}

static ht_syntax *build_operator(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor,
                                 ht_syntax_kind kind, int op, size_t operands) {
    if (kind == HT_SYNTAX_UNKNOWN)
        ht_syntax_note(b, cursor, "an operator that is not analysed");
    ht_syntax *node = ht_syntax_add(b, parent, cursor, kind);
    node->op = op;
    ht_syntax_add_children(b, node);
    if (node->count != operands) {
        ht_syntax_note(b, cursor, "an operator that is not analysed");
        node->kind = HT_SYNTAX_UNKNOWN;
    }
    if (node->kind == HT_SYNTAX_UNKNOWN)
        node->op = HT_UNKNOWN_OTHER;
    return node;
}

static ht_syntax *build_unary(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
    bool known = op != CXUnaryOperator_Invalid && op != CXUnaryOperator_Coawait;
    ht_syntax_kind kind = !known                         ? HT_SYNTAX_UNKNOWN
                          : op <= CXUnaryOperator_PreDec ? HT_SYNTAX_STEP
                          : op == CXUnaryOperator_AddrOf ? HT_SYNTAX_ADDRESS
                          : op == CXUnaryOperator_Deref  ? HT_SYNTAX_DEREFERENCE
                                                         : HT_SYNTAX_UNARY;
    return build_operator(b, parent, cursor, kind, (int)op, 1);
}

static ht_syntax *build_binary(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
    bool known = op != CXBinaryOperator_Invalid && op != CXBinaryOperator_PtrMemD &&
                 op != CXBinaryOperator_PtrMemI;
    bool assigns = ht_operator_assigns((int)op);
    ht_syntax_kind kind = !known    ? HT_SYNTAX_UNKNOWN
                          : assigns ? HT_SYNTAX_ASSIGN
                                    : HT_SYNTAX_BINARY;
    return build_operator(b, parent, cursor, kind, (int)op, 2);
}

static ht_syntax *build_unknown(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor,
                                const char *why) {
    ht_syntax_note(b, cursor, "%s", why);
    ht_syntax *node = ht_syntax_add(b, parent, cursor, HT_SYNTAX_UNKNOWN);
    ht_syntax_add_children(b, node);
    return node;
}

static ht_syntax *build_with(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor,
                             ht_syntax_kind kind, size_t least, size_t most) {
    ht_syntax *node = ht_syntax_add(b, parent, cursor, kind);
    ht_syntax_add_children(b, node);
    if (node->count < least || node->count > most) {
        ht_syntax_note(b, cursor, "an expression of a kind that is not analysed");
        node->kind = HT_SYNTAX_UNKNOWN;
    }
    return node;
}

static ht_syntax *build_member(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    ht_syntax *node = build_with(b, parent, cursor, HT_SYNTAX_MEMBER, 1, 1);
    node->arrow = node->count == 1 && node->children[0]->type == HT_TYPE_POINTER;
    node->op = node->count ? 0 : HT_UNKNOWN_FIELD;
    return node;
}

/* Builds implicit conversions and the few other kinds that libclang does not expose. */
static ht_syntax *build_unexposed(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    ht_cursors list = ht_ast_children(cursor);
    size_t expressions = 0;
    for (size_t i = 0; i < list.count; ++i)
        expressions += clang_isExpression(clang_getCursorKind(list.items[i])) != 0;
    free(list.items);
    if (expressions == 0)
        return ht_syntax_add(b, parent, cursor, HT_SYNTAX_CONSTANT);
    bool list_init = parent && parent->kind == HT_SYNTAX_VARIABLE;
    return build_with(b, parent, cursor, expressions == 1 ? HT_SYNTAX_CAST : HT_SYNTAX_LIST, 1,
                      list_init ? SIZE_MAX : 1);
}

static bool on_measured(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    ht_syntax_builder *b = context;
    CXCursor target = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(target);
    if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr &&
        (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl))
        b->variables[ht_syntax_note_variable(b, target)].measured = true;
    return true;
}

static ht_syntax *build_kind(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_StringLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_CXXNullPtrLiteralExpr:
    case CXCursor_GNUNullExpr:
    case CXCursor_SizeOfPackExpr:
        return ht_syntax_add(b, parent, cursor, HT_SYNTAX_CONSTANT);
    case CXCursor_UnaryExpr: /* sizeof and alignof: not evaluated */
        ht_ast_walk(cursor, on_measured, b);
        return with_parts(b, ht_syntax_add(b, parent, cursor, HT_SYNTAX_CONSTANT));
    case CXCursor_DeclRefExpr:
        return build_name(b, parent, cursor);
    case CXCursor_ArraySubscriptExpr:
        return build_with(b, parent, cursor, HT_SYNTAX_SUBSCRIPT, 2, 2);
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return build_binary(b, parent, cursor);
    case CXCursor_UnaryOperator:
        return build_unary(b, parent, cursor);
    case CXCursor_ConditionalOperator:
        return build_with(b, parent, cursor, HT_SYNTAX_CONDITIONAL, 3, 3);
    case CXCursor_ParenExpr:
        return build_with(b, parent, cursor, HT_SYNTAX_PAREN, 1, 1);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr: {
        ht_syntax *node = build_with(b, parent, cursor, HT_SYNTAX_CAST, 1, 1);
        node->written = true;
        return node;
    }
    case CXCursor_UnexposedExpr:
        return build_unexposed(b, parent, cursor);
    case CXCursor_CallExpr:
        return ht_syntax_build_call(b, parent, cursor);
    case CXCursor_MemberRefExpr:
        return build_member(b, parent, cursor);
    case CXCursor_InitListExpr:
        return build_with(b, parent, cursor, HT_SYNTAX_LIST, 0, SIZE_MAX);
    case CXCursor_LambdaExpr: {
        ht_syntax *node =
            build_unknown(b, parent, cursor, "a lambda, whose captures are not analysed");
        node->op = HT_UNKNOWN_LAMBDA;
        return node;
    }
    default:
        return build_unknown(b, parent, cursor, "an expression of a kind that is not analysed");
    }
}

/* Builds threadIdx and its kind as one leaf: HIP's headers make classes of them. */
static ht_syntax *build_index(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    CXCursor bare = ht_ast_strip(cursor, true);
    if (clang_getCursorKind(bare) == CXCursor_DeclRefExpr ||
        clang_getCursorKind(cursor) == CXCursor_ParenExpr)
        return NULL;
    int axis = 0;
    ht_index_kind index = ht_ast_index(b->tree.model, ht_ast_strip(cursor, false), &axis);
    if (index == HT_INDEX_NONE || (index == HT_INDEX_GLOBAL && (axis != 0 || b->whole)))
        return NULL;
    ht_syntax *node = ht_syntax_add(b, parent, cursor,
                                    index == HT_INDEX_GLOBAL ? HT_SYNTAX_GLOBAL : HT_SYNTAX_INDEX);
    node->op = (int)index;
    node->axis = axis;
    return node;
}

ht_syntax *ht_syntax_build_expression(ht_syntax_builder *b, ht_syntax *parent, CXCursor cursor) {
    ht_syntax *index = build_index(b, parent, cursor);
    return index ? index : build_kind(b, parent, cursor);
}
