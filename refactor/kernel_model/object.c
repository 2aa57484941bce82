/* Calls that change what they are called on: assignments of class types, methods, arguments bound
 * to references. */
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool ht_scan_is_local_object(const ht_scan *scan, CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, true);
    while (clang_getCursorKind(cursor) == CXCursor_MemberRefExpr && !ht_scan_is_pointer(cursor)) {
        CXCursor base = ht_ast_child(cursor, 0);
        if (clang_Cursor_isNull(base) || ht_scan_is_pointer(ht_ast_strip(base, true)))
            return false;
        cursor = ht_ast_strip(base, true);
    }
    CXCursor variable = ht_ast_variable(cursor);
    enum CXCursorKind kind = clang_getCursorKind(variable);
    const ht_local *local = ht_model_local(scan->facts, variable);
    CXType type = clang_getCursorType(variable);
    bool reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
    return (kind == CXCursor_ParmDecl || kind == CXCursor_VarDecl) && !reference &&
           !(local && local->is_shared) && clang_getCursorLinkage(variable) == CXLinkage_NoLinkage;
}

/* An object that something is done to: its memory, if it is the launch's. */
static void touch_object(ht_scan *scan, CXCursor object, bool read, bool write) {
    ht_km_target target;
    if (ht_scan_is_local_object(scan, object))
        return;
    if (ht_scan_target(scan, object, &target))
        ht_scan_record(scan, &target, read, write, false, object);
    else if (write)
        ht_scan_incomplete(scan, object, "what is written is not followed");
}

static bool assigns(const char *op) {
    static const char *const compares[] = {"==", "!=", "<=", ">="};
    size_t length = strlen(op);
    for (size_t i = 0; i < sizeof compares / sizeof *compares; ++i)
        if (strcmp(op, compares[i]) == 0)
            return false;
    return length && (op[length - 1] == '=' || strcmp(op, "++") == 0 || strcmp(op, "--") == 0);
}

static bool is_of_user(const ht_scan *scan, CXCursor callee) {
    size_t file;
    ht_range range;
    CXCursor definition = clang_Cursor_isNull(callee) ? callee : clang_getCursorDefinition(callee);
    return !clang_Cursor_isNull(definition) && !clang_CXXMethod_isDefaulted(definition) &&
           ht_source_range(scan->facts->facts->source, definition, &file, &range) &&
           clang_getCursorKind(definition) != CXCursor_StructDecl &&
           clang_getCursorKind(definition) != CXCursor_ClassDecl;
}

/* a = b, a += b, ++a of objects. */
bool ht_scan_assigns_object(ht_scan *scan, CXCursor call, const char *name) {
    int count = clang_Cursor_getNumArguments(call);
    if (strncmp(name, "operator", 8) != 0 || !assigns(name + 8) || count < 1)
        return false;
    for (int i = 1; i < count; ++i)
        ht_scan_value(scan, clang_Cursor_getArgument(call, (unsigned)i));
    touch_object(scan, clang_Cursor_getArgument(call, 0), name[8] != '=' || name[9], true);
    CXCursor callee = clang_getCursorReferenced(call);
    if (is_of_user(scan, callee))
        ht_scan_incomplete(scan, call, "an operator's body is not followed");
    return true;
}

/* object.method(...), of what is not known as a whole. False: no method. */
bool ht_scan_calls_method(ht_scan *scan, CXCursor call) {
    CXCursor callee = clang_getCursorReferenced(call);
    CXCursor member = ht_ast_strip(ht_ast_child(call, 0), false);
    if (clang_getCursorKind(callee) != CXCursor_CXXMethod || clang_CXXMethod_isStatic(callee) ||
        clang_getCursorKind(member) != CXCursor_MemberRefExpr)
        return false;
    CXCursor object = ht_ast_child(member, 0);
    for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i)
        ht_scan_value(scan, clang_Cursor_getArgument(call, (unsigned)i));
    bool constant = clang_CXXMethod_isConst(callee) != 0;
    if (!clang_Cursor_isNull(object))
        touch_object(scan, object, true, !constant);
    if (is_of_user(scan, callee) && !constant)
        ht_scan_incomplete(scan, call, "a method's body is not followed");
    return !constant || !is_of_user(scan, callee);
}

static bool binds_mutable(CXCursor function, unsigned index) {
    CXType type = clang_getCursorType(function);
    int count = clang_getNumArgTypes(type);
    CXType of = (int)index < count ? clang_getCanonicalType(clang_getArgType(type, index))
                                   : (CXType){.kind = CXType_Invalid};
    return of.kind == CXType_LValueReference &&
           !clang_isConstQualifiedType(clang_getPointeeType(of));
}

void ht_scan_bound_arguments(ht_scan *scan, CXCursor call, CXCursor callee) {
    for (int i = 0; !clang_Cursor_isNull(callee) && i < clang_Cursor_getNumArguments(call); ++i)
        if (binds_mutable(callee, (unsigned)i))
            touch_object(scan, clang_Cursor_getArgument(call, (unsigned)i), true, true);
}
