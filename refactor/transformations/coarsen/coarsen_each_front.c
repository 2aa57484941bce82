#include "refactor/transformations/coarsen/coarsen_each_front.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/coarsen/coarsen_ahead.h"

typedef struct bound_walk {
    ht_coarsen *c;
    bool early; /* all that it names is declared at the top of the loop */
} bound_walk;

static bool on_bound(const ht_syntax *node, void *context) {
    bound_walk *walk = context;
    if (node->kind == HT_SYNTAX_NAME && node->variable != walk->c->x) {
        const ht_value *value = &walk->c->values[node->variable];
        walk->early &= !value->moved && value->share == HT_SHARE_SAME;
    }
    return true;
}

bool ht_each_is_early(ht_coarsen *c, const ht_syntax *test) {
    bound_walk walk = {c, true};
    ht_syntax_walk(test, on_bound, &walk);
    return walk.early;
}

const ht_part *ht_each_guard(ht_coarsen *c, const ht_layout *layout,
                             const ht_guard_term **out_term) {
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_guard *guard = &layout->parts[i].guard;
        const ht_guard_term *found = NULL;
        bool alone = guard->only_known || guard->term_count == 1;
        for (size_t k = 0; k < guard->term_count; ++k) {
            const ht_guard_term *term = &guard->terms[k];
            alone =
                alone && (term->kind == HT_TERM_SAME || (term->kind == HT_TERM_INDEX && !found));
            found = term->kind == HT_TERM_INDEX ? term : found;
        }
        if (!found || !alone || !found->upper || found->op != HT_BINARY_LT ||
            layout->parts[i].kind == HT_PART_WORK || !found->node->plain ||
            ht_syntax_named(found->step) != &c->tree->variables[c->x] ||
            ht_syntax_strip(found->step)->kind != HT_SYNTAX_NAME ||
            found->step->range.begin > found->bound->range.begin ||
            !ht_syntax_is_separate(found->node, guard->statement))
            continue;
        if (!ht_each_is_early(c, found->node))
            continue;
        *out_term = found;
        return &layout->parts[i];
    }
    return NULL;
}

/* Returns true if a test can be made again for each output: of what stays as it is, without reading
 * memory. */
static bool is_steady(ht_coarsen *c, const ht_syntax *test) {
    return ht_each_is_early(c, test) && !ht_syntax_is_risky(test) && !ht_syntax_has_change(test);
}

bool ht_each_can_ask_ahead(ht_coarsen *c, const ht_layout *layout) {
    for (size_t i = 0; i < layout->count; ++i)
        for (size_t k = 0; k < layout->parts[i].guard.term_count; ++k) {
            const ht_guard_term *term = &layout->parts[i].guard.terms[k];
            if (!ht_syntax_is_separate(term->node, layout->parts[i].guard.statement) ||
                (term->kind == HT_TERM_SAME && !is_steady(c, term->node)))
                return false;
        }
    return true;
}

/* Returns true if the work is in the guard's block, and what else the guard asks can be asked
 * once. */
static bool can_leave(ht_coarsen *c, const ht_layout *layout, const ht_part *guard) {
    const ht_syntax *test = guard->node->children[0];
    if (guard->kind != HT_PART_ENTER || !test->plain || !is_steady(c, test))
        return false;
    for (size_t i = 0; i < guard->guard.term_count; ++i)
        if (!ht_syntax_is_separate(guard->guard.terms[i].node, guard->guard.statement))
            return false;
    /* what stands in front from inside of it would no longer be guarded */
    for (const ht_part *at = guard + 1; at < layout->parts + layout->count; ++at)
        if (at->front || at->guard.term_count)
            return false;
    return true;
}

ht_each_front ht_each_front_find(ht_coarsen *c, ht_layout *layout) {
    const ht_guard_term *term;
    const ht_part *guard = ht_each_guard(c, layout, &term);
    ht_each_front front = {0};
    for (size_t i = 0; i < layout->count; ++i)
        layout->parts[i].ahead = false;
    if (!guard)
        return front;
    front.leaves = can_leave(c, layout, guard);
    if (front.leaves || guard->kind == HT_PART_GUARD)
        front.kept = ht_ahead_find(c, layout, guard);
    for (size_t i = 0; i < layout->count; ++i)
        front.ahead = front.ahead || layout->parts[i].ahead;
    front.guard = front.leaves || front.kept ? guard : NULL;
    return front;
}
