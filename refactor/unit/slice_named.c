#include "refactor/unit/slice_named.h"
#include "base/memory.h"
#include "refactor/source/ast.h"
#include "refactor/unit/slice.h"

#include <stdlib.h>
#include <string.h>

static bool is_type_or_constant(enum CXCursorKind kind) {
    switch (kind) {
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
    case CXCursor_ClassTemplate:
    case CXCursor_TypedefDecl:
    case CXCursor_TypeAliasDecl:
    case CXCursor_TypeAliasTemplateDecl:
    case CXCursor_UsingDeclaration:
    case CXCursor_VarDecl:
        return true;
    default:
        return false;
    }
}

/* Returns true if the cursor declares the name, itself or as one of its enumerators. */
static bool declares(CXCursor cursor, const char *name) {
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (!is_type_or_constant(kind))
        return false;
    bool found = ht_cursor_named(cursor, name);
    ht_cursors list = {0};
    if (!found && kind == CXCursor_EnumDecl && !clang_EnumDecl_isScoped(cursor))
        list = ht_ast_children(cursor);
    for (size_t i = 0; i < list.count && !found; ++i)
        found = ht_cursor_named(list.items[i], name);
    free(list.items);
    return found;
}

static void need_name(ht_slice *slice, const char *name) {
    ht_slice_type(slice, name);
    for (size_t i = 0; i < slice->chunk_count; ++i)
        for (size_t j = 0; j < slice->chunks[i].cursor_count; ++j)
            if (declares(slice->chunks[i].cursors[j], name))
                slice->chunks[i].needed = true;
    for (size_t i = 0; i < slice->source->macros.count; ++i)
        if (strcmp(slice->source->macros.items[i].name, name) == 0) {
            HT_GROW(slice->macros, slice->macro_count);
            slice->macros[slice->macro_count++] = ht_strdup(name);
            break;
        }
}

/* Marks a type of this name as needed. */
static void need_type(ht_slice *slice, const char *name) {
    ht_slice_type(slice, name);
    for (size_t i = 0; i < slice->chunk_count; ++i)
        for (size_t j = 0; j < slice->chunks[i].cursor_count; ++j) {
            CXCursor cursor = slice->chunks[i].cursors[j];
            bool type = clang_getCursorKind(cursor) != CXCursor_VarDecl &&
                        is_type_or_constant(clang_getCursorKind(cursor));
            if (type && ht_cursor_named(cursor, name))
                slice->chunks[i].needed = true;
        }
}

/* Marks what a text names as needed, the template's parameters apart; without a template, types
 * alone. */
static void need_text(ht_slice *slice, const ht_template *template, const char *text) {
    ht_tokens tokens;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, false, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        char *name = tokens.items[i].kind == HT_TOKEN_NAME ? ht_tokens_text(&tokens, i) : NULL;
        if (name && !template)
            need_type(slice, name);
        else if (name && !ht_template_param(template, name))
            need_name(slice, name);
        free(name);
    }
    ht_tokens_free(&tokens);
}

void ht_slice_type_text(ht_slice *slice, const char *text) {
    need_text(slice, NULL, text);
}

void ht_slice_named(ht_slice *slice, const ht_template *template) {
    for (size_t i = 0; i < template->param_count; ++i) {
        const ht_param *param = &template->params[i];
        for (size_t v = 0; param->kind == HT_PARAM_TYPE && v < param->value_count; ++v)
            need_text(slice, template, param->values[v].text);
    }
    for (size_t i = 0; i < template->arg_count; ++i)
        need_text(slice, template, template->args[i].type);
    for (int set = HT_LAUNCHES_OWN; set <= HT_LAUNCHES_BASELINE; ++set) {
        size_t count;
        const ht_launch *launches = ht_template_launches(template, (ht_launch_set)set, &count);
        for (size_t i = 0; i < count; ++i)
            for (size_t j = 0; j < launches[i].template_argument_count; ++j)
                need_text(slice, template, launches[i].template_arguments[j]);
    }
}
