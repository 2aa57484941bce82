#include "refactor/transformations/block_size/lanes_scaled.h"

#include "refactor/transformations/block_size/lanes_value.h"
#include "refactor/transformations/block_size/online.h"

#include <math.h>
#include <string.h>

static const ht_lane_value unknown = {0};

/* ---- sets ---- */

static bool are_equal(const ht_lanes *lanes, const uint64_t *a, const uint64_t *b) {
    return a && b && memcmp(a, b, lanes->words * sizeof *a) == 0;
}

static bool has_all(const ht_lanes *lanes, const uint64_t *whole, const uint64_t *part) {
    bool all = whole && part;
    for (size_t w = 0; w < lanes->words && all; ++w)
        all = (part[w] & ~whole[w]) == 0;
    return all;
}

/* ---- values ---- */

static bool is_maximum(const ht_lanes *lanes, const ht_lane_value *value) {
    return value->kind == HT_LANE_PART && lanes->variables[value->source].op == HT_COMBINE_MAX;
}

static bool is_zero(const ht_lane_value *value) {
    return (value->kind == HT_LANE_REAL && value->real == 0.0) ||
           (value->kind == HT_LANE_NUMBER && value->number == 0);
}

ht_lane_value ht_lanes_difference(ht_lanes *lanes, const ht_lane_value *a, const ht_lane_value *b) {
    if (a->kind == HT_LANE_REAL && b->kind == HT_LANE_REAL)
        return (ht_lane_value){.kind = HT_LANE_REAL, .real = a->real - b->real};
    if (!is_maximum(lanes, b))
        return unknown;
    /* a value that no thread's maximum is below */
    if (ht_lanes_is_neutral(lanes, b->source, HT_COMBINE_MAX, a))
        return (ht_lane_value){.kind = HT_LANE_DIFFERENCE, .source = b->source, .against = b->part};
    return is_maximum(lanes, a) && a->source == b->source
               ? (ht_lane_value){HT_LANE_DIFFERENCE, .source = b->source, .part = a->part,
                                 .against = b->part}
               : unknown;
}

ht_lane_value ht_lanes_exponential(ht_lanes *lanes, const char *name, const ht_lane_value *a) {
    ht_lane_value value = *a;
    int base = ht_exponential_base(name);
    if (a->kind == HT_LANE_REAL) {
        value.real = base == 2 ? exp2(a->real) : exp(a->real);
        return value;
    }
    if (a->kind != HT_LANE_DIFFERENCE || lanes->variables[a->source].base != base)
        return unknown;
    value.kind = HT_LANE_FACTOR;
    return value;
}

ht_lane_value ht_lanes_product(ht_lanes *lanes, const ht_lane_value *a, const ht_lane_value *b) {
    const ht_lane_value *factor = a->kind == HT_LANE_FACTOR ? a : b;
    const ht_lane_value *other = factor == a ? b : a;
    if (a->kind == HT_LANE_REAL && b->kind == HT_LANE_REAL)
        return (ht_lane_value){.kind = HT_LANE_REAL, .real = a->real * b->real};
    if (factor->kind != HT_LANE_FACTOR ||
        (factor->part && !has_all(lanes, factor->against, factor->part)))
        return unknown;
    if (is_zero(other)) /* maxima begin with a finite value, so the factor is one of 0 to 1 */
        return *other;
    if (other->kind != HT_LANE_SCALED || lanes->variables[other->source].scale != factor->source ||
        !are_equal(lanes, other->against, factor->part))
        return unknown;
    ht_lane_value value = *other;
    value.against = factor->against;
    return value;
}

ht_lane_value ht_lanes_scaled_sum(ht_lanes *lanes, const ht_lane_value *a, const ht_lane_value *b) {
    if (is_zero(a) || is_zero(b))
        return is_zero(a) ? *b : *a;
    if (a->kind != b->kind || a->source != b->source || !are_equal(lanes, a->against, b->against))
        return unknown;
    ht_lane_value value = *a;
    value.part = ht_lanes_union(lanes, a->part, b->part, true);
    return value.part ? value : unknown;
}
