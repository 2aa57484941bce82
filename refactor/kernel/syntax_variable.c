#include "refactor/kernel/syntax_variable.h"
#include "base/memory.h"
#include "refactor/kernel/model.h"
#include "refactor/source/ast.h"

#include <string.h>

/* ---- types ---- */

static ht_type_kind type_kind(CXType type) {
    switch (type.kind) {
    case CXType_Pointer:
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_DependentSizedArray:
        return HT_TYPE_POINTER;
    case CXType_Bool:
        return HT_TYPE_BOOL;
    case CXType_Float:
    case CXType_Double:
        return HT_TYPE_REAL;
    case CXType_Char16:
    case CXType_Char32:
    case CXType_UInt128:
    case CXType_WChar:
        return HT_TYPE_OTHER;
    default:
        return type.kind >= CXType_Char_U && type.kind <= CXType_LongLong ? HT_TYPE_INTEGER
                                                                          : HT_TYPE_OTHER;
    }
}

static bool is_whole(CXType type) {
    return ht_type_is_integer(type) || clang_getCanonicalType(type).kind == CXType_Enum;
}

static bool is_open(CXType type) {
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_Dependent || kind == CXType_Unexposed;
}

static bool is_array(CXType type) {
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind >= CXType_ConstantArray && kind <= CXType_DependentSizedArray;
}

static unsigned rank_of(CXType type) {
    unsigned rank = 0;
    for (; is_array(type); type = clang_getArrayElementType(type))
        ++rank;
    return rank;
}

void ht_syntax_set_type(ht_syntax *node, CXType written) {
    CXType type = clang_getCanonicalType(ht_type_referred(written));
    node->type = type_kind(type);
    node->is_whole = is_whole(type);
    node->is_open = is_open(type);
    node->is_record = type.kind == CXType_Record;
    node->rank = rank_of(type);
    node->is_volatile = clang_isVolatileQualifiedType(written);
    if (node->type == HT_TYPE_POINTER) {
        node->is_array = type.kind != CXType_Pointer;
        node->step = clang_Type_getSizeOf(node->is_array ? clang_getArrayElementType(type)
                                                         : clang_getPointeeType(type));
    }
    if (node->type == HT_TYPE_INTEGER) {
        node->bits = (unsigned)(8 * clang_Type_getSizeOf(type));
        node->is_signed = type.kind >= CXType_Char_S;
    }
}

/* ---- variables ---- */

static ht_memory_space space_of(CXCursor declaration) {
    if (clang_getCursorKind(declaration) != CXCursor_VarDecl)
        return HT_SPACE_GLOBAL;
    if (ht_ast_is_shared(declaration))
        return clang_Cursor_getStorageClass(declaration) == CX_SC_Extern ? HT_SPACE_DYNAMIC_SHARED
                                                                         : HT_SPACE_SHARED;
    if (ht_ast_has(declaration, CXCursor_CUDAConstantAttr))
        return HT_SPACE_CONSTANT;
    enum CXCursorKind scope = clang_getCursorKind(clang_getCursorSemanticParent(declaration));
    bool inside = scope == CXCursor_FunctionDecl || scope == CXCursor_FunctionTemplate ||
                  scope == CXCursor_CXXMethod;
    return inside ? HT_SPACE_PRIVATE : HT_SPACE_GLOBAL;
}

static bool is_written_through(CXType type) {
    return type.kind == CXType_RValueReference ||
           (type.kind == CXType_LValueReference &&
            !clang_isConstQualifiedType(clang_getPointeeType(type)));
}

static bool is_int(CXType type) {
    return type.kind == CXType_Int || type.kind == CXType_Short || type.kind == CXType_Bool ||
           type.kind == CXType_SChar;
}

size_t ht_syntax_note_variable(ht_syntax_builder *b, CXCursor declaration) {
    for (size_t i = 0; i < b->tree.variable_count; ++i)
        if (clang_equalCursors(b->declared[i], declaration))
            return i;
    CXType type = clang_getCursorType(declaration);
    CXType canonical = clang_getCanonicalType(type);
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    unsigned place;
    clang_getFileLocation(clang_getCursorLocation(declaration), NULL, NULL, NULL, &place);
    ht_syntax_variable variable = {
        .name = ht_cursor_name(declaration),
        .tree = &b->tree,
        .index = b->tree.variable_count,
        .at = ht_syntax_place(&b->tree, declaration),
        .local = ht_model_local(b->tree.model, declaration),
        .parameter = ht_model_parameter(b->tree.model, declaration),
        .type = type_kind(clang_getCanonicalType(ht_type_referred(type))),
        .is_record = canonical.kind == CXType_Record,
        .space = space_of(declaration),
        .is_const = clang_isConstQualifiedType(type),
        .is_whole = is_whole(type),
        .is_open = is_open(type),
        .is_undeduced = canonical.kind == CXType_Auto,
        .is_int = is_int(canonical),
        .is_static = clang_Cursor_getStorageClass(declaration) == CX_SC_Static,
        .is_constant_name = kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl,
        .is_template_parameter = kind == CXCursor_NonTypeTemplateParameter,
        .is_written_through = is_written_through(canonical),
        .rank = rank_of(type),
        .is_parameter = kind == CXCursor_ParmDecl,
        .is_array =
            canonical.kind == CXType_ConstantArray || canonical.kind == CXType_DependentSizedArray,
        .is_reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference,
    };
    if (ht_type_is_volatile(type))
        ht_syntax_note(b, declaration, "`%s` is volatile memory, or points to it", variable.name);
    variable.name_end = place + strlen(variable.name);
    HT_GROW(b->variables, b->tree.variable_count);
    HT_GROW(b->declared, b->tree.variable_count);
    b->variables[b->tree.variable_count] = variable;
    b->declared[b->tree.variable_count] = declaration;
    return b->tree.variable_count++;
}
