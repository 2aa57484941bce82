#include "refactor/unit/slice_extern.h"

#include "base/memory.h"
#include "refactor/source/ast.h"
#include "refactor/unit/slice_host.h"

static bool is_declared_only(CXCursor variable) {
    return clang_getCursorKind(variable) == CXCursor_VarDecl &&
           clang_Cursor_getStorageClass(variable) == CX_SC_Extern &&
           clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(variable)) &&
           (ht_ast_has(variable, CXCursor_CUDAConstantAttr) ||
            ht_ast_has(variable, CXCursor_CUDADeviceAttr));
}

bool ht_slice_is_declared_again(CXCursor variable) {
    CXCursor defined = clang_getCursorDefinition(variable);
    CXCursor first = clang_Cursor_isNull(defined) ? clang_getCanonicalCursor(variable) : defined;
    return !clang_equalCursors(first, variable);
}

/* Cuts the word in front of a declaration; that it begins with it is the usual form. */
static void extern_cut(ht_slice *slice, const ht_chunk *chunk) {
    const ht_tokens *tokens = ht_source_tokens(slice->source, chunk->file);
    for (size_t i = ht_tokens_at(tokens, chunk->range.begin);
         i < tokens->count && tokens->items[i].begin < chunk->range.end; ++i) {
        ht_range range = {tokens->items[i].begin, tokens->items[i].end};
        if (!ht_tokens_is(tokens, i, "extern") || ht_slice_is_cut(slice, chunk->file, range.begin))
            continue;
        HT_GROW(slice->cuts, slice->cut_count);
        slice->cuts[slice->cut_count++] = (ht_slice_cut){chunk->file, range};
    }
}

void ht_slice_define_externs(ht_slice *slice) {
    for (size_t i = 0; i < slice->chunk_count; ++i) {
        const ht_chunk *chunk = &slice->chunks[i];
        if (chunk->needed && chunk->cursor_count == 1 && is_declared_only(chunk->cursors[0]) &&
            clang_Cursor_isNull(clang_getCursorDefinition(chunk->cursors[0])) &&
            !ht_slice_is_declared_again(chunk->cursors[0]))
            extern_cut(slice, chunk);
    }
}
