#include "refactor/infer/infer_constant.h"

#include "base/memory.h"
#include "refactor/infer/infer_host.h"
#include "refactor/infer/infer_texture.h"
#include "refactor/source/ast.h"
#include "templates/expr/type.h"

#include <stdlib.h>

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

/* Returns true for constant memory that other code fills, and for tables of real numbers in device
 * memory, which are as good: with zeros in them, reads of them would not show in results. Integers
 * in device memory may be counters and indices, so they are not filled. */
static bool is_constant(CXCursor cursor) {
    if (ht_infer_reference_count(cursor))
        return true;
    bool found =
        ht_ast_has(cursor, CXCursor_CUDAConstantAttr) ||
        (ht_ast_has(cursor, CXCursor_CUDADeviceAttr) && is_real_array(clang_getCursorType(cursor)));
    return found && clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(cursor));
}

static void constant_add(ht_infer *in, CXCursor cursor, json_t *args) {
    long long count;
    CXType type = element_of(clang_getCursorType(cursor), &count);
    const long long texels = ht_infer_reference_count(cursor);
    char *name = ht_cursor_qualified_name(cursor);
    char *element = texels ? ht_strdup("float") : ht_type_plain(type);
    count = texels ? texels : count;
    bool known = ht_type_size(element) && count > 0;
    if (!known)
        ht_infer_miss(in, ht_ast_line(cursor),
                      "type and elements of constant memory '%s' (line %d)", name,
                      ht_ast_line(cursor));
    char *line = known ? ht_format("%s : constant %s[%lld]", name, element, count)
                       : ht_format("%s : constant ?[?]", name);
    json_array_append_new(args, json_string(line));
    free(line);
    free(name);
    free(element);
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
                is_constant(slice->chunks[i].cursors[j]))
                constant_add(in, slice->chunks[i].cursors[j], args);
}
