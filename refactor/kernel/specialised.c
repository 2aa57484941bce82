#include "refactor/kernel/specialised.h"
#include "base/memory.h"
#include "refactor/kernel/pins.h"
#include "refactor/source/conditional.h"

#include <stdlib.h>
#include <string.h>

static bool same_place(CXCursor a, CXCursor b) {
    return clang_equalLocations(clang_getCursorLocation(a), clang_getCursorLocation(b));
}

bool ht_is_specialised(CXCursor function) {
    CXCursor primary = clang_getSpecializedCursorTemplate(function);
    return clang_getCursorKind(function) == CXCursor_FunctionDecl &&
           !clang_Cursor_isNull(primary) && !same_place(primary, function);
}

static void append_argument(CXCursor function, unsigned index, ht_text *out) {
    enum CXTemplateArgumentKind kind = clang_Cursor_getTemplateArgumentKind(function, index);
    if (kind == CXTemplateArgumentKind_Type) {
        CXString type =
            clang_getTypeSpelling(clang_Cursor_getTemplateArgumentType(function, index));
        ht_text_append(out, clang_getCString(type));
        clang_disposeString(type);
    } else if (kind == CXTemplateArgumentKind_Integral)
        ht_text_printf(out, "%lld", clang_Cursor_getTemplateArgumentValue(function, index));
    else
        ht_text_append(out, "...");
}

char *ht_specialised_name(CXCursor function) {
    char *name = ht_cursor_qualified_name(function);
    ht_text text = {0};
    ht_text_printf(&text, "%s<", name);
    int count = clang_Cursor_getNumTemplateArguments(function);
    for (int i = 0; i < count; ++i) {
        ht_text_append(&text, i ? ", " : "");
        append_argument(function, (unsigned)i, &text);
    }
    ht_text_append(&text, ">");
    free(name);
    return ht_text_take(&text);
}

/* ---- the specialisations of a template ---- */

typedef struct each {
    CXCursor primary; /* canonical */
    void (*found)(CXCursor, void *);
    void *context;
} each;

static enum CXChildVisitResult on_function(CXCursor cursor, CXCursor parent, CXClientData data) {
    const each *in = data;
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
        return CXChildVisit_Recurse;
    if (kind == CXCursor_FunctionDecl && ht_is_specialised(cursor) &&
        clang_equalCursors(ht_ast_canonical(cursor), in->primary))
        in->found(cursor, in->context);
    return CXChildVisit_Continue;
}

void ht_specialised_each(CXTranslationUnit unit, CXCursor template, void (*found)(CXCursor, void *),
                         void *context) {
    each in = {clang_getCanonicalCursor(template), found, context};
    clang_visitChildren(clang_getTranslationUnitCursor(unit), on_function, &in);
}

/* ---- kernels ---- */

typedef struct search {
    ht_model *model;
    CXCursor primary; /* canonical */
} search;

static enum CXChildVisitResult on_declaration(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    search *in = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    size_t file;
    ht_range range;
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
        return CXChildVisit_Recurse;
    if (kind != CXCursor_FunctionDecl || !ht_is_specialised(cursor) ||
        !clang_equalCursors(ht_ast_canonical(cursor), in->primary) ||
        !ht_source_range(in->model->facts->source, cursor, &file, &range))
        return CXChildVisit_Continue;
    char *name = ht_specialised_name(cursor);
    ht_pin_add(in->model, HT_PIN_KERNEL, HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_HEADER,
               file, range.begin,
               ht_format("'%s' (line %d) is a specialisation of it, whose launches would change "
                         "with the others: give it a name of its own",
                         name, ht_source_line(in->model->facts->source, file, range.begin)));
    free(name);
    return CXChildVisit_Break;
}

void ht_specialised_build(ht_model *model) {
    search in = {.model = model, .primary = clang_getCanonicalCursor(model->definition.function)};
    if (model->definition.is_template)
        clang_visitChildren(clang_getTranslationUnitCursor(model->facts->source->unit),
                            on_declaration, &in);
}
