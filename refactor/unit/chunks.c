#include "refactor/unit/chunks.h"
#include "base/memory.h"
#include "refactor/source/ast.h"
#include "refactor/unit/slice.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct collecting {
    ht_slice *slice;
    char **scopes;
    size_t scope_count;
    ht_tokens *tokens; /* of each file */
} collecting;

static enum CXChildVisitResult on_declaration(CXCursor cursor, CXCursor parent, CXClientData data);

static void extend(const ht_tokens *tokens, ht_range *range) {
    size_t next = ht_tokens_at(tokens, range->end), first = ht_tokens_at(tokens, range->begin);
    while (first >= 4 && ht_tokens_is(tokens, first - 1, "]") &&
           ht_tokens_is(tokens, first - 2, "]")) { /* [[attribute]] in front */
        size_t open = first - 2;
        while (open > 0 &&
               !(ht_tokens_is(tokens, open, "[") && ht_tokens_is(tokens, open - 1, "[")))
            --open;
        if (open == 0)
            break;
        first = open - 1;
        range->begin = tokens->items[first].begin;
    }
    while (first > 0 && (ht_tokens_is(tokens, first - 1, "extern") ||
                         ht_tokens_is(tokens, first - 1, "static") ||
                         ht_tokens_is(tokens, first - 1, "inline") ||
                         ht_tokens_is(tokens, first - 1, "__device__") ||
                         ht_tokens_is(tokens, first - 1, "__constant__") ||
                         ht_tokens_is(tokens, first - 1, "__global__")))
        range->begin = tokens->items[--first].begin;
    if (range->end > range->begin && tokens->text[range->end - 1] == ';')
        return;
    if (ht_tokens_is(tokens, next, ";"))
        range->end = tokens->items[next].end;
}

static void chunk_add(collecting *in, CXCursor cursor) {
    ht_slice *slice = in->slice;
    size_t file;
    ht_range range;
    if (!ht_source_range(slice->source, cursor, &file, &range) || range.begin == range.end)
        return;
    extend(&in->tokens[file], &range);
    ht_chunk *last = slice->chunk_count ? &slice->chunks[slice->chunk_count - 1] : NULL;
    if (last && last->file == file && range.begin < last->range.end &&
        last->range.begin < range.end) { /* int a, *b;   typedef struct {} S; */
        last->range.begin = last->range.begin < range.begin ? last->range.begin : range.begin;
        last->range.end = last->range.end > range.end ? last->range.end : range.end;
    } else {
        HT_GROW(slice->chunks, slice->chunk_count);
        last = &slice->chunks[slice->chunk_count++];
        *last = (ht_chunk){.file = file, .range = range, .line = ht_ast_line(cursor)};
        unsigned line;
        clang_getExpansionLocation(clang_getLocationForOffset(slice->source->unit,
                                                              slice->source->files[file].file,
                                                              (unsigned)range.begin),
                                   NULL, &line, NULL, NULL);
        last->line = (int)line;
        last->scopes = ht_alloc(in->scope_count + 1, sizeof *last->scopes);
        /* a namespace in an unnamed one is another than that of its name in which kernels end up */
        for (size_t i = 0; i < in->scope_count; ++i)
            if (strcmp(in->scopes[i], "namespace {") != 0 || i + 1 == in->scope_count ||
                strncmp(in->scopes[i + 1], "namespace ", strlen("namespace ")) != 0)
                last->scopes[last->scope_count++] = ht_strdup(in->scopes[i]);
    }
    HT_GROW(last->cursors, last->cursor_count);
    last->cursors[last->cursor_count++] = cursor;
}

static void scope_enter(collecting *in, CXCursor cursor, char *opening) {
    HT_GROW(in->scopes, in->scope_count);
    in->scopes[in->scope_count++] = opening;
    clang_visitChildren(cursor, on_declaration, in);
    free(in->scopes[--in->scope_count]);
}

static char *namespace_opening(CXCursor cursor) {
    char *name = ht_cursor_name(cursor);
    bool anonymous = !name[0] || name[0] == '(' || clang_Cursor_isAnonymous(cursor);
    char *opening =
        ht_format("%snamespace %s%s{", clang_Cursor_isInlineNamespace(cursor) ? "inline " : "",
                  anonymous ? "" : name, anonymous ? "" : " ");
    free(name);
    return opening;
}

static enum CXChildVisitResult on_declaration(CXCursor cursor, CXCursor parent, CXClientData data) {
    collecting *in = data;
    size_t file;
    ht_range range;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (ht_ast_is_instantiation(cursor, parent) ||
        !ht_source_range(in->slice->source, cursor, &file, &range))
        return CXChildVisit_Continue;
    if (kind == CXCursor_Namespace)
        scope_enter(in, cursor, namespace_opening(cursor));
    else if (kind == CXCursor_LinkageSpec)
        scope_enter(in, cursor, ht_strdup("extern \"C\" {"));
    else if (kind == CXCursor_UnexposedDecl) {
        char *name = ht_cursor_name(cursor);
        if (name[0]) /* a variable template */
            chunk_add(in, cursor);
        else /* an empty one, or extern "C" in some versions */
            clang_visitChildren(cursor, on_declaration, in);
        free(name);
    } else if (clang_isDeclaration(kind) && kind != CXCursor_StaticAssert)
        chunk_add(in, cursor);
    return CXChildVisit_Continue;
}

static int compare_chunks(const void *a, const void *b) {
    const ht_chunk *first = a, *second = b;
    if (first->file != second->file)
        return first->file < second->file ? -1 : 1;
    return first->range.begin < second->range.begin   ? -1
           : first->range.begin > second->range.begin ? 1
                                                      : 0;
}

/* Merges chunks that still overlap: those of one macro invocation, and declarations split by
 * others. */
static void merge_overlaps(ht_slice *slice) {
    qsort(slice->chunks, slice->chunk_count, sizeof *slice->chunks, compare_chunks);
    size_t kept = 0;
    for (size_t i = 0; i < slice->chunk_count; ++i) {
        ht_chunk *chunk = &slice->chunks[i];
        ht_chunk *last = kept ? &slice->chunks[kept - 1] : NULL;
        if (!last || last->file != chunk->file || chunk->range.begin >= last->range.end) {
            slice->chunks[kept++] = *chunk;
            continue;
        }
        if (chunk->range.end > last->range.end)
            last->range.end = chunk->range.end;
        for (size_t j = 0; j < chunk->cursor_count; ++j) {
            HT_GROW(last->cursors, last->cursor_count);
            last->cursors[last->cursor_count++] = chunk->cursors[j];
        }
        ht_strings_free(chunk->scopes, chunk->scope_count);
        free(chunk->cursors);
    }
    slice->chunk_count = kept;
}

void ht_chunks_collect(ht_slice *slice) {
    const ht_source *source = slice->source;
    collecting in = {.slice = slice};
    in.tokens = ht_alloc(source->file_count, sizeof *in.tokens);
    for (size_t i = 0; i < source->file_count; ++i)
        ht_tokens_read(source->files[i].text, (ht_range){0, source->files[i].length}, true,
                       &in.tokens[i]);
    clang_visitChildren(clang_getTranslationUnitCursor(source->unit), on_declaration, &in);
    for (size_t i = 0; i < source->file_count; ++i)
        ht_tokens_free(&in.tokens[i]);
    free(in.tokens);
    free(in.scopes);
    merge_overlaps(slice);
}
