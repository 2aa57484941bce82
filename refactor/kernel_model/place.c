/* Arrays, and what a subscript or a dereference names. */
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static char *type_text(CXType type) {
    CXString spelling = clang_getTypeSpelling(type);
    char *text = ht_strdup(clang_getCString(spelling));
    clang_disposeString(spelling);
    return text;
}

static size_t array_new(ht_scan *scan, const char *name, CXCursor declaration, CXCursor at) {
    ht_kernel_model *km = scan->km;
    HT_GROW(km->arrays, km->array_count);
    km->arrays[km->array_count] = (ht_km_array){.name = ht_strdup(name),
                                                .element = ht_strdup(""),
                                                .declaration = declaration,
                                                .place = ht_scan_where(scan, at)};
    return km->array_count++;
}

size_t ht_scan_array_named(ht_scan *scan, const char *name, CXCursor at) {
    for (size_t i = 0; i < scan->km->array_count; ++i)
        if (clang_Cursor_isNull(scan->km->arrays[i].declaration) &&
            strcmp(scan->km->arrays[i].name, name) == 0)
            return i;
    return array_new(scan, name, clang_getNullCursor(), at);
}

/* The expressions between a declaration's brackets: its children that are expressions, up to as
 * many as the type has dimensions, ahead of an initialiser. */
static void read_extents(ht_scan *scan, size_t array, CXCursor declaration, CXType type) {
    ht_km_array *of = &scan->km->arrays[array];
    ht_cursors list = ht_ast_children(declaration);
    size_t next = 0;
    while (type.kind >= CXType_ConstantArray && type.kind <= CXType_DependentSizedArray &&
           of->extent_count < 8) {
        const ht_poly *extent = NULL;
        char *text = NULL;
        while (next < list.count && !clang_isExpression(clang_getCursorKind(list.items[next])))
            ++next;
        int64_t value = clang_getArraySize(type);
        if (type.kind != CXType_IncompleteArray && next < list.count) {
            ht_range range;
            if (ht_source_place(scan->facts->facts->source, list.items[next], &range) &&
                ht_source_file_of(scan->facts->facts->source, list.items[next]) == 0)
                text = ht_model_text(scan->facts, range);
            if (type.kind != CXType_ConstantArray) {
                ++scan->dry;
                extent = ht_scan_integer(scan, list.items[next]);
                --scan->dry;
                of = &scan->km->arrays[array];
            }
            ++next;
        }
        if (type.kind == CXType_ConstantArray)
            extent = ht_poly_constant(&scan->km->pool, value);
        HT_GROW(of->extents, of->extent_count);
        void **texts = (void **)of->extent_texts;
        HT_GROW(texts, of->extent_count);
        of->extent_texts = (char **)texts;
        of->extents[of->extent_count] = extent;
        of->extent_texts[of->extent_count++] = text;
        type = clang_getArrayElementType(type);
    }
    free(list.items);
    free(of->element);
    of->element = type_text(type);
}

static ht_km_space space_of(const ht_scan *scan, CXCursor declaration) {
    const ht_local *local = ht_model_local(scan->facts, declaration);
    if (ht_ast_has(declaration, CXCursor_CUDASharedAttr))
        return clang_Cursor_getStorageClass(declaration) == CX_SC_Extern ? HT_SPACE_DYNAMIC_SHARED
                                                                         : HT_SPACE_SHARED;
    if (ht_ast_has(declaration, CXCursor_CUDAConstantAttr))
        return HT_SPACE_CONSTANT;
    CXCursor parent = clang_getCursorSemanticParent(declaration);
    enum CXCursorKind kind = clang_getCursorKind(parent);
    bool inside = kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
                  kind == CXCursor_CXXMethod;
    return (local || inside) && clang_getCursorKind(declaration) == CXCursor_VarDecl
               ? HT_SPACE_PRIVATE
               : HT_SPACE_GLOBAL;
}

size_t ht_scan_array(ht_scan *scan, CXCursor declaration) {
    ht_kernel_model *km = scan->km;
    for (size_t i = 0; i < km->array_count; ++i)
        if (clang_equalCursors(km->arrays[i].declaration, declaration))
            return i;
    char *name = ht_cursor_name(declaration);
    size_t index = array_new(scan, name, declaration, declaration);
    free(name);
    km->arrays[index].space = space_of(scan, declaration);
    CXType type = clang_getCanonicalType(clang_getCursorType(declaration));
    if (type.kind == CXType_Pointer) {
        CXType pointee = clang_getPointeeType(type);
        free(km->arrays[index].element);
        km->arrays[index].element = type_text(pointee);
        km->arrays[index].is_const = clang_isConstQualifiedType(pointee) != 0;
        km->arrays[index].is_restrict =
            clang_isRestrictQualifiedType(clang_getCursorType(declaration)) != 0;
    } else {
        read_extents(scan, index, declaration, clang_getCursorType(declaration));
        km->arrays[index].is_const = km->arrays[index].space == HT_SPACE_CONSTANT;
    }
    return index;
}

/* ---- targets
 * ------------------------------------------------------------------------------------------ */

static bool is_array_type(CXType type) {
    type = clang_getCanonicalType(type);
    return type.kind >= CXType_ConstantArray && type.kind <= CXType_DependentSizedArray;
}

/* Subscripts that an expression can still take before it is an element. In a template what stands
 * behind one has a dependent type: its array is asked. */
static unsigned rank(CXCursor expression) {
    CXCursor cursor = ht_ast_strip(expression, false);
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    bool open =
        type.kind == CXType_Dependent && clang_getCursorKind(cursor) == CXCursor_ArraySubscriptExpr;
    if (open) {
        CXCursor base = ht_ast_child(cursor, 0);
        unsigned outer = clang_Cursor_isNull(base) ? 0 : rank(base);
        return outer ? outer - 1 : 0;
    }
    unsigned count = 0;
    for (; is_array_type(type); type = clang_getArrayElementType(type))
        ++count;
    return count;
}

static bool push_subscript(ht_scan *scan, ht_km_target *target, const ht_poly *subscript) {
    (void)scan;
    if (target->count == 8)
        return false;
    target->subscripts[target->count++] = subscript;
    return true;
}

static bool pointer_target(ht_scan *scan, CXCursor pointer, const ht_poly *step, CXCursor at,
                           ht_km_target *out) {
    ht_km_value value = ht_scan_value(scan, pointer);
    CXCursor named = ht_ast_strip(pointer, false);
    char *name = ht_cursor_name(named);
    CXCursor overloads = ht_ast_child(named, 0);
    if (!name[0] && clang_getCursorKind(overloads) == CXCursor_OverloadedDeclRef &&
        clang_getNumOverloadedDecls(overloads) == 1) {
        free(name);
        name = ht_cursor_name(overloads);
    }
    if (!value.is_pointer && clang_getCursorKind(named) == CXCursor_DeclRefExpr && name[0])
        value = (ht_km_value){true, ht_scan_array_named(scan, name, at), /* a variable template */
                              ht_poly_constant(&scan->km->pool, 0)};
    free(name);
    *out = (ht_km_target){.array = value.is_pointer ? value.array : SIZE_MAX};
    const ht_poly *offset = value.is_pointer ? value.value : NULL;
    if (!offset)
        offset = ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "pointer not followed").value;
    return push_subscript(scan, out, step ? ht_scan_sum(scan, at, offset, step, 1) : offset);
}

static bool subscript_target(ht_scan *scan, CXCursor cursor, ht_km_target *out) {
    ht_cursors list = ht_ast_children(cursor);
    bool found = false;
    if (list.count == 2) {
        CXCursor base = ht_ast_strip(list.items[0], false);
        if (rank(base) && ht_scan_target(scan, base, out)) {
            const ht_poly *subscript = ht_scan_integer(scan, list.items[1]);
            found = push_subscript(scan, out, subscript);
        } else {
            const ht_poly *subscript = ht_scan_integer(scan, list.items[1]);
            found = pointer_target(scan, list.items[0], subscript, cursor, out);
        }
        out->whole = rank(cursor) != 0;
    } else
        ht_scan_children(scan, cursor);
    free(list.items);
    return found;
}

static bool name_target(ht_scan *scan, CXCursor cursor, ht_km_target *out) {
    CXCursor declaration = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    *out = (ht_km_target){.array = SIZE_MAX};
    if (kind != CXCursor_VarDecl)
        return false;
    ht_km_space space = space_of(scan, declaration);
    if (space == HT_SPACE_PRIVATE && !is_array_type(clang_getCursorType(declaration)))
        return false; /* a local variable, or an object */
    if (!is_array_type(clang_getCursorType(declaration)) && space != HT_SPACE_SHARED &&
        space != HT_SPACE_DYNAMIC_SHARED &&
        clang_isConstQualifiedType(clang_getCursorType(declaration)))
        return false;
    out->array = ht_scan_array(scan, declaration);
    out->whole = is_array_type(clang_getCursorType(declaration));
    if (!out->whole) /* a single variable of the device's or the block's memory */
        push_subscript(scan, out, ht_poly_constant(&scan->km->pool, 0));
    return true;
}

bool ht_scan_target(ht_scan *scan, CXCursor expression, ht_km_target *out_target) {
    CXCursor cursor = ht_ast_strip(expression, false), operand;
    enum CXUnaryOperatorKind unary;
    *out_target = (ht_km_target){.array = SIZE_MAX};
    if (!ht_scan_tick(scan) || scan->depth > 150)
        return false;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_ArraySubscriptExpr:
        return subscript_target(scan, cursor, out_target);
    case CXCursor_DeclRefExpr:
        return name_target(scan, cursor, out_target);
    case CXCursor_MemberRefExpr: {
        CXCursor base = ht_ast_child(cursor, 0);
        if (clang_Cursor_isNull(base))
            return false;
        CXType type = clang_getCanonicalType(clang_getCursorType(ht_ast_strip(base, false)));
        return type.kind == CXType_Pointer ? pointer_target(scan, base, NULL, cursor, out_target)
                                           : ht_scan_target(scan, base, out_target);
    }
    default:
        break;
    }
    if (ht_ast_unary(cursor, &unary, &operand) && unary == CXUnaryOperator_Deref) {
        bool found = pointer_target(scan, operand, NULL, cursor, out_target);
        out_target->whole = is_array_type(clang_getCursorType(cursor));
        return found;
    }
    ht_scan_value(scan, cursor);
    return false;
}

/* ---- recording
 * ---------------------------------------------------------------------------------------- */

static void unknown_array(ht_scan *scan, CXCursor at) {
    ht_scan_incomplete(scan, at, "an access goes through a pointer that is not followed");
}

/* Elements of another size than before: their subscripts count other units. */
static void note_size(ht_km_array *array, CXCursor at) {
    CXType type = clang_getCursorType(ht_ast_strip(at, false));
    if (type.kind == CXType_Invalid || type.kind == CXType_Unexposed ||
        clang_getCanonicalType(type).kind == CXType_FunctionProto)
        return; /* libclang does not survive the question of a method's size */
    long long bytes = clang_Type_getSizeOf(type);
    if (bytes <= 0)
        return;
    if (array->element_bytes && array->element_bytes != bytes &&
        clang_getCursorKind(ht_ast_strip(at, false)) != CXCursor_MemberRefExpr)
        array->mixed = true;
    if (!array->element_bytes)
        array->element_bytes = bytes;
}

void ht_scan_record(ht_scan *scan, const ht_km_target *target, bool read, bool write, bool atomic,
                    CXCursor at) {
    if (scan->dry)
        return;
    if (target->array == SIZE_MAX) {
        unknown_array(scan, at);
        return;
    }
    ht_kernel_model *km = scan->km;
    ht_km_array *array = &km->arrays[target->array];
    array->read = array->read || read;
    array->written = array->written || write;
    array->atomic = array->atomic || atomic;
    if (array->space == HT_SPACE_PRIVATE)
        return;
    note_size(array, at);
    array->mixed = array->mixed || target->whole;
    ht_km_access access = {.array = target->array,
                           .read = read,
                           .write = write,
                           .atomic = atomic,
                           .subscript_count = target->count,
                           .order = scan->order++,
                           .control = ht_scan_control(scan),
                           .place = ht_scan_where(scan, at),
                           .cursor = at};
    access.subscripts = ht_poly_pool_alloc(&km->pool, target->count, sizeof *access.subscripts);
    memcpy(access.subscripts, target->subscripts, target->count * sizeof *access.subscripts);
    HT_GROW(km->accesses, km->access_count);
    km->accesses[km->access_count++] = access;
}

void ht_scan_escape(ht_scan *scan, const ht_km_value *value, CXCursor at) {
    if (!value->is_pointer || scan->dry)
        return;
    if (value->array == SIZE_MAX) {
        unknown_array(scan, at);
        return;
    }
    ht_km_array *array = &scan->km->arrays[value->array];
    array->escapes = true;
    array->read = true;
    array->written = array->written || !array->is_const;
}
