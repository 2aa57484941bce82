#include "refactor/kernel/deduced.h"
#include "refactor/source/ast.h"
#include "refactor/source/record.h"

#include <stdlib.h>
#include <string.h>

bool ht_deduced_names(CXType type, const char *name) {
    CXString spelling = clang_getTypeSpelling(ht_type_unqualified(type));
    bool same = strcmp(clang_getCString(spelling), name) == 0;
    clang_disposeString(spelling);
    return same;
}

bool ht_deduced_types(const ht_model *model, const ht_launch_site *site, size_t index,
                      CXType *out_declared, CXType *out_given) {
    if (index >= model->parameters.count || index >= site->argument_count)
        return false;
    CXType type = clang_getCursorType(model->parameters.items[index].cursor);
    CXType given =
        clang_getCanonicalType(clang_getCursorType(ht_ast_strip(site->arguments[index], false)));
    bool pointer = model->parameters.items[index].is_pointer;
    *out_declared = pointer ? clang_getPointeeType(type) : type;
    *out_given = !pointer                       ? given
                 : given.kind == CXType_Pointer ? clang_getPointeeType(given)
                                                : clang_getArrayElementType(given);
    return true;
}

char *ht_deduced_record(const ht_model *model, const ht_launch_site *site, const char *name) {
    CXType type, given;
    for (size_t i = 0; ht_deduced_types(model, site, i, &type, &given); ++i) {
        if (!ht_deduced_names(ht_type_referred(type), name))
            continue;
        given = clang_getCanonicalType(given);
        return given.kind == CXType_Record ? ht_record_name(ht_type_unqualified(given)) : NULL;
    }
    return NULL;
}

bool ht_deduced_is_record(const ht_model *model, const ht_template_parameter *parameter) {
    const ht_launches *launches = &model->facts->launches;
    char *name = parameter->argument && launches->count
                     ? ht_deduced_record(model, &launches->items[0], parameter->name)
                     : NULL;
    bool found = name != NULL;
    free(name);
    return found;
}

bool ht_template_parameter_falls_back(const ht_template_parameter *parameter) {
    return !parameter->argument && !clang_Cursor_isNull(ht_ast_child(parameter->cursor, 0));
}
