#include "refactor/kernel/model.h"
#include "base/memory.h"
#include "refactor/kernel/facts.h"

#include <string.h>

/* Returns true if a location is neither made by a macro nor in a macro's argument. */
static bool plain_location(const ht_model *model, CXSourceLocation location, size_t *out_offset) {
    CXFile file, spelling_file;
    unsigned offset, spelling;
    clang_getExpansionLocation(location, &file, NULL, NULL, &offset);
    clang_getSpellingLocation(location, &spelling_file, NULL, NULL, &spelling);
    *out_offset = offset;
    return file && clang_File_isEqual(file, model->facts->source->files[0].file) && spelling_file &&
           clang_File_isEqual(spelling_file, file) && spelling == offset &&
           offset <= model->facts->source->files[0].length;
}

static bool expansion_touches(const ht_source *source, size_t offset) {
    for (size_t i = 0; i < source->expansions.count; ++i) {
        const ht_expansion *expansion = &source->expansions.items[i];
        if (expansion->file == 0 && offset >= expansion->range.begin &&
            offset < expansion->range.end)
            return true;
    }
    return false;
}

bool ht_model_is_plain(const ht_model *model, size_t offset) {
    return !expansion_touches(model->facts->source, offset);
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
    for (size_t i = 0; i < source->expansions.count; ++i) {
        const ht_expansion *expansion = &source->expansions.items[i];
        if (expansion->file == file && expansion->range.begin < range.end &&
            range.begin < expansion->range.end)
            return true;
    }
    return false;
}

char *ht_model_text(const ht_model *model, ht_range range) {
    return ht_strndup(model->text + range.begin, range.end - range.begin);
}

const ht_local *ht_model_local(const ht_model *model, CXCursor declaration) {
    for (size_t i = 0; i < model->locals.count; ++i)
        if (clang_equalCursors(model->locals.items[i].cursor, declaration))
            return &model->locals.items[i];
    return NULL;
}

const ht_parameter *ht_model_parameter(const ht_model *model, CXCursor declaration) {
    for (size_t i = 0; i < model->parameters.count; ++i)
        if (clang_equalCursors(model->parameters.items[i].cursor, declaration))
            return &model->parameters.items[i];
    return NULL;
}

static bool constant_operation(int kind, int64_t a, int64_t b, int64_t *out) {
    bool divides = kind == HT_BINARY_DIV || kind == HT_BINARY_REM;
    return kind <= HT_BINARY_SUB && !(divides && b <= 0) && ht_operator_compute(kind, a, b, out);
}

bool ht_model_constant(const ht_model *model, CXCursor expression, int64_t *out_value) {
    if (ht_ast_constant(expression, out_value))
        return true;
    CXCursor stripped = ht_ast_strip(expression, true), left, right;
    CXCursor variable = ht_ast_variable(stripped);
    enum CXBinaryOperatorKind kind;
    enum CXUnaryOperatorKind unary;
    int64_t a, b;
    const ht_kernel_facts *facts = model->facts;
    for (size_t i = 0; i < facts->template_parameters.count; ++i)
        if (facts->template_parameters.items[i].has_value &&
            clang_equalCursors(facts->template_parameters.items[i].cursor, variable)) {
            *out_value = facts->template_parameters.items[i].value;
            return true;
        }
    const ht_local *local = ht_model_local(model, variable);
    if (local && local->writes == 0 && !clang_Cursor_isNull(local->initializer))
        return clang_isConstQualifiedType(clang_getCursorType(variable)) &&
               ht_model_constant(model, local->initializer, out_value);
    if (ht_ast_unary(stripped, &unary, &left) && unary == CXUnaryOperator_Minus &&
        ht_model_constant(model, left, &a)) {
        *out_value = -a;
        return true;
    }
    return ht_ast_binary(stripped, &kind, &left, &right) && ht_model_constant(model, left, &a) &&
           ht_model_constant(model, right, &b) && constant_operation(kind, a, b, out_value);
}
