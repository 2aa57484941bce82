#include "refactor/kernel_model/place.h"
#include "refactor/kernel_model/scan.h"

#include "base/memory.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/kernel_model/name.h"
#include "refactor/kernel_model/value.h"

#include <stdlib.h>
#include <string.h>

static size_t array_new(ht_scan *scan, const char *name, const ht_syntax_variable *declaration,
                        ht_position at) {
    ht_kernel_model *km = scan->km;
    HT_GROW(km->arrays, km->array_count);
    km->arrays[km->array_count] =
        (ht_km_array){.name = ht_strdup(name),
                      .element = ht_strdup(""),
                      .declaration = declaration,
                      .parameter = declaration ? declaration->parameter : NULL,
                      .place = ht_scan_where(scan, at)};
    return km->array_count++;
}

size_t ht_scan_array_named(ht_scan *scan, const char *name, ht_position at) {
    for (size_t i = 0; i < scan->km->array_count; ++i)
        if (!scan->km->arrays[i].declaration && strcmp(scan->km->arrays[i].name, name) == 0)
            return i;
    return array_new(scan, name, NULL, at);
}

/* Reads the extents between a declaration's brackets, as many as the type has dimensions. */
static void read_extents(ht_scan *scan, size_t array, const ht_syntax_variable *declaration) {
    const ht_syntax *node = declaration->declaration;
    size_t next = 1; /* after the initialiser */
    for (unsigned d = 0; d < declaration->rank && d < 8; ++d) {
        int64_t value = ht_syntax_extent(declaration, d);
        const ht_syntax *written = node && next < node->count ? node->children[next++] : NULL;
        const ht_poly *extent = NULL;
        if (value >= 0)
            extent = ht_poly_constant(&scan->km->pool, value);
        else if (written) {
            ++scan->dry;
            extent = ht_scan_integer(scan, written);
            --scan->dry;
        }
        ht_km_array *of = &scan->km->arrays[array];
        void **texts = (void **)of->extent_texts;
        HT_GROW(of->extents, of->extent_count);
        HT_GROW(texts, of->extent_count);
        of->extent_texts = (char **)texts;
        of->extents[of->extent_count] = extent;
        of->extent_texts[of->extent_count++] = written ? ht_syntax_main_text(written) : NULL;
    }
}

size_t ht_scan_array(ht_scan *scan, const ht_syntax_variable *declaration) {
    ht_kernel_model *km = scan->km;
    for (size_t i = 0; i < km->array_count; ++i)
        if (km->arrays[i].declaration == declaration)
            return i;
    size_t index = array_new(scan, declaration->name, declaration, declaration->at);
    bool pointer = ht_scan_holds_pointer(declaration);
    ht_km_array *array = &km->arrays[index];
    free(array->element);
    array->element = ht_syntax_element(declaration);
    array->space = declaration->space;
    array->is_const =
        pointer ? ht_syntax_points_to_const(declaration) : array->space == HT_SPACE_CONSTANT;
    array->is_restrict = pointer && ht_syntax_is_restrict(declaration);
    if (!pointer)
        read_extents(scan, index, declaration);
    return index;
}

/* ---- targets ---- */

/* Returns the number of subscripts that an expression still takes to be an element. In a template a
 * subscript has a dependent type, so its array is asked. */
static unsigned rank(const ht_syntax *expression) {
    const ht_syntax *node = ht_syntax_strip_implicit(expression);
    if (!node->is_open || node->kind != HT_SYNTAX_SUBSCRIPT)
        return node->rank;
    unsigned outer = rank(node->children[0]);
    return outer ? outer - 1 : 0;
}

static bool push_subscript(ht_km_target *target, const ht_poly *subscript) {
    if (target->count == 8)
        return false;
    target->subscripts[target->count++] = subscript;
    return true;
}

/* Returns true if the expression is the name of something that is declared outside of functions. */
static bool is_outside(const ht_scan *scan, const ht_syntax *node) {
    if (node->variable == SIZE_MAX)
        return node->kind == HT_SYNTAX_UNKNOWN && node->op == HT_UNKNOWN_NAME;
    const ht_syntax_variable *variable = &scan->tree->variables[node->variable];
    return node->kind == HT_SYNTAX_NAME && !variable->is_parameter &&
           variable->space != HT_SPACE_PRIVATE;
}

static bool pointer_target(ht_scan *scan, const ht_syntax *pointer, const ht_poly *step,
                           const ht_syntax *at, ht_km_target *out) {
    ht_km_value value = ht_scan_value(scan, pointer);
    const ht_syntax *named = ht_syntax_strip_implicit(pointer);
    if (!value.is_pointer && is_outside(scan, named)) { /* a variable template */
        char *name = ht_syntax_spelling(named);
        if (name[0])
            value = (ht_km_value){true, ht_scan_array_named(scan, name, at->at),
                                  ht_poly_constant(&scan->km->pool, 0)};
        free(name);
    }
    *out = (ht_km_target){.array = value.is_pointer ? value.array : SIZE_MAX};
    const ht_poly *offset = value.is_pointer ? value.value : NULL;
    if (!offset)
        offset = ht_scan_opaque(scan, at, HT_SCOPE_THREAD, "pointer not followed").value;
    return push_subscript(out, step ? ht_scan_sum(scan, at, offset, step, 1) : offset);
}

static bool subscript_target(ht_scan *scan, const ht_syntax *node, ht_km_target *out) {
    const ht_syntax *base = ht_syntax_strip_implicit(node->children[0]);
    bool row = rank(base) && ht_scan_target(scan, base, out), found;
    const ht_poly *subscript = ht_scan_integer(scan, node->children[1]);
    if (row)
        found = push_subscript(out, subscript);
    else
        found = pointer_target(scan, node->children[0], subscript, node, out);
    out->whole = rank(node) != 0;
    return found;
}

static bool name_target(ht_scan *scan, const ht_syntax *node, ht_km_target *out) {
    const ht_syntax_variable *variable = &scan->tree->variables[node->variable];
    ht_memory_space space = variable->space;
    bool shared = space == HT_SPACE_SHARED || space == HT_SPACE_DYNAMIC_SHARED;
    if (variable->is_parameter || variable->is_constant_name)
        return false;
    if (!variable->rank && (space == HT_SPACE_PRIVATE || (!shared && variable->is_const)))
        return false; /* a local variable, or an object */
    out->array = ht_scan_array(scan, variable);
    out->whole = variable->rank > 0;
    if (!out->whole) /* a single variable of the device's or the block's memory */
        push_subscript(out, ht_poly_constant(&scan->km->pool, 0));
    return true;
}

bool ht_scan_target(ht_scan *scan, const ht_syntax *expression, ht_km_target *out_target) {
    const ht_syntax *node = ht_syntax_strip_implicit(expression);
    *out_target = (ht_km_target){.array = SIZE_MAX};
    if (!ht_scan_tick(scan) || scan->depth > 150)
        return false;
    switch (node->kind) {
    case HT_SYNTAX_SUBSCRIPT:
        return subscript_target(scan, node, out_target);
    case HT_SYNTAX_NAME:
        return name_target(scan, node, out_target);
    case HT_SYNTAX_MEMBER: {
        const ht_syntax *base = ht_syntax_strip_implicit(node->children[0]);
        return base->type == HT_TYPE_POINTER && !base->is_array
                   ? pointer_target(scan, node->children[0], NULL, node, out_target)
                   : ht_scan_target(scan, base, out_target);
    }
    case HT_SYNTAX_DEREFERENCE: {
        bool found = pointer_target(scan, node->children[0], NULL, node, out_target);
        out_target->whole = node->rank > 0;
        return found;
    }
    case HT_SYNTAX_UNKNOWN:
        if (node->op == HT_UNKNOWN_FIELD || node->op == HT_UNKNOWN_NAME)
            return false;
        break;
    default:
        break;
    }
    ht_scan_value(scan, node);
    return false;
}

/* ---- recording ---- */

static void unknown_array(ht_scan *scan, const ht_syntax *at) {
    ht_scan_incomplete(scan, at, "an access goes through a pointer that is not followed");
}

/* Notes the size of the accessed elements. If it differs from that of earlier accesses, the array's
 * subscripts count different units. */
static void note_size(ht_km_array *array, const ht_syntax *at) {
    const ht_syntax *node = ht_syntax_strip_implicit(at);
    long long bytes = (long long)ht_syntax_size(node);
    if (!bytes)
        return;
    if (array->element_bytes && array->element_bytes != bytes && node->kind != HT_SYNTAX_MEMBER)
        array->mixed = true;
    if (!array->element_bytes)
        array->element_bytes = bytes;
}

void ht_scan_record(ht_scan *scan, const ht_km_target *target, bool read, bool write, bool atomic,
                    const ht_syntax *at) {
    if (scan->dry)
        return;
    if (target->array == SIZE_MAX) {
        unknown_array(scan, at);
        return;
    }
    ht_kernel_model *km = scan->km;
    ht_km_array *array = &km->arrays[target->array];
    array->read = array->read || read;
    array->written = array->written || write;
    array->atomic = array->atomic || atomic;
    if (array->space == HT_SPACE_PRIVATE)
        return;
    note_size(array, at);
    array->mixed = array->mixed || target->whole;
    ht_km_access access = {.array = target->array,
                           .read = read,
                           .write = write,
                           .atomic = atomic,
                           .subscript_count = target->count,
                           .order = scan->order++,
                           .control = ht_scan_control(scan),
                           .place = ht_scan_where(scan, at->at),
                           .from = at,
                           .node = ht_syntax_in_body(at)};
    access.subscripts = ht_poly_pool_alloc(&km->pool, target->count, sizeof *access.subscripts);
    memcpy(access.subscripts, target->subscripts, target->count * sizeof *access.subscripts);
    HT_GROW(km->accesses, km->access_count);
    km->accesses[km->access_count++] = access;
}

void ht_scan_escape(ht_scan *scan, const ht_km_value *value, const ht_syntax *at) {
    if (!value->is_pointer || scan->dry)
        return;
    if (value->array == SIZE_MAX) {
        unknown_array(scan, at);
        return;
    }
    ht_km_array *array = &scan->km->arrays[value->array];
    array->escapes = true;
    array->read = true;
    array->written = array->written || !array->is_const;
}
