#include "refactor/infer/infer_type.h"

#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/source/ast.h"
#include "templates/expr/type.h"

#include <stdlib.h>
#include <string.h>

static const char *template_type(const ht_model *model, const char *name) {
    for (size_t i = 0; i < model->facts->template_parameters.count; ++i)
        if (strcmp(model->facts->template_parameters.items[i].name, name) == 0)
            return model->facts->template_parameters.items[i].argument;
    return NULL;
}

typedef struct record {
    CXType type; /* type that all fields have; invalid: they have none in common */
    bool mixed;
    int depth;
} record;

static enum CXVisitorResult on_field(CXCursor field, CXClientData context) {
    record *in = context;
    CXType type = clang_getCanonicalType(clang_getCursorType(field));
    while (type.kind == CXType_ConstantArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    if (type.kind == CXType_Record && in->depth < 4) {
        ++in->depth;
        clang_Type_visitFields(type, on_field, in);
        --in->depth;
        return CXVisit_Continue;
    }
    in->mixed = in->mixed || (in->type.kind != CXType_Invalid &&
                              !clang_equalTypes(in->type, ht_type_unqualified(type)));
    in->type = ht_type_unqualified(type);
    return CXVisit_Continue;
}

/* Returns the common type of a structure's fields: struct { float x, y, z; } is three floats. NULL:
 * there is none. */
static char *record_type(CXType type, long long *out_parts) {
    record in = {.mixed = false};
    if (type.kind != CXType_Record || !out_parts)
        return NULL;
    clang_Type_visitFields(type, on_field, &in);
    long long whole = clang_Type_getSizeOf(type);
    char *text = in.mixed || in.type.kind == CXType_Invalid ? NULL : ht_type_plain(in.type);
    long long part = text ? (long long)ht_type_size(text) : 0;
    if (part <= 0 || whole <= 0 || whole % part != 0) {
        free(text);
        return NULL;
    }
    *out_parts = whole / part;
    return text;
}

/* Returns the type to which the launch's argument for a parameter points; invalid: not known. */
static CXType launched_type(const ht_model *model, const ht_parameter *parameter) {
    const ht_launches *launches = &model->facts->launches;
    CXType type = {.kind = CXType_Invalid};
    for (size_t i = 0; launches->count && i < model->parameters.count; ++i)
        if (clang_equalCursors(model->parameters.items[i].cursor, parameter->cursor) &&
            i < launches->items[0].argument_count)
            type = clang_getCanonicalType(
                clang_getCursorType(ht_ast_strip(launches->items[0].arguments[i], false)));
    type = type.kind == CXType_ConstantArray ? clang_getArrayElementType(type)
                                             : clang_getPointeeType(type);
    return ht_type_unqualified(clang_getCanonicalType(type));
}

char *ht_infer_type(const ht_model *model, const ht_parameter *parameter, long long *out_parts) {
    if (out_parts)
        *out_parts = 1;
    const char *written = parameter->is_pointer ? parameter->pointee : parameter->type;
    const char *argument = template_type(model, written);
    if (ht_type_size(written))
        return ht_strdup(written);
    if (argument && ht_type_size(argument))
        return ht_strdup(argument);
    if (argument) /* elements that are structures */
        return parameter->is_pointer ? record_type(launched_type(model, parameter), out_parts)
                                     : NULL;
    CXType type = clang_getCanonicalType(clang_getCursorType(parameter->cursor));
    if (parameter->is_pointer)
        type = clang_getCanonicalType(clang_getPointeeType(type));
    if (type.kind == CXType_Enum)
        type = clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type));
    char *text = ht_type_plain(type);
    if (ht_type_size(text))
        return text;
    free(text);
    return parameter->is_pointer ? record_type(type, out_parts) : NULL;
}
