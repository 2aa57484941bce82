#include "refactor/kernel/effort.h"

#include "refactor/source/options.h"

/* A kernel is planned at least twice, and three transformations ask most of the questions for
 * isl. */
enum { SHARES = 8 };

void ht_effort_init(ht_effort *effort, uint64_t most) {
    *effort = (ht_effort){.most = most ? most : HT_ANALYSIS_OPERATIONS};
    effort->part = effort->most;
}

uint64_t ht_effort_share(const ht_effort *effort) {
    return effort->most / SHARES + 1;
}

bool ht_effort_begin(ht_effort *effort, size_t transformation) {
    if (transformation < HT_EFFORT_PARTS_MAX && effort->left_out[transformation])
        return false;
    effort->part = ht_effort_share(effort);
    effort->ended = false;
    return true;
}

bool ht_effort_end(ht_effort *effort, size_t transformation) {
    bool ended = effort->ended;
    effort->part = effort->most;
    effort->ended = false;
    if (ended && transformation < HT_EFFORT_PARTS_MAX)
        effort->left_out[transformation] = true;
    return ended;
}

bool ht_effort_any_left_out(const ht_effort *effort) {
    bool any = false;
    for (size_t i = 0; i < HT_EFFORT_PARTS_MAX; ++i)
        any = any || effort->left_out[i];
    return any;
}

bool ht_effort_spent(const ht_effort *effort) {
    return effort->spent >= effort->most;
}

uint64_t ht_effort_left(const ht_effort *effort) {
    uint64_t left = effort->most > effort->spent ? effort->most - effort->spent : 0;
    return left < effort->part ? left : effort->part;
}

void ht_effort_spend(ht_effort *effort, uint64_t operations, bool ended) {
    effort->spent += operations;
    effort->part -= operations < effort->part ? operations : effort->part;
    effort->ended = effort->ended || ended;
}
