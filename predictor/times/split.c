#include "predictor/times/split.h"

#include "predictor/times/bins.h"

#include <string.h>

typedef struct sums {
    double rest, weight;
} sums;

static double worth(sums of, double penalty) {
    return of.rest * of.rest / (of.weight + penalty);
}

void ht_boost_split_improve(const ht_level *level, uint32_t column, const uint8_t *values,
                            size_t bins, ht_boost_split *best) {
    sums table[HT_BOOST_LEAVES / 2][HT_BINS_MOST];
    sums left[HT_BOOST_LEAVES / 2] = {0}, all[HT_BOOST_LEAVES / 2] = {0};
    double before = 0;
    for (size_t n = 0; n < level->node_count; ++n)
        memset(table[n], 0, bins * sizeof table[n][0]);
    for (size_t i = 0; i < level->count; ++i) {
        sums *cell = &table[level->nodes[i]][values[level->rows[i]]];
        cell->rest += (double)(level->rests[i] * level->weights[i]);
        cell->weight += (double)level->weights[i];
    }
    for (size_t n = 0; n < level->node_count; ++n) {
        for (size_t b = 0; b < bins; ++b) {
            all[n].rest += table[n][b].rest;
            all[n].weight += table[n][b].weight;
        }
        before += worth(all[n], level->penalty);
    }
    for (size_t b = 0; b + 1 < bins; ++b) {
        double after = 0;
        for (size_t n = 0; n < level->node_count; ++n) {
            left[n].rest += table[n][b].rest;
            left[n].weight += table[n][b].weight;
            sums right = {all[n].rest - left[n].rest, all[n].weight - left[n].weight};
            after += worth(left[n], level->penalty) + worth(right, level->penalty);
        }
        if (after - before > best->gain * (1 + 1e-9))
            *best = (ht_boost_split){column, (uint8_t)b, after - before};
    }
}
