#include "refactor/infer/infer_constant.h"

#include "base/memory.h"
#include "refactor/infer/infer_host.h"
#include "refactor/infer/infer_texture.h"
#include "refactor/infer/infer_type.h"
#include "refactor/source/ast.h"
#include "refactor/unit/slice_extern.h"
#include "templates/expr/type.h"

#include <stdlib.h>
#include <string.h>

/* Returns the type of the elements of an array, or of an array of arrays. *out_count: their number;
 * 1: it is not an array. */
static CXType element_of(CXType type, long long *out_count) {
    *out_count = 1;
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray) {
        *out_count *= clang_getArraySize(type);
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    }
    return type;
}

static bool is_real_array(CXType type) {
    long long count;
    bool array = clang_getCanonicalType(type).kind == CXType_ConstantArray;
    type = element_of(type, &count);
    return array && (type.kind == CXType_Float || type.kind == CXType_Double);
}

/* Returns true for the call of a constructor that nobody wrote: of a structure without an
 * initialiser. */
static bool is_implicit(CXCursor initial) {
    return clang_getCursorKind(initial) == CXCursor_CallExpr &&
           clang_Cursor_getNumArguments(initial) == 0;
}

/* Returns true for constant memory that other code fills, and for tables of real numbers in device
 * memory, which are as good: with zeros in them, reads of them would not show in results. Integers
 * in device memory may be counters and indices, so they are not filled. */
static bool is_constant(CXCursor cursor) {
    if (ht_infer_reference_count(cursor))
        return true;
    bool found =
        ht_ast_has(cursor, CXCursor_CUDAConstantAttr) ||
        (ht_ast_has(cursor, CXCursor_CUDADeviceAttr) && is_real_array(clang_getCursorType(cursor)));
    if (!found)
        return false;
    CXCursor initial = clang_Cursor_getVarDeclInitializer(cursor);
    return clang_Cursor_isNull(initial) || is_implicit(initial);
}

/* Returns the type of a constant's numbers, and their count; of a structure with fields of several
 * types its bytes, with contents. NULL: they are not known. */
static char *numbers_of(CXCursor cursor, long long *out_count, char **out_contents) {
    const long long texels = ht_infer_reference_count(cursor);
    CXType type = element_of(clang_getCursorType(cursor), out_count);
    char *element = texels ? ht_strdup("float") : ht_type_plain(type);
    *out_contents = NULL;
    if (texels)
        *out_count = texels;
    if (ht_type_size(element))
        return element;
    free(element);
    long long parts = 1;
    element = ht_infer_record_parts(type, &parts);
    *out_count *= parts;
    if (!element || strcmp(element, HT_INFER_BYTES) != 0)
        return element;
    *out_contents = ht_infer_record_contents(type);
    if (*out_contents)
        return element;
    free(element);
    return NULL;
}

static void constant_add(ht_infer *in, CXCursor cursor, json_t *args) {
    long long count;
    char *contents, *name = ht_cursor_qualified_name(cursor);
    char *element = numbers_of(cursor, &count, &contents);
    bool known = element && count > 0;
    if (!known && is_implicit(clang_Cursor_getVarDeclInitializer(cursor))) {
        free(name); /* zeros, as the loader has them */
        free(element);
        return;
    }
    if (!known)
        ht_infer_miss(in, ht_ast_line(cursor),
                      "type and elements of constant memory '%s' (line %d)", name,
                      ht_ast_line(cursor));
    char *line = known ? ht_format("%s : constant %s[%lld]%s%s", name, element, count,
                                   contents ? " " : "", contents ? contents : "")
                       : ht_format("%s : constant ?[?]", name);
    json_array_append_new(args, json_string(line));
    free(line);
    free(name);
    free(element);
    free(contents);
}

int64_t ht_infer_constants_bytes(const ht_infer *in) {
    const ht_slice *slice = in->slice;
    int64_t sum = 0;
    for (size_t i = 0; i < slice->chunk_count; ++i)
        for (size_t j = 0; slice->chunks[i].needed && j < slice->chunks[i].cursor_count; ++j) {
            CXCursor cursor = slice->chunks[i].cursors[j];
            bool device = clang_getCursorKind(cursor) == CXCursor_VarDecl &&
                          (ht_ast_has(cursor, CXCursor_CUDAConstantAttr) ||
                           ht_ast_has(cursor, CXCursor_CUDADeviceAttr));
            long long bytes = device ? clang_Type_getSizeOf(clang_getCursorType(cursor)) : 0;
            if (bytes > 0 && __builtin_add_overflow(sum, bytes, &sum))
                return INT64_MAX;
        }
    return sum;
}

void ht_infer_constants(ht_infer *in, json_t *args) {
    const ht_slice *slice = in->slice;
    for (size_t i = 0; i < slice->chunk_count; ++i)
        for (size_t j = 0; slice->chunks[i].needed && j < slice->chunks[i].cursor_count; ++j)
            if (clang_getCursorKind(slice->chunks[i].cursors[j]) == CXCursor_VarDecl &&
                is_constant(slice->chunks[i].cursors[j]) &&
                !ht_slice_is_declared_again(slice->chunks[i].cursors[j]))
                constant_add(in, slice->chunks[i].cursors[j], args);
}
