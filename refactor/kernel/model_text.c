/* Where a cursor stands in the kernel's text. */
#include "base/memory.h"
#include "refactor/kernel/facts.h"

#include <string.h>

/* A location is plain when it was neither produced by a macro nor is a macro's argument. */
static bool plain_location(const ht_model *model, CXSourceLocation location, size_t *out_offset) {
    CXFile file, spelling_file;
    unsigned offset, spelling;
    clang_getExpansionLocation(location, &file, NULL, NULL, &offset);
    clang_getSpellingLocation(location, &spelling_file, NULL, NULL, &spelling);
    *out_offset = offset;
    return file && clang_File_isEqual(file, model->file) && spelling_file &&
           clang_File_isEqual(spelling_file, file) && spelling == offset && offset <= model->length;
}

static bool expansion_touches(const ht_source *source, size_t offset) {
    for (size_t i = 0; i < source->expansion_count; ++i) {
        const ht_expansion *expansion = &source->expansions[i];
        if (expansion->file == 0 && offset >= expansion->range.begin &&
            offset < expansion->range.end)
            return true;
    }
    return false;
}

bool ht_ast_range(const ht_model *model, CXCursor cursor, ht_range *out_range) {
    CXSourceRange extent = clang_getCursorExtent(cursor);
    if (!plain_location(model, clang_getRangeStart(extent), &out_range->begin) ||
        !plain_location(model, clang_getRangeEnd(extent), &out_range->end))
        return false;
    const ht_source *source = model->facts->source;
    return out_range->begin < out_range->end && !expansion_touches(source, out_range->begin) &&
           !expansion_touches(source, out_range->end - 1);
}

bool ht_ast_in_macro(const ht_model *model, CXCursor cursor) {
    const ht_source *source = model->facts->source;
    size_t file;
    ht_range range;
    if (!ht_source_range(source, cursor, &file, &range) || range.begin >= range.end)
        return true;
    for (size_t i = 0; i < source->expansion_count; ++i) {
        const ht_expansion *expansion = &source->expansions[i];
        if (expansion->file == file && expansion->range.begin < range.end &&
            range.begin < expansion->range.end)
            return true;
    }
    return false;
}

static bool is_attached_pragma(const ht_tokens *tokens, size_t index) {
    const ht_token *token = &tokens->items[index];
    if (token->kind != HT_TOKEN_DIRECTIVE)
        return false;
    const char *text = tokens->text + token->begin + 1;
    while (*text == ' ' || *text == '\t')
        ++text;
    return strncmp(text, "pragma", 6) == 0;
}

bool ht_ast_statement_range(const ht_model *model, CXCursor statement, bool pragmas,
                            ht_range *out_range) {
    CXSourceRange extent = clang_getCursorExtent(statement);
    const ht_source *source = model->facts->source;
    size_t ignored;
    if (!plain_location(model, clang_getRangeStart(extent), &out_range->begin))
        return false;
    if (!plain_location(model, clang_getRangeEnd(extent), &ignored)) {
        size_t file;
        ht_range whole; /* ends in a macro: its expansion's end */
        if (!ht_source_range(source, statement, &file, &whole) || file != 0)
            return false;
        ignored = whole.end;
    }
    out_range->end = ignored;
    if (expansion_touches(source, out_range->begin) &&
        clang_getCursorKind(statement) != CXCursor_DeclStmt)
        return false;
    const ht_tokens *tokens = &source->tokens;
    size_t next = ht_tokens_at(tokens, out_range->end);
    enum CXCursorKind kind = clang_getCursorKind(statement);
    if (ht_tokens_is(tokens, next, ";") && kind != CXCursor_CompoundStmt)
        out_range->end = tokens->items[next].end;
    size_t first = ht_tokens_at(tokens, out_range->begin);
    while (pragmas && first > 0 && is_attached_pragma(tokens, first - 1))
        out_range->begin = tokens->items[--first].begin;
    return out_range->begin < out_range->end;
}

char *ht_model_text(const ht_model *model, ht_range range) {
    return ht_strndup(model->text + range.begin, range.end - range.begin);
}
