#include "search/ladder.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MERGES = 4 };
static const double HELPS = 0.97; /* of the time before */

/* The outcome of a move. */
typedef struct ht_rung {
    bool asked;
    ht_config from, to;
} rung;

void ht_ladder_begin(ht_ladder *ladder, const ht_explorer *explorer, const ht_move *moves,
                     size_t count) {
    *ladder = (ht_ladder){.explorer = explorer};
    ladder->count = explorer->point_count ? count : 0;
    ladder->moves = ht_alloc(ladder->count + 1, sizeof *ladder->moves);
    ladder->rungs = ht_alloc(ladder->count + 1, sizeof *ladder->rungs);
    ladder->ranking = ht_alloc(ladder->count + 1, sizeof *ladder->ranking);
    if (ladder->count)
        memcpy(ladder->moves, moves, ladder->count * sizeof *moves);
}

void ht_ladder_end(ht_ladder *ladder) {
    free(ladder->moves);
    free(ladder->rungs);
    free(ladder->ranking);
}

static double cost_of(const ht_ladder *ladder, const ht_config *config) {
    ptrdiff_t point = ht_explorer_find(ladder->explorer, config);
    return point == HT_NO_POINT ? INFINITY : ladder->explorer->points[point].cost;
}

/* Returns the best outcome's configuration; the first seed before there is one. */
static const ht_config *incumbent(const ht_ladder *ladder) {
    const ht_explorer *explorer = ladder->explorer;
    const ht_point *best = &explorer->points[0];
    for (size_t i = 1; i < explorer->point_count; ++i)
        if (explorer->points[i].cost < best->cost)
            best = &explorer->points[i];
    return &best->config;
}

static bool is_new(const ht_ladder *ladder, const ht_config *config) {
    return ht_space_legal(ladder->explorer->space, config) &&
           ht_explorer_find(ladder->explorer, config) == HT_NO_POINT;
}

/* Returns true if the move has been asked, and has no outcome yet. */
static bool is_under_way(const ht_ladder *ladder, size_t move) {
    const rung *r = &ladder->rungs[move];
    return r->asked && !ladder->explorer->points[ht_explorer_find(ladder->explorer, &r->to)].told;
}

/* Takes moves that others build upon for good until their outcomes are known. */
static ht_config foundation(const ht_ladder *ladder) {
    ht_config base = *incumbent(ladder);
    for (size_t i = 0; i < ladder->next; ++i)
        if (ladder->moves[i].foundation && is_under_way(ladder, i))
            ht_move_apply(&ladder->moves[i], NULL, &base);
    return base;
}

static bool single_step(ht_ladder *ladder, ht_config *out_config) {
    while (ladder->next < ladder->count) {
        ht_config base = foundation(ladder);
        size_t move = ladder->next++;
        *out_config = base;
        ht_move_apply(&ladder->moves[move], NULL, out_config);
        if (!is_new(ladder, out_config))
            continue;
        ladder->rungs[move] = (rung){.asked = true, .from = base, .to = *out_config};
        return true;
    }
    return false;
}

/* Returns the time after the move over the time before; INFINITY where one of them is not known. */
static double ratio_of(const ht_ladder *ladder, size_t move) {
    const rung *r = &ladder->rungs[move];
    double before = r->asked ? cost_of(ladder, &r->from) : INFINITY;
    double after = r->asked ? cost_of(ladder, &r->to) : INFINITY;
    return isfinite(before) && isfinite(after) && before > 0 ? after / before : INFINITY;
}

static void rank(ht_ladder *ladder) {
    for (size_t i = 0; i < ladder->count; ++i) {
        double ratio = ratio_of(ladder, i);
        if (!(ratio <= HELPS))
            continue;
        size_t at = ladder->helped++;
        for (; at > 0 && ratio_of(ladder, ladder->ranking[at - 1]) > ratio; --at)
            ladder->ranking[at] = ladder->ranking[at - 1];
        ladder->ranking[at] = i;
    }
    ladder->together = *incumbent(ladder);
    ladder->ranked = true;
}

bool ht_ladder_waits(const ht_ladder *ladder) {
    bool waits = false;
    for (size_t i = 0; i < ladder->count && !ladder->ranked; ++i)
        waits |= is_under_way(ladder, i);
    return waits;
}

/* Adds what helped to the best, one by one, where that still has the value of the first seed. */
static bool merge(ht_ladder *ladder, ht_config *out_config) {
    const ht_config *seed = &ladder->explorer->points[0].config;
    if (ht_ladder_waits(ladder))
        return false;
    if (!ladder->ranked)
        rank(ladder);
    while (ladder->merged < ladder->helped && ladder->merges < MERGES) {
        *out_config = ladder->together;
        ht_move_apply(&ladder->moves[ladder->ranking[ladder->merged++]], seed, out_config);
        if (ht_space_legal(ladder->explorer->space, out_config))
            ladder->together = *out_config;
        if (!is_new(ladder, out_config))
            continue;
        ++ladder->merges;
        return true;
    }
    return false;
}

bool ht_ladder_step(ht_ladder *ladder, ht_config *out_config) {
    if (ladder->count == 0)
        return false;
    return single_step(ladder, out_config) || merge(ladder, out_config);
}
