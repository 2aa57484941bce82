/* Places in the user's text. */
#include "refactor/source/place.h"

#include "base/memory.h"
#include "refactor/source/ast.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool file_offset(const ht_source *source, size_t of, CXSourceLocation location,
                        size_t *out) {
    CXFile file;
    unsigned offset;
    clang_getFileLocation(location, &file, NULL, NULL, &offset);
    *out = offset;
    return file && ht_source_file(source, file) == of && offset <= source->files[of].length;
}

/* Returns true if the offset is inside a directive, whose text must not be taken for code. */
static bool inside_directive(const ht_tokens *tokens, size_t offset) {
    size_t index = ht_tokens_at(tokens, offset + 1);
    return index > 0 && tokens->items[index - 1].kind == HT_TOKEN_DIRECTIVE &&
           offset < tokens->items[index - 1].end;
}

/* Returns the end of a token; if it is a macro with arguments, the end of those. */
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

/* Returns true if an operand is missing before the last token, as in n / of n / TILE. If the last
 * token of a macro's argument is a macro itself, libclang reports the expression's end where that
 * token begins. */
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

enum { QUOTE_MAX = 40 };

/* Returns the text in quotes, with white space as single spaces. A long text is cut and ends in
 * "...". free(). */
static char *quote(const char *text, size_t length) {
    char line[QUOTE_MAX + 1] = "";
    size_t count = 0;
    for (size_t i = 0; i < length && count <= QUOTE_MAX; ++i) {
        bool space = isspace((unsigned char)text[i]);
        if (!space || (count && line[count - 1] != ' '))
            line[count++] = space ? ' ' : text[i];
    }
    if (count <= QUOTE_MAX)
        return ht_format("'%.*s'", (int)count, line);
    for (count = QUOTE_MAX - 3; count && ((unsigned char)line[count] & 0xc0) == 0x80;)
        --count; /* a character of several bytes is kept or dropped as a whole */
    return ht_format("'%.*s...'", (int)count, line);
}

char *ht_source_quote(const ht_source *source, CXCursor cursor) {
    ht_range place;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (clang_isDeclaration(kind)) {
        char *name = ht_cursor_name(cursor), *quoted = name[0] ? ht_format("'%s'", name) : NULL;
        free(name);
        return quoted;
    }
    if (!clang_isExpression(kind) || !ht_source_anywhere(source, cursor, &place))
        return NULL;
    return quote(source->text + place.begin, place.end - place.begin);
}

enum { NESTING_MAX = 64 };

/* Collects the chain of places from the main file down to (file, offset). */
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
    /* a file that an option includes is at offset 0 of the main file, ahead of what stands there */
    return m < n ? 1 : m > n ? -1 : 0;
}
