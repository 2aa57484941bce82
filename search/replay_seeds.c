/* Where to start, by other runs on the same space. */
#include "search/replay.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct ranked {
    uint64_t index;
    double key; /* cost of one run, then average rank */
    bool failed;
} ranked;

static int by_key(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Adds each configuration's rank in one run to `sums`; equal costs share the middle of their
 * ranks. */
static void ranks_add(const ht_replay *run, uint64_t count, ranked *sums, ranked *order) {
    for (uint64_t i = 0; i < count; ++i) {
        const ht_record *record = ht_replay_record(run, i);
        bool failed = !record || record->status != HT_OK;
        order[i] = (ranked){i, failed ? INFINITY : record->cost, failed};
    }
    qsort(order, count, sizeof *order, by_key);
    for (uint64_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && order[next].key == order[i].key; ++next)
            ;
        double rank = order[i].failed ? (double)count : (double)(i + next - 1) / 2;
        for (uint64_t j = i; j < next; ++j) {
            sums[order[j].index].key += rank;
            sums[order[j].index].failed |= order[j].failed;
        }
    }
}

size_t ht_replay_rank(const ht_replay *const *others, size_t other_count, bool worst, size_t want,
                      ht_config *out_configs) {
    if (!other_count)
        return 0;
    const ht_space *space = ht_replay_space(others[0]);
    uint64_t count = ht_space_count(space);
    ranked *sums = ht_alloc(count, sizeof *sums), *order = ht_alloc(count, sizeof *order);
    for (uint64_t i = 0; i < count; ++i)
        sums[i].index = i;
    for (size_t r = 0; r < other_count; ++r)
        ranks_add(others[r], count, sums, order);
    for (uint64_t i = 0; worst && i < count; ++i)
        sums[i].key = sums[i].failed ? INFINITY : -sums[i].key;
    qsort(sums, count, sizeof *sums, by_key);
    size_t found = 0;
    for (uint64_t i = 0; i < count && found < want && !(worst && sums[i].failed); ++i)
        out_configs[found++] = ht_space_at(space, sums[i].index);
    free(sums);
    free(order);
    return found;
}
