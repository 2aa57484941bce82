#include "refactor/unit/slice_host.h"
#include "base/memory.h"
#include "refactor/source/ast.h"
#include "refactor/unit/slice.h"

bool ht_slice_is_host_member(CXCursor function) {
    enum CXCursorKind kind = clang_getCursorKind(function),
                      parent = clang_getCursorKind(clang_getCursorSemanticParent(function));
    bool callable = kind == CXCursor_CXXMethod || kind == CXCursor_Constructor ||
                    kind == CXCursor_ConversionFunction || kind == CXCursor_FunctionTemplate;
    bool member = parent == CXCursor_ClassDecl || parent == CXCursor_StructDecl ||
                  parent == CXCursor_ClassTemplate ||
                  parent == CXCursor_ClassTemplatePartialSpecialization;
    return callable && member && ht_ast_has(function, CXCursor_CUDAHostAttr) &&
           !ht_ast_has(function, CXCursor_CUDADeviceAttr);
}

/* Returns where `: a(b), c{d}` of a constructor begins, after the parameters; else where the body
 * begins. */
static size_t initializers_begin(const ht_tokens *tokens, size_t first, size_t body) {
    for (size_t i = first; i < body; ++i) {
        if (ht_tokens_is(tokens, i, "("))
            i = ht_tokens_close(tokens, i);
        else if (ht_tokens_is(tokens, i, ":"))
            return i;
    }
    return body;
}

void ht_slice_cut_body(ht_slice *slice, CXCursor function, CXCursor body) {
    size_t file, inner;
    ht_range whole, range;
    if (!ht_source_range(slice->source, function, &file, &whole) ||
        !ht_source_range(slice->source, body, &inner, &range) || inner != file ||
        ht_slice_is_cut(slice, file, range.begin))
        return;
    const ht_tokens *tokens = ht_source_tokens(slice->source, file);
    size_t last = ht_tokens_at(tokens, range.begin);
    size_t first = initializers_begin(tokens, ht_tokens_at(tokens, whole.begin), last);
    if (first < last)
        range.begin = tokens->items[first].begin;
    HT_GROW(slice->cuts, slice->cut_count);
    slice->cuts[slice->cut_count++] = (ht_slice_cut){file, range};
}

bool ht_slice_is_cut(const ht_slice *slice, size_t file, size_t offset) {
    for (size_t i = 0; i < slice->cut_count; ++i)
        if (slice->cuts[i].file == file && offset >= slice->cuts[i].range.begin &&
            offset < slice->cuts[i].range.end)
            return true;
    return false;
}
