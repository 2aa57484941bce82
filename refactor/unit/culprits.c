#include "refactor/unit/culprits.h"

enum { SET_MAX = 32 };

typedef struct search {
    ht_attempt *attempt;
    void *context;
    size_t wanted; /* number to keep; more cannot be kept */
    size_t most;
    ht_transformation_set best;
} search;

static size_t count_of(ht_transformation_set set) {
    return (size_t)__builtin_popcount(set);
}

/* Tries a set. Returns true if it keeps as many as possible. */
static bool consider(search *in, ht_transformation_set without) {
    size_t kept = 0;
    if (!in->attempt(in->context, without, &kept) || (in->best && kept <= in->most))
        return false;
    in->best = without;
    in->most = kept;
    return kept >= in->wanted;
}

ht_transformation_set ht_culprits_find(ht_attempt *attempt, void *context,
                                       ht_transformation_set suspects) {
    search in = {.attempt = attempt, .context = context, .wanted = count_of(suspects) - 1};
    if (!suspects)
        return 0;
    for (int i = SET_MAX; i-- > 0;)
        if (suspects >> i & 1 && consider(&in, 1U << i))
            return in.best;
    if (in.best)
        return in.best;
    in.wanted = count_of(suspects) - 2;
    for (int i = SET_MAX; i-- > 0;)
        for (int k = i; k-- > 0;)
            if (suspects >> i & suspects >> k & 1 && consider(&in, 1U << i | 1U << k))
                return in.best;
    ht_transformation_set last = 0;
    for (int i = SET_MAX; !in.best && i-- > 0;)
        if (suspects >> i & 1)
            (void)consider(&in, last |= 1U << i);
    return in.best;
}
