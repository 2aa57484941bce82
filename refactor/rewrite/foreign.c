#include "refactor/rewrite/foreign.h"

#include "base/memory.h"
#include "refactor/kernel/discover.h"
#include "refactor/result.h"
#include "refactor/source/ast.h"
#include "refactor/source/names.h"
#include "refactor/unit/slice_print.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A kernel's code, walked over. The faults of `known`, which is NULL for the original, do not
 * count. */
typedef struct reach {
    const struct reach *known;
    ht_slice slice;
    ht_names states;    /* variables that outlive a launch */
    ht_names undefined; /* functions and variables that the file does not define */
    bool addresses;     /* numbers become addresses */
    ht_foreign *out;    /* NULL for the original */
} reach;

/* ---- notes ---- */

/* Keeps the first fault. Takes over `words`. */
static void fault_note(reach *in, ht_foreign_kind kind, CXCursor at, char *words) {
    if (!in->out || in->out->kind != HT_FOREIGN_READ) {
        free(words);
        return;
    }
    in->out->kind = kind;
    in->out->line = ht_ast_line(at);
    in->out->fault = words;
}

static void state_note(reach *in, CXCursor variable) {
    char *name = ht_cursor_name(variable);
    if (in->known && !ht_names_has(&in->known->states, name))
        fault_note(in, HT_FOREIGN_STATE, variable,
                   ht_format("'%s' outlives a launch: keep values in registers, in __shared__ "
                             "memory or in the kernel's buffers",
                             name));
    ht_names_add(&in->states, name);
    free(name);
}

static void undefined_note(reach *in, CXCursor use, CXCursor declaration) {
    char *name = ht_cursor_name(declaration);
    if (in->known && !ht_names_has(&in->known->undefined, name))
        fault_note(in, HT_FOREIGN_OUTSIDE, use,
                   ht_format("'%s' is declared, but not defined: define it, or do without", name));
    ht_names_add(&in->undefined, name);
    free(name);
}

/* ---- the walk ---- */

/* Returns true if the value, or the elements of an array, cannot change. Clang has the qualifiers
 * of elements at the array, or at both. */
static bool is_constant_type(CXType type) {
    bool constant = false;
    for (;;) {
        type = clang_getCanonicalType(type);
        constant = constant || clang_isConstQualifiedType(type);
        if (clang_isVolatileQualifiedType(type))
            return false;
        if (type.kind != CXType_ConstantArray && type.kind != CXType_IncompleteArray)
            return constant;
        type = clang_getArrayElementType(type);
    }
}

/* Returns true for variables of namespaces and classes, and for static ones of functions. */
static bool is_static(CXCursor variable) {
    enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(variable));
    return parent == CXCursor_TranslationUnit || parent == CXCursor_Namespace ||
           parent == CXCursor_StructDecl || parent == CXCursor_ClassDecl ||
           parent == CXCursor_ClassTemplate || parent == CXCursor_LinkageSpec ||
           clang_Cursor_getStorageClass(variable) == CX_SC_Static ||
           clang_Cursor_getStorageClass(variable) == CX_SC_Extern;
}

/* Returns true for a variable that one launch may leave something in for the next. */
static bool is_state(CXCursor variable) {
    return clang_getCursorKind(variable) == CXCursor_VarDecl && is_static(variable) &&
           !ht_ast_has(variable, CXCursor_CUDASharedAttr) &&
           !ht_ast_has(variable, CXCursor_CUDAConstantAttr) &&
           !is_constant_type(clang_getCursorType(variable));
}

static bool is_user(const reach *in, CXCursor declaration) {
    CXFile file;
    clang_getExpansionLocation(clang_getCursorLocation(declaration), &file, NULL, NULL, NULL);
    return file && ht_source_file(in->slice.source, file) != SIZE_MAX;
}

static bool is_undefined(const reach *in, CXCursor declaration) {
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    bool function = kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
                    kind == CXCursor_CXXMethod;
    bool variable = kind == CXCursor_VarDecl &&
                    clang_Cursor_getStorageClass(declaration) == CX_SC_Extern &&
                    !ht_ast_has(declaration, CXCursor_CUDASharedAttr);
    CXCursor primary = clang_getSpecializedCursorTemplate(declaration);
    if (!(function || variable) || !is_user(in, declaration))
        return false;
    if (!clang_Cursor_isNull(primary))
        declaration = primary;
    if (kind == CXCursor_CXXMethod && clang_CXXMethod_isDefaulted(declaration))
        return false;
    return clang_Cursor_isNull(clang_getCursorDefinition(declaration));
}

static bool is_cast(enum CXCursorKind kind) {
    return kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXReinterpretCastExpr ||
           kind == CXCursor_CXXFunctionalCastExpr;
}

/* Returns true for (float *)number, but for a null pointer. */
static bool makes_address(CXCursor cast) {
    CXType type = clang_getCanonicalType(clang_getCursorType(cast));
    ht_cursors parts = ht_ast_children(cast);
    CXCursor operand = parts.count ? parts.items[parts.count - 1] : clang_getNullCursor();
    free(parts.items);
    if (type.kind != CXType_Pointer || !clang_isExpression(clang_getCursorKind(operand)))
        return false;
    int64_t value;
    bool null = ht_ast_constant(operand, &value) && value == 0;
    return ht_type_is_integer(clang_getCursorType(ht_ast_strip(operand, false))) && !null;
}

static bool on_part(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    reach *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    CXCursor named =
        kind == CXCursor_DeclRefExpr || kind == CXCursor_CallExpr || kind == CXCursor_MemberRefExpr
            ? clang_getCursorReferenced(cursor)
            : clang_getNullCursor();
    if (is_state(cursor))
        state_note(in, cursor);
    if (!clang_Cursor_isNull(named) && is_undefined(in, named))
        undefined_note(in, cursor, named);
    if (is_cast(kind) && makes_address(cursor)) {
        in->addresses = true;
        if (in->known && !in->known->addresses)
            fault_note(in, HT_FOREIGN_ADDRESS, cursor,
                       ht_strdup("it makes an address of a number: use the kernel's own buffers"));
    }
    return true;
}

/* Walks over all that a kernel reaches. *out_unit: its text; NULL: it cannot be cut out. */
static void reach_walk(reach *in, const ht_source *source, CXCursor kernel, char **out_unit) {
    const char *reason = ht_slice_build(source, &kernel, 1, NULL, &in->slice);
    for (size_t i = 0; i < in->slice.chunk_count; ++i)
        for (size_t j = 0; in->slice.chunks[i].needed && j < in->slice.chunks[i].cursor_count;
             ++j) {
            CXCursor cursor = in->slice.chunks[i].cursors[j];
            (void)on_part(cursor, cursor, in);
            ht_ast_walk(cursor, on_part, in);
        }
    if (reason) {
        if (in->out && in->out->kind == HT_FOREIGN_READ) {
            in->out->kind = HT_FOREIGN_OUTSIDE;
            in->out->line = in->slice.reason_line;
            in->out->fault = ht_strdup(reason);
        }
        return;
    }
    ht_text text = {0};
    ht_slice_print(&in->slice, NULL, NULL, &text);
    *out_unit = ht_text_take(&text);
}

static void reach_free(reach *in) {
    ht_names_free(&in->states);
    ht_names_free(&in->undefined);
    ht_slice_free(&in->slice);
}

/* ---- the kernel ---- */

/* Returns the first error that the original does not have. */
static const ht_source_error *new_error(const ht_source *original, const ht_source *source) {
    for (size_t i = 0; i < source->errors.count; ++i) {
        bool known = false;
        for (size_t j = 0; j < original->errors.count && !known; ++j)
            known = strcmp(original->errors.items[j].message, source->errors.items[i].message) == 0;
        if (!known)
            return &source->errors.items[i];
    }
    return NULL;
}

static CXCursor kernel_find(const ht_source *source, const char *qualified) {
    ht_cursors kernels = ht_kernels_find(source);
    CXCursor found = clang_getNullCursor();
    for (size_t i = 0; i < kernels.count && clang_Cursor_isNull(found); ++i) {
        size_t file;
        ht_range range;
        char *own = ht_cursor_qualified_name(kernels.items[i]);
        if (strcmp(own, qualified) == 0 &&
            ht_source_range(source, kernels.items[i], &file, &range) && file == 0)
            found = kernels.items[i];
        free(own);
    }
    free(kernels.items);
    return found;
}

static void type_print(CXType type, ht_text *out) {
    CXString spelling = clang_getTypeSpelling(clang_getCanonicalType(type));
    ht_text_append(out, clang_getCString(spelling));
    clang_disposeString(spelling);
}

/* Returns "<typename, int> void (float *, int)"; free(). */
static char *signature_of(CXCursor kernel) {
    ht_text text = {0};
    ht_cursors parts = ht_ast_children(kernel);
    for (size_t i = 0; i < parts.count; ++i) {
        enum CXCursorKind kind = clang_getCursorKind(parts.items[i]);
        if (kind == CXCursor_TemplateTypeParameter)
            ht_text_append(&text, "<typename>");
        else if (kind == CXCursor_NonTypeTemplateParameter) {
            ht_text_append(&text, "<");
            type_print(clang_getCursorType(parts.items[i]), &text);
            ht_text_append(&text, ">");
        }
    }
    free(parts.items);
    type_print(clang_getCursorType(kernel), &text);
    return ht_text_take(&text);
}

static void signature_compare(CXCursor original, CXCursor kernel, ht_foreign *out) {
    char *before = signature_of(original), *now = signature_of(kernel);
    if (strcmp(before, now) != 0) {
        out->kind = HT_FOREIGN_SIGNATURE;
        out->line = ht_ast_line(kernel);
        out->fault = ht_format("its signature is %s, the original's is %s", now, before);
    }
    free(before);
    free(now);
}

static void kernel_read(const ht_source *original, CXCursor before, const ht_source *source,
                        CXCursor kernel, ht_foreign *out) {
    reach known = {0}, own = {.known = &known, .out = out};
    reach_walk(&known, original, before, &out->original_unit);
    reach_walk(&own, source, kernel, &out->unit);
    reach_free(&known);
    reach_free(&own);
}

ht_status ht_foreign_read(const ht_refactor *refactor, size_t kernel, const char *text,
                          bool annotated, ht_foreign *out, ht_error *error) {
    const ht_source *original = refactor->source;
    const ht_model *model = &refactor->work[kernel].model;
    ht_file_text file = {original->files[0].path, (char *)(uintptr_t)text};
    ht_source *source;
    *out = (ht_foreign){0};
    if (!model->facts)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED, "%s is not analysed: %s",
                            refactor->kernels[kernel].name, refactor->kernels[kernel].reason);
    ht_status status = ht_source_reopen(original, &file, 1, &source, error);
    if (status != HT_OK)
        return status;
    const ht_source_error *first = new_error(original, source);
    CXCursor found = kernel_find(source, model->qualified);
    if (first) {
        *out = (ht_foreign){
            HT_FOREIGN_UNPARSED, .line = first->line,
            .fault = ht_format("it does not compile: line %d: %s", first->line, first->message)};
    } else if (clang_Cursor_isNull(found)) {
        *out = (ht_foreign){HT_FOREIGN_UNPARSED,
                            .fault = ht_format("it defines no kernel %s", model->qualified)};
    } else {
        if (!annotated)
            signature_compare(model->definition.function, found, out);
        kernel_read(original, model->definition.function, source, found, out);
    }
    ht_source_free(source);
    return HT_OK;
}

void ht_foreign_free(ht_foreign *foreign) {
    free(foreign->fault);
    free(foreign->unit);
    free(foreign->original_unit);
    *foreign = (ht_foreign){0};
}

char *ht_foreign_original(const ht_refactor *refactor) {
    const ht_source *source = refactor->source;
    return ht_source_author_text(source, ht_strdup(source->files[0].text));
}

char *ht_foreign_replaced(const ht_refactor *refactor, size_t kernel, const char *definition) {
    const ht_source *source = refactor->source;
    ht_range range = refactor->work[kernel].model.definition.range;
    ht_text text = {0};
    ht_text_append_n(&text, source->files[0].text, range.begin);
    ht_text_append(&text, definition);
    ht_text_append(&text, source->files[0].text + range.end);
    return ht_source_author_text(source, ht_text_take(&text));
}

char *ht_foreign_definition(const ht_refactor *refactor, size_t kernel) {
    const ht_source *source = refactor->source;
    ht_range range = refactor->work[kernel].model.definition.range;
    return ht_source_author_text(
        source, ht_strndup(source->files[0].text + range.begin, range.end - range.begin));
}
