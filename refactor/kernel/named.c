#include "refactor/kernel/named.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8 };

typedef struct naming {
    const ht_model *model;
    int depth;
} naming;

static bool look_up(const void *context, const char *name, int64_t *out_value);

/* Returns a text as an expression of the template language: names without their namespaces.
 * free(). */
static char *unqualified(const char *text, ht_range range) {
    ht_tokens tokens;
    ht_text out = {0};
    ht_tokens_read(text, range, false, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        if (ht_tokens_is(&tokens, i + 1, "::") || ht_tokens_is(&tokens, i, "::"))
            continue;
        char *word = ht_tokens_text(&tokens, i);
        ht_text_printf(&out, "%s ", word);
        free(word);
    }
    ht_tokens_free(&tokens);
    return out.data ? ht_text_take(&out) : ht_strdup("");
}

static bool evaluate(const naming *in, const char *text, ht_range range, int64_t *out_value) {
    naming inner = {in->model, in->depth + 1};
    ht_scope scope = {.lookup = look_up, .context = &inner};
    char *plain = unqualified(text, range);
    bool known = in->depth < DEPTH_MAX && ht_expr_text_value(plain, &scope, out_value);
    free(plain);
    return known;
}

typedef struct constant_search {
    const ht_source *source;
    const char *name;
    size_t count;
    CXCursor found;
} constant_search;

static bool on_declaration(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    constant_search *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    size_t file;
    ht_range range;
    if (!ht_source_range(in->source, cursor, &file, &range))
        return false;
    if ((kind == CXCursor_VarDecl || kind == CXCursor_EnumConstantDecl) &&
        ht_cursor_named(cursor, in->name)) {
        in->found = cursor;
        ++in->count;
    }
    return kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
           kind == CXCursor_UnexposedDecl || kind == CXCursor_EnumDecl;
}

CXCursor ht_source_constant(const ht_source *source, const char *name) {
    constant_search in = {source, name, 0, clang_getNullCursor()};
    ht_ast_walk(clang_getTranslationUnitCursor(source->unit), on_declaration, &in);
    return in.count == 1 ? in.found : clang_getNullCursor();
}

static bool constant_value(const ht_source *source, const char *name, int64_t *out_value) {
    CXCursor constant = ht_source_constant(source, name);
    if (clang_Cursor_isNull(constant))
        return false;
    if (clang_getCursorKind(constant) == CXCursor_EnumConstantDecl) {
        *out_value = clang_getEnumConstantDeclValue(constant);
        return true;
    }
    return ht_ast_declared_constant(constant, out_value);
}

static bool look_up(const void *context, const char *name, int64_t *out_value) {
    const naming *in = context;
    const ht_kernel_facts *facts = in->model->facts;
    for (size_t i = 0; i < facts->template_parameters.count; ++i)
        if (strcmp(facts->template_parameters.items[i].name, name) == 0) {
            *out_value = facts->template_parameters.items[i].value;
            return facts->template_parameters.items[i].has_value;
        }
    const ht_macro *macro = ht_source_macro(facts->source, name, in->model->definition.file,
                                            in->model->definition.range.begin);
    if (macro)
        return !macro->function_like &&
               evaluate(in, facts->source->files[macro->file].text, macro->body, out_value);
    return constant_value(facts->source, name, out_value);
}

bool ht_model_text_value(const ht_model *model, ht_range range, int64_t *out_value) {
    naming in = {model, 0};
    return evaluate(&in, model->text, range, out_value);
}
