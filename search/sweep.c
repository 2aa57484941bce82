#include "search/sweep.h"

void ht_sweep_begin(ht_sweep *sweep, const ht_space *space) {
    *sweep = (ht_sweep){.space = space, .config.count = (uint16_t)ht_space_dimension_count(space)};
}

/* Steps like an odometer, the last parameter fastest. */
static void step(ht_sweep *sweep) {
    for (size_t i = sweep->config.count; i-- > 0;) {
        if (++sweep->config.choice[i] < ht_space_dimension(sweep->space, i)->value_count)
            return;
        sweep->config.choice[i] = 0;
    }
    sweep->ended = true;
}

static bool listed_next(ht_sweep *sweep, ht_config *out_config) {
    if (sweep->next >= ht_space_count(sweep->space))
        return false;
    *out_config = ht_space_at(sweep->space, sweep->next++);
    return true;
}

bool ht_sweep_next(ht_sweep *sweep, ht_config *out_config) {
    if (ht_space_listed(sweep->space))
        return listed_next(sweep, out_config);
    while (!sweep->ended) {
        *out_config = sweep->config;
        step(sweep);
        if (ht_space_legal(sweep->space, out_config))
            return true;
    }
    return false;
}
