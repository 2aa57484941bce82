#include "refactor/kernel_model/name.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/kernel_model/environment.h"
#include "refactor/kernel_model/place.h"
#include "refactor/kernel_model/scan.h"
#include "refactor/kernel_model/sets.h"
#include "refactor/kernel_model/value.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

ht_km_value ht_scan_index(ht_scan *scan, ht_index_kind kind, int axis) {
    static const ht_km_symbol_kind kinds[] = {[HT_INDEX_THREAD] = HT_KM_THREAD,
                                              [HT_INDEX_BLOCK] = HT_KM_BLOCK,
                                              [HT_INDEX_BLOCK_DIM] = HT_KM_BLOCK_DIM,
                                              [HT_INDEX_GRID_DIM] = HT_KM_GRID_DIM};
    ht_kernel_model *km = scan->km;
    return ht_km_number(kind == HT_INDEX_BLOCK_DIM && km->tied[axis]
                            ? ht_poly_constant(&km->pool, scan->facts->axes[axis].block)
                            : ht_poly_of(&km->pool, ht_builtin_symbol(km, kinds[kind], axis)));
}

bool ht_scan_is_pointer(const ht_syntax *node) {
    return node->rank || (node->type == HT_TYPE_POINTER && !node->is_array);
}

bool ht_scan_holds_pointer(const ht_syntax_variable *variable) {
    return variable->type == HT_TYPE_POINTER && !variable->rank && !variable->is_reference;
}

/* Returns true if all launches give a template's parameter the same argument. */
static bool launches_agree(const ht_kernel_facts *facts, size_t parameter) {
    const char *argument = facts->template_parameters.items[parameter].argument;
    bool agree = true;
    for (size_t i = 0; i < facts->launches.count && argument; ++i) {
        const ht_launch_site *site = &facts->launches.items[i];
        if (parameter >= site->template_argument_count)
            continue;
        ht_range range = site->template_ranges[parameter];
        const char *text = facts->source->files[site->file].text + range.begin;
        agree = agree && strlen(argument) == range.end - range.begin &&
                strncmp(argument, text, range.end - range.begin) == 0;
    }
    return agree;
}

static ht_km_value argument(ht_scan *scan, const ht_syntax_variable *variable) {
    return ht_km_number(ht_scan_named(scan, variable->name, variable->is_int, variable->at.line));
}

/* Returns the value of a template parameter if all launches give the same; else it is an argument
 * of its name. */
static ht_km_value template_value(ht_scan *scan, const ht_syntax *node,
                                  const ht_syntax_variable *variable) {
    const ht_kernel_facts *facts = scan->facts->facts;
    int64_t value;
    for (size_t p = 0; p < facts->template_parameters.count; ++p)
        if (ht_syntax_template_parameter(scan->tree, p) == variable && launches_agree(facts, p) &&
            ht_syntax_constant(node, &value))
            return ht_km_number(ht_poly_constant(&scan->km->pool, value));
    return argument(scan, variable);
}

ht_km_value ht_scan_name(ht_scan *scan, const ht_syntax *node) {
    const ht_syntax_variable *variable = &scan->tree->variables[node->variable];
    const ht_km_value *bound = ht_environment_find(scan, node->variable);
    int64_t value;
    if (bound)
        return *bound;
    if (variable->is_template_parameter)
        return template_value(scan, node, variable);
    bool pointer = ht_scan_holds_pointer(variable);
    if (ht_scan_is_pointer(node) || variable->rank || pointer) {
        bool known = !variable->is_parameter && !(pointer && variable->local);
        return (ht_km_value){true, known ? ht_scan_array(scan, variable) : SIZE_MAX,
                             ht_poly_constant(&scan->km->pool, 0)};
    }
    if (variable->is_whole && ht_syntax_evaluate(node, &value))
        return ht_km_number(ht_poly_constant(&scan->km->pool, value));
    ht_km_target target;
    bool memory = ht_scan_target(scan, node, &target);
    if (memory)
        ht_scan_record(scan, &target, true, false, false, node);
    if (!variable->is_whole)
        return (ht_km_value){0};
    if (memory && scan->km->arrays[target.array].space != HT_SPACE_CONSTANT)
        return ht_scan_opaque(scan, node, HT_SCOPE_THREAD, "loaded from %s",
                              scan->km->arrays[target.array].name);
    if (!memory && (variable->local || variable->is_parameter || scan->inlined))
        return ht_scan_opaque(scan, node, HT_SCOPE_THREAD, "not followed");
    /* a variable in the device's memory keeps its value during the launch, unless the kernel writes
     * it */
    return argument(scan, variable);
}

/* Returns true if a member is named in the source. The vector types have parts without a name. */
static bool is_named(const char *member) {
    return member[0] && !strchr(member, '(');
}

/* Returns "a.b" for the last two names of object.a.b, and the object. free(). */
static char *field_path(const ht_syntax *member, const ht_syntax **out_object) {
    char *path = ht_syntax_spelling(member);
    const ht_syntax *base = member->count ? ht_syntax_strip_implicit(member->children[0]) : NULL;
    for (; base && base->kind == HT_SYNTAX_MEMBER && !ht_scan_is_pointer(base);
         base = ht_syntax_strip_implicit(base->children[0])) {
        char *part = ht_syntax_spelling(base);
        if (is_named(part)) {
            char *longer = ht_format("%s.%s", part, path);
            free(path);
            path = longer;
        }
        free(part);
    }
    *out_object = base;
    return path;
}

/* Evaluates a field of an object that is the same for the whole launch. */
ht_km_value ht_scan_field(ht_scan *scan, const ht_syntax *node) {
    const ht_syntax *base;
    char *field = field_path(node, &base);
    size_t object = base ? ht_scan_variable(base) : SIZE_MAX;
    const ht_parameter *parameter =
        object == SIZE_MAX ? NULL : scan->tree->variables[object].parameter;
    bool number = ht_scan_may_be_whole(node);
    if (parameter && !parameter->is_assigned && !parameter->is_pointer) {
        char *name = ht_format("%s.%s", parameter->name, field);
        ht_km_value result = {0};
        if (ht_scan_is_pointer(node))
            result = (ht_km_value){true, ht_scan_array_named(scan, name, node->at),
                                   ht_poly_constant(&scan->km->pool, 0)};
        else if (number)
            result.value = ht_scan_named(scan, name, ht_scan_is_int(node), node->at.line);
        free(field);
        free(name);
        return result;
    }
    free(field);
    ht_km_target target;
    if (ht_scan_target(scan, node, &target))
        ht_scan_record(scan, &target, true, false, false, node);
    if (ht_scan_is_pointer(node))
        return (ht_km_value){true, SIZE_MAX, NULL};
    return number ? ht_scan_opaque(scan, node, HT_SCOPE_THREAD, "a field") : (ht_km_value){0};
}

ht_km_value ht_scan_load(ht_scan *scan, const ht_syntax *node) {
    ht_km_target target;
    if (!ht_scan_target(scan, node, &target))
        return (ht_km_value){0};
    if (target.whole) /* a row of an array, used as a pointer */
        return (ht_km_value){true, target.array,
                             ht_scan_opaque(scan, node, HT_SCOPE_THREAD, "a row").value};
    ht_scan_record(scan, &target, true, false, false, node);
    if (ht_scan_is_pointer(node))
        return (ht_km_value){true, SIZE_MAX, NULL};
    return node->is_whole
               ? ht_scan_opaque(scan, node, HT_SCOPE_THREAD, "loaded from %s",
                                target.array == SIZE_MAX ? "memory"
                                                         : scan->km->arrays[target.array].name)
               : (ht_km_value){0};
}
