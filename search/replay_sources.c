/* Earlier runs on the same space as a search's sources. */
#include "search/replay.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static void shuffle(ht_earlier_outcome *outcomes, size_t count, uint64_t seed) {
    ht_random random;
    ht_random_seed(&random, seed);
    for (size_t i = 0; i + 1 < count; ++i) {
        size_t at = i + (size_t)ht_random_below(&random, count - i);
        ht_earlier_outcome kept = outcomes[i];
        outcomes[i] = outcomes[at];
        outcomes[at] = kept;
    }
}

/* Orders the slowest first, failures last. */
static int slowest_first(const void *a, const void *b) {
    const ht_earlier_outcome *x = a, *y = b;
    if (isinf(x->cost) != isinf(y->cost))
        return isinf(x->cost) ? 1 : -1;
    return (x->cost < y->cost) - (x->cost > y->cost);
}

bool ht_replay_source(const ht_replay *run, size_t most, bool worst, uint64_t seed,
                      ht_earlier *sources) {
    const ht_space *space = ht_replay_space(run);
    size_t legal = (size_t)ht_space_count(space), count = 0;
    ht_earlier_outcome *outcomes = ht_alloc(legal + 1, sizeof *outcomes);
    for (size_t i = 0; i < legal; ++i) {
        const ht_record *record = ht_replay_record(run, i);
        if (record)
            outcomes[count++] =
                (ht_earlier_outcome){.config = ht_space_at(space, i),
                                     .cost = record->status == HT_OK ? record->cost : INFINITY};
    }
    if (most && most < count) {
        shuffle(outcomes, count, seed);
        if (worst)
            qsort(outcomes, count, sizeof *outcomes, slowest_first);
        count = most;
    }
    bool added = ht_earlier_add(sources, outcomes, count);
    free(outcomes);
    return added;
}
