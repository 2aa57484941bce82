/* Variables that are the same for all threads, and barriers under conditions on such alone. */
#include "refactor/kernel/uniform.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct common {
    const ht_model *model;
    bool *differs;    /* of each local: threads may hold different values */
    unsigned *seen;   /* writes of each local that were looked at */
    bool changed;     /* a local turned out to differ */
    bool lost;        /* control that is not followed */
    bool ends_apart;  /* some threads may return where others do not */
    bool meets_apart; /* a barrier under a condition that differs */
} common;

static size_t local_index(const common *in, CXCursor variable) {
    const ht_local *local = ht_model_local(in->model, variable);
    return local ? (size_t)(local - in->model->locals) : SIZE_MAX;
}

/* ---- expressions
 * ---------------------------------------------------------------------------------------------------
 */

typedef struct expression {
    const common *in;
    bool differs;
} expression;

static bool name_differs(const common *in, CXCursor name) {
    CXCursor variable = clang_getCursorReferenced(name);
    size_t local = local_index(in, variable);
    if (local != SIZE_MAX)
        return in->differs[local];
    const ht_parameter *parameter = ht_model_parameter(in->model, variable);
    if (parameter)
        return parameter->is_assigned;
    switch (clang_getCursorKind(variable)) {
    case CXCursor_EnumConstantDecl:
    case CXCursor_NonTypeTemplateParameter:
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
        return false;
    default:
        return !clang_isConstQualifiedType(clang_getCursorType(variable));
    }
}

static bool call_differs(CXCursor call) {
    static const char *const plain[] = {"min", "max", "abs", "__mul24", "__umul24"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i)
        if (ht_cursor_named(call, plain[i]))
            return false;
    return true;
}

static bool on_part(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    expression *out = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    enum CXUnaryOperatorKind unary;
    CXCursor inner;
    int axis;
    if (!clang_isExpression(kind))
        return !out->differs;
    ht_index_kind index = ht_index_plain(out->in->model, cursor, false, &axis);
    if (index != HT_INDEX_NONE) {
        out->differs = out->differs || index == HT_INDEX_THREAD || index == HT_INDEX_BLOCK;
        return false;
    }
    switch (kind) {
    case CXCursor_DeclRefExpr:
        out->differs = out->differs || name_differs(out->in, cursor);
        break;
    case CXCursor_CallExpr:
        out->differs = out->differs || call_differs(cursor);
        break;
    case CXCursor_MemberRefExpr: { /* of a structure that is an argument itself */
        CXCursor base = ht_ast_strip(ht_ast_child(cursor, 0), false);
        const ht_parameter *of = ht_model_parameter(out->in->model, ht_ast_variable(base));
        out->differs = out->differs || !of || of->is_pointer || of->is_assigned;
        break;
    }
    case CXCursor_UnaryOperator:
        out->differs =
            out->differs || (ht_ast_unary(cursor, &unary, &inner) &&
                             (unary == CXUnaryOperator_Deref || unary == CXUnaryOperator_AddrOf));
        break;
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_LambdaExpr:
    case CXCursor_StmtExpr:
        out->differs = true;
        break;
    default:
        break;
    }
    return !out->differs;
}

static bool differs(const common *in, CXCursor cursor) {
    expression out = {in, false};
    if (on_part(cursor, cursor, &out))
        ht_ast_walk(cursor, on_part, &out);
    return out.differs;
}

/* ---- statements
 * ----------------------------------------------------------------------------------------------------
 */

static void mark(common *in, size_t local) {
    if (local == SIZE_MAX || in->differs[local])
        return;
    in->differs[local] = true;
    in->changed = true;
}

/* A write to a variable, under a condition that differs or not. */
static void assign(common *in, CXCursor target, bool apart) {
    size_t local = local_index(in, ht_ast_variable(ht_ast_strip(target, false)));
    if (local == SIZE_MAX)
        return;
    ++in->seen[local];
    if (apart)
        mark(in, local);
}

static void declare(common *in, CXCursor variable, bool apart) {
    const ht_local *local = ht_model_local(in->model, variable);
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    if (!local)
        return;
    bool plain = !local->is_array && !local->is_shared && type.kind != CXType_LValueReference &&
                 type.kind != CXType_RValueReference && type.kind != CXType_Record;
    bool other =
        !clang_Cursor_isNull(local->initializer) && (apart || differs(in, local->initializer));
    if (!plain || other)
        mark(in, local_index(in, variable));
}

static void visit(common *in, CXCursor cursor, bool apart, bool *leaves);

static void visit_all(common *in, CXCursor cursor, bool apart, bool *leaves) {
    ht_cursors list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count; ++i)
        visit(in, list.items[i], apart, leaves);
    free(list.items);
}

static void visit_if(common *in, CXCursor statement, bool apart, bool *leaves) {
    ht_cursors list = ht_ast_children(statement);
    bool plain = list.count == 2 || list.count == 3;
    bool inner = apart || !plain || differs(in, list.items[0]);
    for (size_t i = 0; i < list.count; ++i)
        visit(in, list.items[i], i == 0 ? apart : inner, leaves);
    free(list.items);
}

/* Twice: whether some threads leave the loop early decides what all of its body stands under. */
static void visit_loop(common *in, CXCursor statement, bool apart) {
    ht_cursors list = ht_ast_children(statement);
    bool inner = apart, leaves = false;
    size_t body = clang_getCursorKind(statement) == CXCursor_DoStmt ? 0 : list.count - 1;
    for (size_t i = 0; i < list.count; ++i)
        if (i != body && clang_isExpression(clang_getCursorKind(list.items[i])))
            inner = inner || differs(in, list.items[i]);
    for (int pass = 0; pass < 2; ++pass) {
        unsigned *seen = ht_alloc(in->model->local_count + 1, sizeof *seen);
        memcpy(seen, in->seen, in->model->local_count * sizeof *seen);
        for (size_t i = 0; i < list.count; ++i)
            visit(in, list.items[i], inner || leaves, &leaves);
        if (pass == 0) /* writes count once */
            memcpy(in->seen, seen, in->model->local_count * sizeof *seen);
        free(seen);
    }
    free(list.items);
}

static void visit_expression(common *in, CXCursor cursor, bool apart, bool *leaves) {
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor left, right;
    bool inner = apart;
    if (ht_ast_binary(cursor, &binary, &left, &right)) {
        if (binary >= CXBinaryOperator_Assign && binary <= CXBinaryOperator_OrAssign)
            assign(in, left, apart || differs(in, right));
        else if (binary == CXBinaryOperator_LAnd || binary == CXBinaryOperator_LOr)
            inner = apart || differs(in, cursor);
    } else if (ht_ast_unary(cursor, &unary, &left)) {
        if (unary <= CXUnaryOperator_PreDec)
            assign(in, left, apart);
    } else if (clang_getCursorKind(cursor) == CXCursor_ConditionalOperator)
        inner = apart || differs(in, cursor);
    else if (clang_getCursorKind(cursor) == CXCursor_CallExpr && ht_ast_is_barrier(cursor))
        in->meets_apart = in->meets_apart || apart;
    visit_all(in, cursor, inner, leaves);
}

static void visit(common *in, CXCursor cursor, bool apart, bool *leaves) {
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    switch (kind) {
    case CXCursor_IfStmt:
        visit_if(in, cursor, apart, leaves);
        return;
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        visit_loop(in, cursor, apart);
        return;
    case CXCursor_ReturnStmt:
        in->ends_apart = in->ends_apart || apart;
        break;
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
        *leaves = *leaves || apart;
        return;
    case CXCursor_SwitchStmt:
    case CXCursor_CXXForRangeStmt:
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_LabelStmt:
    case CXCursor_CXXTryStmt:
    case CXCursor_LambdaExpr:
        in->lost = true;
        return;
    case CXCursor_VarDecl:
        declare(in, cursor, apart);
        break;
    default:
        break;
    }
    if (clang_isExpression(kind))
        visit_expression(in, cursor, apart, leaves);
    else
        visit_all(in, cursor, apart, leaves);
}

static bool on_barrier(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bool *found = context;
    *found =
        *found || (clang_getCursorKind(cursor) == CXCursor_CallExpr && ht_ast_is_barrier(cursor));
    return !*found;
}

static bool functions_wait(const ht_model *model) {
    bool found = false;
    for (size_t i = 0; i < model->facts->reached_count && !found; ++i)
        if (!clang_equalCursors(model->facts->reached[i], model->kernel))
            ht_ast_walk(model->facts->reached[i], on_barrier, &found);
    return found;
}

bool ht_barriers_are_common(const ht_model *model) {
    common in = {.model = model,
                 .differs = ht_alloc(model->local_count + 1, sizeof(bool)),
                 .seen = ht_alloc(model->local_count + 1, sizeof(unsigned))};
    bool leaves = false;
    do {
        memset(in.seen, 0, model->local_count * sizeof *in.seen);
        in.changed = in.meets_apart = in.ends_apart = false;
        visit(&in, model->body, false, &leaves);
        for (size_t i = 0; i < model->local_count; ++i)
            if (in.seen[i] != model->locals[i].writes) /* written in a way that was not seen */
                mark(&in, i);
    } while (in.changed && !in.lost);
    bool common = !in.lost && !in.meets_apart && !in.ends_apart && !functions_wait(model);
    free(in.differs);
    free(in.seen);
    return common;
}

/* ---- votes
 * ----------------------------------------------------------------------------------------------------------
 */

typedef struct vote_search {
    bool found;
    int line;
} vote_search;

static bool on_vote(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    vote_search *in = context;
    if (clang_getCursorKind(cursor) != CXCursor_CallExpr || in->found)
        return !in->found;
    char *name = ht_cursor_name(cursor);
    in->found = strncmp(name, "__syncthreads_", strlen("__syncthreads_")) == 0;
    in->line = in->found ? ht_ast_line(cursor) : 0;
    free(name);
    return !in->found;
}

bool ht_block_votes(const ht_model *model, int *out_line) {
    vote_search in = {0};
    for (size_t i = 0; i < model->facts->reached_count && !in.found; ++i)
        ht_ast_walk(model->facts->reached[i], on_vote, &in);
    *out_line = in.line;
    return in.found;
}
