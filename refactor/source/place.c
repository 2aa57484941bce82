/* Where the user wrote something. */
#include "refactor/source/place.h"

#include "base/memory.h"

#include <stdlib.h>

static bool file_offset(const ht_source *source, size_t of, CXSourceLocation location,
                        size_t *out) {
    CXFile file;
    unsigned offset;
    clang_getFileLocation(location, &file, NULL, NULL, &offset);
    *out = offset;
    return file && clang_File_isEqual(file, source->files[of].file) &&
           offset <= source->files[of].length;
}

/* Offset of the '#' line around an offset, so that text inside a directive is never taken for code.
 */
static bool inside_directive(const ht_tokens *tokens, size_t offset) {
    size_t index = ht_tokens_at(tokens, offset + 1);
    return index > 0 && tokens->items[index - 1].kind == HT_TOKEN_DIRECTIVE &&
           offset < tokens->items[index - 1].end;
}

/* The end of a token, or of what stands in parentheses after it, if it is a macro that takes
 * arguments. */
static size_t use_end(const ht_source *source, size_t file, const ht_tokens *tokens, size_t index) {
    size_t end = tokens->items[index].end;
    if (ht_tokens_is(tokens, index + 1, "(")) {
        char *name = ht_tokens_text(tokens, index);
        const ht_macro *macro = ht_source_macro(source, name, file, tokens->items[index].begin);
        size_t close = ht_tokens_close(tokens, index + 1);
        if (macro && macro->function_like && close < tokens->count)
            end = tokens->items[close].end;
        free(name);
    }
    return end;
}

/* Returns true if what ends before the token is no operand: n / of n / TILE. Where the last token
 * of a macro's argument is a macro, libclang says that the expression ends at its begin. */
static bool lacks_operand(const ht_tokens *tokens, size_t first, size_t last) {
    return last > first && last < tokens->count && tokens->items[last].kind == HT_TOKEN_NAME &&
           tokens->items[last - 1].kind == HT_TOKEN_PUNCT && !ht_tokens_is(tokens, last - 1, ")") &&
           !ht_tokens_is(tokens, last - 1, "]");
}

bool ht_source_place_in(const ht_source *source, size_t file, CXCursor expression,
                        ht_range *out_place) {
    CXSourceRange extent = clang_getCursorExtent(expression);
    if (!file_offset(source, file, clang_getRangeStart(extent), &out_place->begin) ||
        !file_offset(source, file, clang_getRangeEnd(extent), &out_place->end))
        return false;
    const ht_tokens *tokens = ht_source_tokens(source, file);
    size_t first = ht_tokens_at(tokens, out_place->begin);
    if (inside_directive(tokens, out_place->begin) || first >= tokens->count ||
        tokens->items[first].begin != out_place->begin)
        return false;
    size_t last = ht_tokens_at(tokens, out_place->end);
    if (out_place->end <= tokens->items[first].end)
        out_place->end = use_end(source, file, tokens, first);
    else if (lacks_operand(tokens, first, last) && tokens->items[last].begin == out_place->end)
        out_place->end = use_end(source, file, tokens, last);
    return out_place->begin < out_place->end;
}

bool ht_source_place(const ht_source *source, CXCursor expression, ht_range *out_place) {
    return ht_source_place_in(source, 0, expression, out_place);
}

bool ht_source_anywhere(const ht_source *source, CXCursor expression, ht_range *out_place) {
    size_t file = ht_source_file_of(source, expression);
    if (file == SIZE_MAX || !ht_source_place_in(source, file, expression, out_place))
        return false;
    out_place->begin += source->files[file].base;
    out_place->end += source->files[file].base;
    return true;
}

size_t ht_source_file_of(const ht_source *source, CXCursor cursor) {
    CXFile file;
    clang_getFileLocation(clang_getRangeStart(clang_getCursorExtent(cursor)), &file, NULL, NULL,
                          NULL);
    return ht_source_file(source, file);
}

enum { NESTING_MAX = 64 };

/* The chain of places from the main file down to (file, offset). */
static size_t chain(const ht_source *source, size_t file, size_t offset, size_t out[NESTING_MAX]) {
    size_t reversed[NESTING_MAX], count = 0;
    while (count < NESTING_MAX) {
        reversed[count++] = offset;
        if (source->files[file].parent == SIZE_MAX)
            break;
        offset = source->files[file].parent_offset;
        file = source->files[file].parent;
    }
    for (size_t i = 0; i < count; ++i)
        out[i] = reversed[count - 1 - i];
    return count;
}

int ht_place_compare(const ht_source *source, size_t file_a, size_t a, size_t file_b, size_t b) {
    size_t first[NESTING_MAX], second[NESTING_MAX];
    size_t m = chain(source, file_a, a, first), n = chain(source, file_b, b, second);
    for (size_t i = 0; i < m && i < n; ++i)
        if (first[i] != second[i])
            return first[i] < second[i] ? -1 : 1;
    return m < n ? -1 : m > n ? 1 : 0;
}
