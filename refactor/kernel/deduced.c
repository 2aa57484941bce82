#include "refactor/kernel/deduced.h"
#include "refactor/source/ast.h"
#include "refactor/source/record.h"

#include <string.h>

/* Returns true if a type is spelled `name`, but for qualifiers and a reference. */
static bool is_type_named(CXType type, const char *name) {
    CXString spelling = clang_getTypeSpelling(ht_type_unqualified(ht_type_referred(type)));
    bool same = strcmp(clang_getCString(spelling), name) == 0;
    clang_disposeString(spelling);
    return same;
}

char *ht_deduced_record(const ht_model *model, const ht_launch_site *site, const char *name) {
    for (size_t i = 0; i < model->parameters.count && i < site->argument_count; ++i) {
        CXType type = clang_getCursorType(model->parameters.items[i].cursor);
        CXType given =
            clang_getCanonicalType(clang_getCursorType(ht_ast_strip(site->arguments[i], false)));
        if (model->parameters.items[i].is_pointer) {
            type = clang_getPointeeType(type);
            given = given.kind == CXType_Pointer ? clang_getPointeeType(given)
                                                 : clang_getArrayElementType(given);
        }
        if (!is_type_named(type, name))
            continue;
        given = clang_getCanonicalType(given);
        return given.kind == CXType_Record ? ht_record_name(ht_type_unqualified(given)) : NULL;
    }
    return NULL;
}
