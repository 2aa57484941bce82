#include "refactor/transformations/block_size/lanes_shared.h"

#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/block_size/lanes_value.h"

#include <stdlib.h>

enum { ELEMENTS_MAX = 1 << 16 };

static size_t element_count(const ht_syntax_variable *variable) {
    size_t count = 1;
    for (unsigned d = 0; d < variable->rank; ++d) {
        int64_t extent = ht_syntax_extent(variable, d);
        if (extent <= 0 || extent > ELEMENTS_MAX || count * (size_t)extent > ELEMENTS_MAX)
            return 0;
        count *= (size_t)extent;
    }
    return count;
}

ht_lane_variable *ht_lanes_place(ht_lanes *lanes, const ht_syntax *node, const bool *mask,
                                 ht_lane_value *out_elements) {
    const ht_syntax *at = ht_syntax_strip(node);
    size_t stride = 1;
    unsigned dimensions = 0;
    ht_lane_value *index = ht_lanes_values_new(lanes);
    for (size_t t = 0; t < lanes->threads; ++t)
        out_elements[t] = ht_lanes_number(0);
    const ht_syntax *root = at;
    while (root->kind == HT_SYNTAX_SUBSCRIPT)
        root = ht_syntax_strip(root->children[0]);
    const ht_syntax_variable *variable =
        root->kind == HT_SYNTAX_NAME ? ht_syntax_named(root) : NULL;
    if (variable)
        variable = &lanes->tree->variables[ht_lanes_followed(lanes, variable->index)];
    for (; variable && at->kind == HT_SYNTAX_SUBSCRIPT; at = ht_syntax_strip(at->children[0])) {
        if (ht_syntax_has_change(at->children[1]))
            ht_lanes_fail(lanes, at, "a subscript changes a variable");
        ht_lanes_evaluate(lanes, at->children[1], mask, index);
        int64_t extent = dimensions < variable->rank
                             ? ht_syntax_extent(variable, variable->rank - 1 - dimensions)
                             : -1;
        for (size_t t = 0; t < lanes->threads; ++t) {
            bool inside = mask[t] && index[t].kind == HT_LANE_NUMBER && index[t].number >= 0 &&
                          index[t].number < extent && out_elements[t].kind == HT_LANE_NUMBER;
            out_elements[t] =
                inside ? ht_lanes_number(out_elements[t].number + index[t].number * (int64_t)stride)
                       : (ht_lane_value){0};
        }
        stride *= extent > 0 ? (size_t)extent : 1;
        ++dimensions;
    }
    free(index);
    if (!variable || variable->space != HT_SPACE_SHARED || dimensions != variable->rank)
        return NULL;
    ht_lane_variable *of = &lanes->variables[variable->index];
    if (!of->elements) {
        of->element_count = element_count(variable);
        of->elements = ht_alloc(of->element_count + 1, sizeof *of->elements);
    }
    return of->element_count ? of : NULL;
}

static const char apart[] =
    "threads access the same element of shared memory with no barrier between";

/* Returns the element; NULL, and the run has failed: it is not known. */
static ht_lane_element *element_at(ht_lanes *lanes, const ht_syntax *node, ht_lane_variable *of,
                                   const ht_lane_value *place) {
    if (place->kind == HT_LANE_NUMBER)
        return &of->elements[place->number];
    ht_lanes_fail(lanes, node, "an element of shared memory is not known, or outside");
    return NULL;
}

void ht_lanes_load(ht_lanes *lanes, const ht_syntax *node, ht_lane_variable *of, const bool *mask,
                   const ht_lane_value *places, ht_lane_value *out) {
    for (size_t t = 0; t < lanes->threads; ++t) {
        if (!mask[t])
            continue;
        ht_lane_element *at = element_at(lanes, node, of, &places[t]);
        if (!at)
            return;
        if (at->written == lanes->epoch && at->writer != t)
            ht_lanes_fail(lanes, node, apart);
        at->reader = at->read == lanes->epoch && at->reader != t ? SIZE_MAX : t;
        at->read = lanes->epoch;
        out[t] = at->value;
    }
}

void ht_lanes_store(ht_lanes *lanes, const ht_syntax *node, ht_lane_variable *of, const bool *mask,
                    const ht_lane_value *places, const ht_lane_value *values) {
    for (size_t t = 0; t < lanes->threads; ++t) {
        if (!mask[t])
            continue;
        ht_lane_element *at = element_at(lanes, node, of, &places[t]);
        if (!at)
            return;
        if ((at->written == lanes->epoch && at->writer != t) ||
            (at->read == lanes->epoch && at->reader != t))
            ht_lanes_fail(lanes, node, apart);
        *at = (ht_lane_element){values[t], lanes->epoch, at->read, t, at->reader};
    }
    of->touched = true;
}
