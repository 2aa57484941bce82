/* Element types of which one access can load or store several. */
#include "refactor/kernel/elements.h"
#include "refactor/kernel/syntax_origin.h"

#include <stdbool.h>
#include <string.h>

enum { WIDEST = 16 }; /* bytes of an access */

static bool is_plain_type(CXType type);

typedef struct member_walk {
    CXCursor record;
    bool plain, constructed, by_default; /* `constructed`: has constructors; `by_default`: one of
                                            them takes no arguments */
} member_walk;

static bool is_record_of(CXType type, CXCursor record) {
    type = clang_getCanonicalType(ht_type_referred(type));
    return clang_equalCursors(clang_getTypeDeclaration(type), record);
}

/* Returns true if a member copies the record and the user wrote it: a constructor or operator= that
 * takes the record itself and is not defaulted. */
static bool is_own_copy(const member_walk *walk, CXCursor member) {
    enum CXCursorKind kind = clang_getCursorKind(member);
    bool copies = kind == CXCursor_Constructor || ht_cursor_named(member, "operator=");
    return copies && clang_Cursor_getNumArguments(member) == 1 &&
           is_record_of(clang_getCursorType(clang_Cursor_getArgument(member, 0)), walk->record) &&
           !clang_CXXMethod_isDefaulted(member);
}

static enum CXChildVisitResult on_member(CXCursor cursor, CXCursor parent, CXClientData context) {
    (void)parent;
    member_walk *walk = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if ((kind == CXCursor_Destructor && !clang_CXXMethod_isDefaulted(cursor)) ||
        ((kind == CXCursor_Constructor || kind == CXCursor_CXXMethod) && is_own_copy(walk, cursor)))
        walk->plain = false;
    if (kind == CXCursor_Constructor && !clang_CXXConstructor_isCopyConstructor(cursor) &&
        !clang_CXXConstructor_isMoveConstructor(cursor)) {
        walk->constructed = true;
        walk->by_default |= clang_CXXConstructor_isDefaultConstructor(cursor) != 0;
    }
    if (kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier)
        walk->plain = walk->plain && is_plain_type(clang_getCursorType(cursor));
    return walk->plain ? CXChildVisit_Continue : CXChildVisit_Break;
}

/* Returns true for float2 and the other vector types of HIP's headers, whose members are written
 * out there. */
static bool is_hip_vector(CXCursor record) {
    return ht_cursor_named(record, "HIP_vector_type") &&
           clang_Location_isInSystemHeader(clang_getCursorLocation(record));
}

/* Returns true if copying a value's bytes copies the value. The types of a template's arguments are
 * taken to be such, since a launch passes them as bytes, too. */
static bool is_plain_type(CXType type) {
    type = clang_getCanonicalType(type);
    if (clang_isVolatileQualifiedType(type))
        return false;
    if (type.kind == CXType_ConstantArray)
        return is_plain_type(clang_getArrayElementType(type));
    if (type.kind != CXType_Record)
        return type.kind != CXType_Invalid;
    member_walk walk = {clang_getTypeDeclaration(type), true, false, false};
    if (!is_hip_vector(walk.record))
        clang_visitChildren(walk.record, on_member, &walk);
    return walk.plain && (walk.by_default || !walk.constructed);
}

static const char *unfit(CXType element) {
    long long size = clang_Type_getSizeOf(element);
    if (clang_isVolatileQualifiedType(clang_getCanonicalType(element)))
        return "it is volatile";
    if (!is_plain_type(element))
        return "its elements are not copied as plain bytes";
    if (size >= WIDEST)
        return "an element is as wide as an access can be";
    return NULL;
}

const char *ht_element_unfit(const ht_syntax *element) {
    return unfit(clang_getCursorType(ht_syntax_cursor(element)));
}

const char *ht_elements_unfit(const ht_parameter *array) {
    CXType type = clang_getCanonicalType(clang_getCursorType(array->cursor));
    return unfit(clang_getPointeeType(type));
}
