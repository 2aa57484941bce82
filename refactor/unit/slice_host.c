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

/* Returns the token that a member's declaration begins with, in front of attributes and macros. */
static size_t member_begin(const ht_tokens *tokens, size_t at) {
    static const char *const ends[] = {";", "{", "}", ":"};
    for (; at > 0; --at) {
        bool end = tokens->items[at - 1].kind == HT_TOKEN_DIRECTIVE;
        for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i)
            end = end || ht_tokens_is(tokens, at - 1, ends[i]);
        if (end)
            break;
    }
    return at;
}

/* Returns true for a method that its class declares for the host alone, or a constructor that it
 * does not declare for devices. A virtual method is a part of the class's layout, a constexpr one
 * is for devices, too. */
static bool is_host_method(CXCursor method) {
    enum CXCursorKind kind = clang_getCursorKind(method);
    bool makes = kind == CXCursor_Constructor && !ht_ast_has(method, CXCursor_CUDAHostAttr);
    return (kind == CXCursor_CXXMethod || makes) &&
           clang_equalCursors(clang_getCursorLexicalParent(method),
                              clang_getCursorSemanticParent(method)) &&
           !ht_ast_has(method, CXCursor_CUDADeviceAttr) && !clang_CXXMethod_isVirtual(method) &&
           !clang_CXXMethod_isDefaulted(method);
}

bool ht_slice_cut_method(ht_slice *slice, CXCursor method) {
    size_t file;
    ht_range range;
    if (!is_host_method(method) || !ht_source_range(slice->source, method, &file, &range))
        return false;
    const ht_tokens *tokens = ht_source_tokens(slice->source, file);
    size_t first = member_begin(tokens, ht_tokens_at(tokens, range.begin));
    for (size_t i = first; i < tokens->count && tokens->items[i].begin < range.end; ++i)
        if (ht_tokens_is(tokens, i, "constexpr") || ht_tokens_is(tokens, i, "consteval") ||
            ht_tokens_is(tokens, i, "operator") || ht_tokens_is(tokens, i, "friend"))
            return false;
    range.begin = tokens->items[first].begin;
    if (!ht_slice_is_cut(slice, file, range.begin)) {
        HT_GROW(slice->cuts, slice->cut_count);
        slice->cuts[slice->cut_count++] = (ht_slice_cut){file, range};
    }
    return true;
}
