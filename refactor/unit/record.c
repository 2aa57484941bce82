#include "refactor/unit/record.h"

#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/source/record.h"
#include "templates/expr/type.h"

#include <stdlib.h>
#include <string.h>

CXType ht_record_type(const ht_model *model, size_t index) {
    const ht_launches *launches = &model->facts->launches;
    CXType type =
        clang_getCanonicalType(clang_getCursorType(model->parameters.items[index].cursor));
    bool points = type.kind == CXType_Pointer;
    if (points)
        type = clang_getCanonicalType(clang_getPointeeType(type));
    if (points && !(type.kind == CXType_Record && ht_type_holds_pointers(type)))
        type.kind = CXType_Invalid; /* elements, or nothing that a structure could lead to */
    bool open = type.kind == CXType_Unexposed || type.kind == CXType_Dependent;
    if (open && launches->count && index < launches->items[0].argument_count)
        type = clang_getCanonicalType(
            clang_getCursorType(ht_ast_strip(launches->items[0].arguments[index], false)));
    if (type.kind != CXType_Record)
        type.kind = CXType_Invalid;
    return type.kind == CXType_Invalid ? type : ht_type_unqualified(type);
}

/* Returns true if the text names the type: by its whole name, or as the parameter does. */
static bool is_named(CXType type, const ht_parameter *parameter, const char *text) {
    char *name = ht_record_name(type);
    size_t length = name ? strlen(name) : 0, given = strlen(text);
    bool same = strcmp(parameter->is_pointer ? parameter->pointee : parameter->type, text) == 0;
    same = same || (name && given <= length && strcmp(name + length - given, text) == 0 &&
                    (given == length || name[length - given - 1] == ':'));
    free(name);
    return same;
}

static char *field_check(const ht_record *record, const ht_arg *field) {
    const ht_record_leaf *leaf = ht_record_find(record, strchr(field->name, '.') + 1);
    if (!leaf)
        return ht_format("'%s' is no field, or one of structures: name a number or a pointer",
                         field->name);
    if (strcmp(leaf->path, strchr(field->name, '.') + 1) != 0)
        return NULL; /* a part of it, or several: the compiler judges */
    bool array = leaf->type.kind == CXType_ConstantArray;
    if (array && field->role == HT_ARG_IN)
        return NULL;
    bool pointer = leaf->type.kind == CXType_Pointer, buffer = field->role != HT_ARG_SCALAR;
    size_t size = ht_type_size(field->type);
    if (pointer != buffer && !(pointer && size == sizeof(void *)))
        return ht_format("field '%s' is declared a %s, but is %s", field->name,
                         buffer ? "buffer" : "number", pointer ? "a pointer" : "none");
    long long wanted = buffer ? clang_Type_getSizeOf(clang_getPointeeType(leaf->type))
                              : clang_Type_getSizeOf(leaf->type);
    if (!pointer && size && wanted > 0 && (long long)size != wanted)
        return ht_format("field '%s' is declared %s, which has another size", field->name,
                         field->type);
    return NULL;
}

/* Checks the fields of a vector, x to w: how HIP declares them is its own affair. */
static char *vector_check(const ht_problem_entry *entry, const ht_arg *arg) {
    size_t components = ht_type_components(arg->type);
    for (size_t i = 0; i < entry->arg_count; ++i) {
        const ht_arg *field = &entry->args[i];
        if (!ht_arg_is_field_of(field, arg))
            continue;
        const char *name = strchr(field->name, '.') + 1;
        const char *const names = "xyzw",
                          *among = name[0] && !name[1] ? strchr(names, *name) : NULL;
        if (!among || (size_t)(among - names) >= components || field->role != HT_ARG_SCALAR ||
            ht_type_size(field->type) * components != ht_type_size(arg->type))
            return ht_format("'%s : %s' is no component of a %s", field->name, field->type,
                             arg->type);
    }
    return NULL;
}

char *ht_record_check(const ht_model *model, size_t index, const ht_arg *arg) {
    const ht_problem_entry *entry = model->entry;
    const ht_parameter *parameter = &model->parameters.items[index];
    CXType type = ht_record_type(model, index);
    if (type.kind == CXType_Invalid || arg->is_pointed != parameter->is_pointer)
        return ht_format("argument '%s' is declared a structure%s, but the kernel's parameter '%s' "
                         "has another type",
                         arg->name, arg->is_pointed ? " that a pointer leads to" : "",
                         parameter->name);
    if (!is_named(type, parameter, arg->type))
        return ht_format("argument '%s' is declared struct %s, but the kernel's parameter is %s",
                         arg->name, arg->type, parameter->type);
    if (ht_type_components(arg->type) > 1)
        return vector_check(entry, arg);
    ht_record record;
    ht_record_read(type, &record);
    char *wrong = NULL;
    if (record.problem)
        wrong = ht_format("structure '%s' cannot be described: %s", arg->name, record.problem);
    for (size_t i = 0; i < entry->arg_count && !wrong; ++i)
        if (ht_arg_is_field_of(&entry->args[i], arg))
            wrong = field_check(&record, &entry->args[i]);
    ht_record_free(&record);
    return wrong;
}
