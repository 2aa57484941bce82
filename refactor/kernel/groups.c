#include "refactor/kernel/groups.h"

#include "refactor/kernel/callees.h"
#include "refactor/source/ast.h"

#include <stdlib.h>

static bool is_of_groups(CXCursor declaration) {
    return ht_cursor_in_namespace(declaration, "cooperative_groups");
}

/* Returns true for cooperative_groups::thread_block, which any reference may lead to. */
static bool is_block(CXType type) {
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
        type = clang_getCanonicalType(clang_getPointeeType(type));
    CXCursor declaration = clang_getTypeDeclaration(type);
    return type.kind == CXType_Record && ht_cursor_named(declaration, "thread_block") &&
           is_of_groups(declaration);
}

/* Returns true for `block` and this_thread_block(): nothing is computed for them. */
static bool is_plain_block(CXCursor expression) {
    expression = ht_ast_strip(expression, false);
    enum CXCursorKind kind = clang_getCursorKind(expression);
    if (!is_block(clang_getCursorType(expression)))
        return false;
    return kind == CXCursor_DeclRefExpr ||
           (kind == CXCursor_CallExpr && clang_Cursor_getNumArguments(expression) == 0 &&
            ht_cursor_named(expression, "this_thread_block"));
}

bool ht_group_is_barrier(CXCursor call) {
    CXCursor callee = clang_getCursorReferenced(call);
    if (clang_getCursorKind(call) != CXCursor_CallExpr || !ht_cursor_named(callee, "sync") ||
        !is_of_groups(callee))
        return false;
    int count = clang_Cursor_getNumArguments(call);
    if (clang_getCursorKind(callee) != CXCursor_CXXMethod)
        return count == 1 && is_plain_block(clang_Cursor_getArgument(call, 0));
    CXCursor member = ht_ast_strip(ht_ast_child(call, 0), false);
    CXCursor object = ht_ast_child(member, 0);
    return count == 0 && clang_getCursorKind(member) == CXCursor_MemberRefExpr &&
           is_block(clang_getCursorType(clang_getCursorSemanticParent(callee))) &&
           !clang_Cursor_isNull(object) && is_plain_block(object);
}

/* Returns true if a call hands the block's group on to what may ask it for more: to a template,
 * whose text does not say which function it calls, or to a constructor of another class. */
static bool hands_on(CXCursor call) {
    CXCursor callee = clang_getCursorReferenced(call);
    enum CXCursorKind kind = clang_getCursorKind(callee);
    bool followed = (kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod) &&
                    clang_Cursor_isNull(clang_getSpecializedCursorTemplate(callee));
    bool made = kind == CXCursor_Constructor && is_of_groups(callee);
    int count = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < count && !followed && !made; ++i)
        if (is_block(clang_getCursorType(clang_Cursor_getArgument(call, (unsigned)i))))
            return true;
    return false;
}

/* Returns true for declarations of which a barrier is made. */
static bool is_allowed(CXCursor declaration) {
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    CXCursor scope = clang_getCursorSemanticParent(declaration);
    bool of_block = is_block(clang_getCursorType(scope));
    if (kind == CXCursor_Constructor || kind == CXCursor_Destructor)
        return of_block;
    if (kind == CXCursor_CXXMethod)
        return of_block && ht_cursor_named(declaration, "sync");
    return ht_cursor_named(declaration, "this_thread_block") ||
           ht_cursor_named(declaration, "sync") || is_block(clang_getCursorType(declaration));
}

bool ht_group_is_other(CXCursor cursor) {
    CXCursor referenced = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_NamespaceRef)
        return false; /* the name after it decides */
    if (kind == CXCursor_CallExpr && hands_on(cursor) && !ht_group_is_barrier(cursor))
        return true;
    char *name = ht_cursor_name(cursor);
    bool named = ht_callee_class_of(name) == HT_CALLEE_GROUPS;
    free(name);
    if (clang_Cursor_isNull(referenced) ||
        clang_getCursorKind(referenced) == CXCursor_OverloadedDeclRef || !is_of_groups(referenced))
        return named;
    if (kind == CXCursor_CallExpr && ht_cursor_named(referenced, "sync"))
        return !ht_group_is_barrier(cursor);
    return !is_allowed(referenced);
}
