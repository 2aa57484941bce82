#include "refactor/kernel/syntax_origin.h"
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_build.h"

#include <stdlib.h>
#include <string.h>

static const char *file_name(ht_syntax_builder *b, CXFile file) {
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    path = path ? path : b->tree.model->facts->source->path;
    size_t i = 0;
    while (i < b->file_count && strcmp(b->files[i], path) != 0)
        ++i;
    if (i == b->file_count) {
        HT_GROW(b->files, b->file_count);
        b->files[b->file_count++] = ht_strdup(path);
        HT_GROW(b->file_indices, b->file_index_count);
        b->file_indices[b->file_index_count++] = ht_source_file(b->tree.model->facts->source, file);
    }
    clang_disposeString(name);
    return b->files[i];
}

ht_position ht_syntax_place(const ht_syntax_tree *tree, CXCursor cursor) {
    CXFile file;
    unsigned line, column;
    if (clang_Cursor_isNull(cursor))
        return HT_AT_KERNEL;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &line, &column, NULL);
    return (ht_position){file_name(tree->origin, file), (int)line, (int)column};
}

CXCursor ht_syntax_cursor(const ht_syntax *node) {
    return node->tree->origin->from[node->index];
}

CXCursor ht_syntax_declared(const ht_syntax_tree *tree, size_t variable) {
    return tree->origin->declared[variable];
}

const ht_syntax *ht_syntax_find(const ht_syntax_tree *tree, CXCursor cursor) {
    for (size_t i = 0; i < tree->count; ++i)
        if (clang_equalCursors(tree->origin->from[i], cursor))
            return tree->nodes[i];
    return NULL;
}

size_t ht_syntax_variable_of(const ht_syntax_tree *tree, CXCursor declaration) {
    for (size_t i = 0; i < tree->variable_count; ++i)
        if (clang_equalCursors(tree->origin->declared[i], declaration))
            return i;
    return SIZE_MAX;
}
