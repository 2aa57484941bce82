#include "refactor/source/launch_names.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/ast.h"
#include "refactor/source/chevrons.h"

#include <stdlib.h>
#include <string.h>

/* Ahead of a name that is not declared: far enough from all names for clang to guess none. */
#define MARK "hiptemper_not_declared_"

typedef struct reader {
    CXFile file;
    ht_tokens tokens;
    size_t *ends; /* of calls, as offsets */
    size_t end_count;
    ht_launch_names fields, found;
} reader;

/* ---- lists of names ---- */

static ht_lost_name *name_find(const ht_launch_names *names, const char *name) {
    for (size_t i = 0; i < names->count; ++i)
        if (strcmp(names->items[i].name, name) == 0)
            return &names->items[i];
    return NULL;
}

static void name_add(ht_launch_names *names, const char *name, bool is_field) {
    ht_lost_name *known = name_find(names, name);
    if (known) {
        known->is_field = known->is_field || is_field;
        return;
    }
    HT_GROW(names->items, names->count);
    names->items[names->count++] = (ht_lost_name){ht_strdup(name), is_field};
}

static void name_drop(ht_launch_names *names, const char *name) {
    ht_lost_name *known = name_find(names, name);
    if (!known)
        return;
    free(known->name);
    *known = names->items[--names->count];
}

ht_launch_names ht_launch_names_copy(const ht_launch_names *names) {
    ht_launch_names copy = {0};
    for (size_t i = 0; i < names->count; ++i)
        name_add(&copy, names->items[i].name, names->items[i].is_field);
    return copy;
}

void ht_launch_names_free(ht_launch_names *names) {
    for (size_t i = 0; i < names->count; ++i)
        free(names->items[i].name);
    free(names->items);
    *names = (ht_launch_names){0};
}

/* ---- a unit ---- */

/* Returns the offset of a place in the file; SIZE_MAX: it is in another one. */
static size_t offset_in(CXFile file, CXSourceLocation place) {
    CXFile of;
    unsigned offset;
    clang_getFileLocation(place, &of, NULL, NULL, &offset);
    return of && clang_File_isEqual(of, file) ? offset : SIZE_MAX;
}

/* Notes fields whose types are not known, and the ends of calls in the file. */
static bool on_cursor(CXCursor cursor, CXCursor parent, void *context) {
    reader *in = context;
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_FieldDecl && clang_isInvalidDeclaration(cursor)) {
        CXString name = clang_getCursorSpelling(cursor);
        if (*clang_getCString(name))
            name_add(&in->fields, clang_getCString(name), true);
        clang_disposeString(name);
    }
    if (kind == CXCursor_CallExpr) {
        HT_GROW(in->ends, in->end_count);
        in->ends[in->end_count++] =
            offset_in(in->file, clang_getRangeEnd(clang_getCursorExtent(cursor)));
    }
    return true;
}

/* Returns true if clang has the launch that these tokens end. */
static bool is_kept(const reader *in, size_t last) {
    for (size_t i = 0; i < in->end_count; ++i)
        if (in->ends[i] == in->tokens.items[last].end)
            return true;
    return false;
}

/* Returns true if the token is a name by itself, or a field's after a dot: no function, no
 * namespace, no template, and nothing that they have. */
static bool stands_alone(const ht_tokens *tokens, size_t index, bool is_field) {
    static const char *const after[] = {"(", "::", "<", NULL}, *const before[] = {".", "->", NULL};
    return tokens->items[index].kind == HT_TOKEN_NAME &&
           !ht_tokens_is_any(tokens, index + 1, after) && !ht_tokens_is(tokens, index - 1, "::") &&
           (is_field || !ht_tokens_is_any(tokens, index - 1, before));
}

/* Calls `visit` for each token of launches in the file; `kept`: of those that clang has. */
static void launches_visit(reader *in, bool kept, void (*visit)(reader *in, size_t token)) {
    size_t first, last;
    for (size_t i = 0; i < in->tokens.count; ++i)
        if (ht_chevrons_launch(&in->tokens, i, &first, &last)) {
            for (size_t token = first; token < last && kept == is_kept(in, last); ++token)
                visit(in, token);
            i = last;
        }
}

static void field_add(reader *in, size_t token) {
    char *name = ht_tokens_text(&in->tokens, token);
    if (name_find(&in->fields, name) && stands_alone(&in->tokens, token, true))
        name_add(&in->found, name, true);
    free(name);
}

static void own_drop(reader *in, size_t token) {
    char *name = ht_tokens_text(&in->tokens, token);
    name_drop(&in->found, name);
    free(name);
}

/* Adds the name at this place if a launch that clang drops has it. */
static void name_at(reader *in, size_t offset) {
    size_t first, last, at = ht_tokens_at(&in->tokens, offset);
    for (size_t i = 0; i < at && at < in->tokens.count; ++i) {
        if (!ht_chevrons_launch(&in->tokens, i, &first, &last))
            continue;
        if (first <= at && at < last && !is_kept(in, last) &&
            stands_alone(&in->tokens, at, false)) {
            char *name = ht_tokens_text(&in->tokens, at);
            name_add(&in->found, name, false);
            free(name);
        }
        i = last;
    }
}

/* Adds the names that clang's messages say are not declared. */
static void undeclared_add(CXTranslationUnit unit, reader *in) {
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
        CXString words = clang_getDiagnosticSpelling(diagnostic);
        size_t offset = offset_in(in->file, clang_getDiagnosticLocation(diagnostic));
        if (offset != SIZE_MAX && strstr(clang_getCString(words), "undeclared identifier"))
            name_at(in, offset);
        clang_disposeString(words);
        clang_disposeDiagnostic(diagnostic);
    }
}

void ht_launch_names_find(CXTranslationUnit unit, CXFile file, ht_launch_names *out_names) {
    size_t length;
    const char *text = clang_getFileContents(unit, file, &length);
    *out_names = (ht_launch_names){0};
    if (!text || strlen(text) != length || !strstr(text, "<<<"))
        return;
    reader in = {.file = file};
    ht_tokens_read(text, (ht_range){0, length}, true, &in.tokens);
    ht_ast_walk(clang_getTranslationUnitCursor(unit), on_cursor, &in);
    undeclared_add(unit, &in);
    launches_visit(&in, false, field_add);
    launches_visit(&in, true, own_drop);
    *out_names = in.found;
    ht_launch_names_free(&in.fields);
    ht_tokens_free(&in.tokens);
    free(in.ends);
}

/* ---- a text ---- */

/* Appends what stands from *from to the token, and the token as a call if it is such a name. */
static void call_write(const ht_tokens *tokens, size_t token, const ht_launch_names *names,
                       size_t *from, ht_text *out) {
    char *name = ht_tokens_text(tokens, token);
    const ht_lost_name *known = name_find(names, name);
    if (known && stands_alone(tokens, token, known->is_field)) {
        ht_text_append_n(out, tokens->text + *from, tokens->items[token].begin - *from);
        ht_text_printf(out, MARK "%s()", name);
        *from = tokens->items[token].end;
    }
    free(name);
}

char *ht_launch_names_write(char *text, const ht_launch_names *names) {
    if (names->count == 0 || !strstr(text, "<<<"))
        return text;
    ht_tokens tokens;
    ht_text out = {0};
    size_t from = 0, first, last;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i)
        if (ht_chevrons_launch(&tokens, i, &first, &last)) {
            for (size_t token = first; token < last; ++token)
                call_write(&tokens, token, names, &from, &out);
            i = last;
        }
    ht_text_append(&out, text + from);
    ht_tokens_free(&tokens);
    free(text);
    return ht_text_take(&out);
}

char *ht_launch_names_restore(char *text, const ht_launch_names *names) {
    for (size_t i = 0; i < names->count; ++i) {
        char *call = ht_format(MARK "%s()", names->items[i].name);
        ht_text out = {0};
        const char *from = text, *at;
        for (; (at = strstr(from, call)) != NULL; from = at + strlen(call)) {
            ht_text_append_n(&out, from, (size_t)(at - from));
            ht_text_append(&out, names->items[i].name);
        }
        ht_text_append(&out, from);
        free(text);
        free(call);
        text = ht_text_take(&out);
    }
    return text;
}
