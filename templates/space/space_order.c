/* The order in which a diagram stays small: greedily, next the parameter after which the open
 * constraints have seen the fewest combinations. */
#include "templates/space/space_diagram.h"

#include <math.h>

/* Returns the logarithm of how many combinations must be remembered once `chosen` are chosen. */
static double memory(const ht_space_model *model, const ht_space_constraint *const *constraints,
                     size_t count, uint64_t chosen) {
    uint64_t open = 0;
    double size = 0;
    for (size_t i = 0; i < count; ++i)
        if (constraints[i]->params & ~chosen)
            open |= constraints[i]->params & chosen;
    for (; open; open &= open - 1)
        size += log2((double)model->dimensions[__builtin_ctzll(open)].value_count);
    return size;
}

void ht_space_order(const ht_space_model *model, const ht_space_constraint *const *constraints,
                    size_t count, uint32_t *out_order) {
    uint64_t chosen = 0;
    for (size_t at = 0; at < model->dimension_count; ++at) {
        double best = INFINITY;
        for (size_t p = 0; p < model->dimension_count; ++p) {
            if (chosen >> p & 1)
                continue;
            /* Among equals, the one with fewer values wins. */
            double cost = memory(model, constraints, count, chosen | UINT64_C(1) << p) +
                          1e-3 * log2((double)model->dimensions[p].value_count);
            if (cost < best) {
                best = cost;
                out_order[at] = (uint32_t)p;
            }
        }
        chosen |= UINT64_C(1) << out_order[at];
    }
}
