/* What names, fields and elements stand for. */
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

ht_km_value ht_scan_index(ht_scan *scan, ht_index_kind kind, int axis) {
    static const ht_km_symbol_kind kinds[] = {[HT_INDEX_THREAD] = HT_KM_THREAD,
                                              [HT_INDEX_BLOCK] = HT_KM_BLOCK,
                                              [HT_INDEX_BLOCK_DIM] = HT_KM_BLOCK_DIM,
                                              [HT_INDEX_GRID_DIM] = HT_KM_GRID_DIM};
    static const char *const prefixes[] = {
        [HT_KM_THREAD] = "t", [HT_KM_BLOCK] = "b", [HT_KM_BLOCK_DIM] = "D", [HT_KM_GRID_DIM] = "G"};
    if (kind == HT_INDEX_BLOCK_DIM && scan->km->tied[axis])
        return (ht_km_value){false, 0,
                             ht_poly_constant(&scan->km->pool, scan->facts->axes[axis].block)};
    char name[3] = {prefixes[kinds[kind]][0], (char)('x' + axis), 0};
    ht_km_symbol symbol = {.kind = kinds[kind],
                           .scope = kind == HT_INDEX_THREAD  ? HT_SCOPE_THREAD
                                    : kind == HT_INDEX_BLOCK ? HT_SCOPE_BLOCK
                                                             : HT_SCOPE_LAUNCH,
                           .axis = axis,
                           .name = name};
    return (ht_km_value){false, 0,
                         ht_poly_of(&scan->km->pool, ht_poly_symbol(&scan->km->pool, &symbol))};
}

bool ht_scan_is_pointer(CXCursor cursor) {
    CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
    return type.kind == CXType_Pointer ||
           (type.kind >= CXType_ConstantArray && type.kind <= CXType_DependentSizedArray);
}

/* The value of a template parameter where all launches agree; else it is an argument by name. */
static ht_km_value template_value(ht_scan *scan, CXCursor cursor, CXCursor declaration) {
    const ht_kernel_facts *facts = scan->facts->facts;
    int64_t value;
    bool agree = true;
    for (size_t p = 0; p < facts->template_parameter_count; ++p) {
        if (!clang_equalCursors(facts->template_parameters[p].cursor, declaration))
            continue;
        for (size_t i = 0; i < facts->launches.count; ++i) {
            const ht_launch_site *site = &facts->launches.items[i];
            if (p >= site->template_argument_count || !facts->template_parameters[p].argument)
                continue;
            ht_range range = site->template_ranges[p];
            const char *text = facts->source->files[site->file].text + range.begin;
            const char *argument = facts->template_parameters[p].argument;
            agree = agree && strlen(argument) == range.end - range.begin &&
                    strncmp(argument, text, range.end - range.begin) == 0;
        }
        if (agree && ht_model_constant(scan->facts, cursor, &value))
            return (ht_km_value){false, 0, ht_poly_constant(&scan->km->pool, value)};
    }
    char *name = ht_cursor_name(declaration);
    const ht_poly *poly = ht_scan_named(scan, name, declaration);
    free(name);
    return (ht_km_value){false, 0, poly};
}

ht_km_value ht_scan_name(ht_scan *scan, CXCursor cursor) {
    CXCursor declaration = clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    const ht_km_value *bound = ht_environment_find(scan, declaration);
    int64_t value;
    if (bound)
        return *bound;
    if (kind == CXCursor_NonTypeTemplateParameter)
        return template_value(scan, cursor, declaration);
    if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl && kind != CXCursor_EnumConstantDecl)
        return (ht_km_value){0};
    if (ht_scan_is_pointer(cursor) || ht_scan_is_pointer(declaration)) {
        bool known =
            clang_getCanonicalType(clang_getCursorType(declaration)).kind != CXType_Pointer ||
            ht_model_local(scan->facts, declaration) == NULL;
        size_t array =
            known && kind != CXCursor_ParmDecl ? ht_scan_array(scan, declaration) : SIZE_MAX;
        return (ht_km_value){true, array, ht_poly_constant(&scan->km->pool, 0)};
    }
    if (ht_scan_is_integer(declaration) && ht_ast_constant(cursor, &value))
        return (ht_km_value){false, 0, ht_poly_constant(&scan->km->pool, value)};
    ht_km_target target;
    bool memory = ht_scan_target(scan, cursor, &target);
    if (memory)
        ht_scan_record(scan, &target, true, false, false, cursor);
    if (!ht_scan_is_integer(declaration))
        return (ht_km_value){0};
    if (memory && scan->km->arrays[target.array].space != HT_SPACE_CONSTANT)
        return ht_scan_opaque(scan, cursor, HT_SCOPE_THREAD, "loaded from %s",
                              scan->km->arrays[target.array].name);
    bool local = !memory && (ht_model_local(scan->facts, declaration) ||
                             kind == CXCursor_ParmDecl || scan->inlined);
    char *name = ht_cursor_name(declaration);
    ht_km_value result = {0};
    if (local)
        result = ht_scan_opaque(scan, cursor, HT_SCOPE_THREAD, "%s, not followed", name);
    else /* a variable of the device's memory that holds for the launch, unless it is written */
        result.value = ht_scan_named(scan, name, declaration);
    free(name);
    return result;
}

/* A field of an object that is the same for the launch. */
ht_km_value ht_scan_field(ht_scan *scan, CXCursor cursor) {
    if (clang_getCursorKind(clang_getCursorReferenced(cursor)) == CXCursor_CXXMethod) {
        ht_scan_children(scan, cursor); /* the object whose method is called */
        return (ht_km_value){0};
    }
    CXCursor base = ht_ast_strip(ht_ast_child(cursor, 0), false);
    char *field = ht_cursor_name(cursor);
    while (clang_getCursorKind(base) == CXCursor_MemberRefExpr && !ht_scan_is_pointer(base)) {
        char *part = ht_cursor_name(base); /* unnamed parts of the vector types are passed over */
        if (part[0] && !strchr(part, '(')) {
            char *longer = ht_format("%s.%s", part, field);
            free(field);
            field = longer;
        }
        free(part);
        base = ht_ast_strip(ht_ast_child(base, 0), false);
    }
    CXCursor object = ht_ast_variable(base);
    const ht_parameter *parameter = ht_model_parameter(scan->facts, object);
    bool integer = ht_scan_is_integer(cursor) || ht_scan_may_be_integer(cursor);
    if (parameter && !parameter->is_assigned && !parameter->is_pointer) {
        char *name = ht_format("%s.%s", parameter->name, field);
        ht_km_value result = {0};
        if (ht_scan_is_pointer(cursor))
            result = (ht_km_value){true, ht_scan_array_named(scan, name, cursor),
                                   ht_poly_constant(&scan->km->pool, 0)};
        else if (integer)
            result.value = ht_scan_named(scan, name, cursor);
        free(field);
        free(name);
        return result;
    }
    free(field);
    ht_km_target target;
    if (ht_scan_target(scan, cursor, &target))
        ht_scan_record(scan, &target, true, false, false, cursor);
    if (ht_scan_is_pointer(cursor))
        return (ht_km_value){true, SIZE_MAX, NULL};
    return integer ? ht_scan_opaque(scan, cursor, HT_SCOPE_THREAD, "a field") : (ht_km_value){0};
}

ht_km_value ht_scan_load(ht_scan *scan, CXCursor cursor) {
    ht_km_target target;
    if (!ht_scan_target(scan, cursor, &target))
        return (ht_km_value){0};
    if (target.whole) /* a row of an array, used as a pointer */
        return (ht_km_value){true, target.array,
                             ht_scan_opaque(scan, cursor, HT_SCOPE_THREAD, "a row").value};
    ht_scan_record(scan, &target, true, false, false, cursor);
    if (ht_scan_is_pointer(cursor))
        return (ht_km_value){true, SIZE_MAX, NULL};
    return ht_scan_is_integer(cursor)
               ? ht_scan_opaque(scan, cursor, HT_SCOPE_THREAD, "loaded from %s",
                                target.array == SIZE_MAX ? "memory"
                                                         : scan->km->arrays[target.array].name)
               : (ht_km_value){0};
}
