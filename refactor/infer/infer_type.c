#include "refactor/infer/infer_type.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/kernel/facts.h"
#include "refactor/source/ast.h"
#include "refactor/source/record.h"

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
static char *common_type(CXType type, long long whole, long long *out_parts) {
    record in = {.mixed = false};
    clang_Type_visitFields(type, on_field, &in);
    char *text = in.mixed || in.type.kind == CXType_Invalid ? NULL : ht_type_plain(in.type);
    long long part = text ? (long long)ht_type_size(text) : 0;
    if (part <= 0 || whole % part != 0) {
        free(text);
        return NULL;
    }
    *out_parts = whole / part;
    return text;
}

char *ht_infer_record_parts(CXType type, long long *out_parts) {
    long long whole = type.kind == CXType_Record ? clang_Type_getSizeOf(type) : 0;
    if (whole <= 0 || !out_parts)
        return NULL;
    char *text = common_type(type, whole, out_parts);
    if (text || ht_type_holds_pointers(type))
        return text;
    *out_parts = whole;
    return ht_strdup(HT_INFER_BYTES);
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

/* Returns the type that a pointer leads to, as far as kernel and launch give it. */
static CXType pointee_of(const ht_model *model, const ht_parameter *parameter) {
    CXType type = clang_getCanonicalType(
        clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(parameter->cursor))));
    return type.kind == CXType_Record ? type : launched_type(model, parameter);
}

/* ---- structures of a kernel's template ---- */

typedef struct template_fields {
    size_t count;
    bool leads; /* one is or may be a pointer, or a structure */
} template_fields;

static enum CXChildVisitResult on_template_field(CXCursor cursor, CXCursor parent,
                                                 CXClientData context) {
    (void)parent;
    template_fields *in = context;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CXXBaseSpecifier)
        in->leads = true;
    if (kind != CXCursor_FieldDecl)
        return CXChildVisit_Continue;
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    while (type.kind == CXType_ConstantArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    char *text = ht_type_plain(type);
    bool parameter = type.kind == CXType_Unexposed && strchr(text, '<') == NULL;
    in->leads = in->leads || (!ht_type_size(text) && !parameter);
    ++in->count;
    free(text);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult on_template_name(CXCursor cursor, CXCursor parent,
                                                CXClientData context) {
    (void)parent;
    template_fields *in = context;
    if (clang_getCursorKind(cursor) == CXCursor_TemplateRef)
        clang_visitChildren(clang_getCursorReferenced(cursor), on_template_field, in);
    return CXChildVisit_Continue;
}

/* Returns true for a pointer to work_record<T> where T is a parameter of the kernel's template and
 * a number. How many bytes it has is not asked of clang, which knows no such type. */
static bool is_template_record(const ht_model *model, const ht_parameter *parameter) {
    template_fields in = {0};
    CXType type = clang_getCanonicalType(clang_getCursorType(parameter->cursor));
    if (type.kind != CXType_Pointer ||
        clang_getCanonicalType(clang_getPointeeType(type)).kind != CXType_Unexposed)
        return false;
    for (size_t i = 0; i < model->facts->template_parameters.count; ++i) {
        const char *argument = model->facts->template_parameters.items[i].argument;
        in.leads = in.leads || !argument || !ht_type_size(argument);
    }
    clang_visitChildren(parameter->cursor, on_template_name, &in);
    return in.count > 0 && !in.leads;
}

bool ht_infer_type_mixed(const ht_model *model, const ht_parameter *parameter) {
    CXType type = pointee_of(model, parameter);
    if (type.kind != CXType_Record)
        return is_template_record(model, parameter);
    long long parts, whole = type.kind == CXType_Record ? clang_Type_getSizeOf(type) : 0;
    char *common = whole > 0 ? common_type(type, whole, &parts) : NULL;
    bool mixed = whole > 0 && !common;
    free(common);
    return mixed && !ht_type_size(parameter->pointee);
}

/* ---- contents of structures */

typedef struct enumerators {
    long long least, most;
    long long example; /* the first that is not 0, or 0 */
    bool any;
} enumerators;

static enum CXChildVisitResult on_enumerator(CXCursor cursor, CXCursor parent,
                                             CXClientData context) {
    (void)parent;
    enumerators *in = context;
    if (clang_getCursorKind(cursor) != CXCursor_EnumConstantDecl)
        return CXChildVisit_Continue;
    long long value = clang_getEnumConstantDeclValue(cursor);
    in->least = in->any && in->least < value ? in->least : value;
    in->most = in->any && in->most > value ? in->most : value;
    in->example = in->example ? in->example : value;
    in->any = true;
    return CXChildVisit_Continue;
}

bool ht_infer_enumerator(CXType type, int64_t *out_value) {
    enumerators in = {0};
    clang_visitChildren(clang_getTypeDeclaration(type), on_enumerator, &in);
    *out_value = in.example;
    return in.any;
}

/* Adds the numbers at one place of a structure. Returns false if they are no numbers. */
static bool part_add(const ht_record_leaf *leaf, ht_text *out) {
    long long count;
    CXType type = ht_record_element(leaf->type, &count);
    enumerators in = {0};
    if (type.kind == CXType_Enum) {
        clang_visitChildren(clang_getTypeDeclaration(type), on_enumerator, &in);
        type = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)));
    }
    char *text = ht_type_plain(type);
    bool known = ht_type_size(text) > 0 && type.kind != CXType_Pointer && leaf->place >= 0;
    ht_text_printf(out, ", %lld %s", leaf->place, text);
    if (count > 1)
        ht_text_printf(out, "[%lld]", count);
    if (in.any)
        ht_text_printf(out, "(%lld, %lld)", in.least, in.most);
    free(text);
    return known;
}

char *ht_infer_record_contents(CXType type) {
    ht_record record;
    ht_text text = {0};
    if (type.kind != CXType_Record)
        return NULL;
    ht_record_read(type, &record);
    bool known = !record.problem && record.count > 0;
    ht_text_printf(&text, "records(%lld", clang_Type_getSizeOf(type));
    for (size_t i = 0; i < record.count && known; ++i)
        known = part_add(&record.leaves[i], &text);
    ht_text_append(&text, ")");
    ht_record_free(&record);
    if (known)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

char *ht_infer_type_records(const ht_model *model, const ht_parameter *parameter) {
    return ht_infer_record_contents(pointee_of(model, parameter));
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
        return parameter->is_pointer
                   ? ht_infer_record_parts(launched_type(model, parameter), out_parts)
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
    if (!parameter->is_pointer || !out_parts)
        return NULL;
    text = ht_infer_record_parts(pointee_of(model, parameter), out_parts);
    if (text || !is_template_record(model, parameter))
        return text;
    *out_parts = 0;
    return ht_strdup(HT_INFER_BYTES);
}
