/* Finds kernels, and errors inside them. */
#include "refactor/kernel/discover.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct finding {
    const ht_source *source;
    ht_cursors list;
} finding;

static bool has_attribute(CXCursor cursor, enum CXCursorKind attribute, enum CXCursorKind body) {
    ht_cursors list = ht_ast_children(cursor);
    bool found = false, defined = false;
    for (size_t i = 0; i < list.count; ++i) {
        found = found || clang_getCursorKind(list.items[i]) == attribute;
        defined = defined || clang_getCursorKind(list.items[i]) == body;
    }
    free(list.items);
    return found && defined;
}

static bool on_declaration(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    finding *in = context;
    size_t file;
    ht_range range;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (!ht_source_range(in->source, cursor, &file, &range))
        return false;
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
        kind == CXCursor_UnexposedDecl)
        return true;
    if ((kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate) &&
        has_attribute(cursor, CXCursor_CUDAGlobalAttr, CXCursor_CompoundStmt)) {
        HT_GROW(in->list.items, in->list.count);
        in->list.items[in->list.count++] = cursor;
    }
    return false;
}

ht_cursors ht_kernels_find(const ht_source *source) {
    finding in = {source, {0}};
    ht_ast_walk(clang_getTranslationUnitCursor(source->unit), on_declaration, &in);
    return in.list;
}

static bool on_callee(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    char **callee = context;
    if (!*callee && clang_getCursorKind(cursor) == CXCursor_CallExpr) {
        char *name = ht_cursor_name(cursor);
        if (name[0] && strncmp(name, "operator", 8) != 0 && strncmp(name, "__", 2) != 0)
            *callee = name;
        else
            free(name);
    }
    return !*callee;
}

bool ht_kernel_from_macro(const ht_source *source, CXCursor kernel, char **out_callee) {
    size_t file;
    ht_range range;
    *out_callee = NULL;
    if (!ht_source_range(source, kernel, &file, &range))
        return true;
    size_t name = ht_ast_offset(kernel);
    ht_tokens tokens;
    ht_tokens_read(source->files[file].text, range, true, &tokens);
    size_t index = ht_tokens_at(&tokens, name);
    char *text = index < tokens.count ? ht_tokens_text(&tokens, index) : ht_strdup("");
    bool generated = !ht_cursor_named(kernel, text) || tokens.count == 0 ||
                     !ht_tokens_is(&tokens, tokens.count - 1, "}");
    free(text);
    ht_tokens_free(&tokens);
    for (size_t i = 0; i < source->expansions.count && !generated; ++i) {
        const ht_expansion *expansion = &source->expansions.items[i];
        generated = expansion->file == file && ht_range_holds(expansion->range, name);
    }
    if (generated)
        ht_ast_walk(kernel, on_callee, out_callee);
    return generated;
}

bool ht_kernel_too_deep(const ht_source *source, CXCursor kernel) {
    size_t file;
    ht_range range;
    if (!ht_source_range(source, kernel, &file, &range))
        return false;
    /* Clang stops at this error, so the kernel in which it is reported is the last of the file. */
    for (size_t i = 0; i < source->errors.count; ++i)
        if (source->errors.items[i].file == file && source->errors.items[i].offset >= range.begin &&
            strstr(source->errors.items[i].message, "nesting level exceeded"))
            return true;
    return false;
}

const ht_source_error *ht_kernel_error(const ht_model *model) {
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->source->errors.count; ++i) {
        const ht_source_error *error = &facts->source->errors.items[i];
        for (size_t j = 0; j < facts->reached.count; ++j) {
            size_t file;
            ht_range range;
            if (ht_source_range(facts->source, facts->reached.functions[j], &file, &range) &&
                error->file == file && ht_range_holds(range, error->offset))
                return error;
        }
    }
    return NULL;
}

CXCursor ht_kernels_named(const ht_cursors *kernels, const char *name) {
    const char *last = strrchr(name, ':');
    for (size_t i = 0; i < kernels->count; ++i)
        if (ht_cursor_named(kernels->items[i], last ? last + 1 : name))
            return kernels->items[i];
    return clang_getNullCursor();
}
