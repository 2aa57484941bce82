#include "refactor/transformations/coarsen/coarsen_ahead.h"
#include "refactor/kernel/effects.h"
#include "refactor/transformations/coarsen/coarsen_bound.h"
#include "refactor/transformations/coarsen/coarsen_place.h"

/* Returns true if an output or the loop may change it. */
static bool may_change(const ht_syntax *node, const void *context) {
    const ht_coarsen *c = context;
    if (node->kind == HT_SYNTAX_NAME && node->variable != SIZE_MAX)
        return node->variable == c->x || c->values[node->variable].share != HT_SHARE_SAME ||
               !ht_variable_is_steady(&c->tree->variables[node->variable], NULL);
    return node->kind == HT_SYNTAX_GLOBAL || (node->kind == HT_SYNTAX_INDEX && node->axis == 0);
}

static bool may_be_ahead(const ht_coarsen *c, const ht_part *part) {
    if (part->node->kind != HT_SYNTAX_VARIABLE || part->guard.term_count || part->front)
        return false;
    const ht_syntax_variable *variable = &c->tree->variables[part->node->variable];
    const ht_value *value = &c->values[part->node->variable];
    return value->share == HT_SHARE_SAME && !ht_syntax_first(part->node, may_change, c) &&
           part->node->count && !value->array && !variable->is_array && !variable->is_reference &&
           !variable->is_record && !variable->is_static && !variable->is_shared &&
           ht_variable_is_steady(variable, NULL) && !ht_syntax_has_change(part->node) &&
           ht_syntax_reads_what_stays(part->node);
}

typedef struct name_walk {
    const ht_coarsen *c;
    const ht_layout *layout;
} name_walk;

/* Returns true for the name of what is declared in the loop. */
static bool is_inner_name(const ht_syntax *node, const void *context) {
    const name_walk *walk = context;
    if (node->kind != HT_SYNTAX_NAME || node->variable == SIZE_MAX ||
        !walk->c->tree->variables[node->variable].is_local)
        return false;
    for (size_t i = 0; i < walk->layout->count; ++i) {
        const ht_part *part = &walk->layout->parts[i];
        if (part->node->kind == HT_SYNTAX_VARIABLE && part->node->variable == node->variable)
            return !part->front && !part->ahead;
    }
    return true;
}

/* Returns true if the declaration of these parts can stand ahead. `inner`: it comes out of the
 * guard's block. */
static bool is_movable(const ht_coarsen *c, const ht_layout *layout, size_t first, size_t end,
                       bool inner) {
    const ht_syntax *statement = ht_statement_of(layout->parts[first].node);
    bool good = end - first == statement->count && statement->plain;
    for (size_t i = first; i < end && good; ++i)
        good = may_be_ahead(c, &layout->parts[i]) &&
               !ht_syntax_first(layout->parts[i].node, is_inner_name, &(name_walk){c, layout}) &&
               !(inner && !ht_syntax_is_only(ht_syntax_named(layout->parts[i].node)));
    return good;
}

/* Returns how many parts after the guard, `if (x >= W) return;`, which is the last one, follow it
 * as declarations that may stand ahead: they run for each thread with an output. */
static size_t certain_count(const ht_coarsen *c, const ht_layout *layout, const ht_part *guard) {
    size_t first = (size_t)(guard - layout->parts) + 1, end = first;
    if (guard->kind != HT_PART_GUARD || !guard->guard.only_known)
        return 0;
    for (size_t i = 0; i < layout->count; ++i)
        if (layout->parts[i].kind == HT_PART_ENTER ||
            (i >= first && layout->parts[i].guard.term_count))
            return 0;
    while (end < layout->count && may_be_ahead(c, &layout->parts[end]))
        ++end;
    return end - first;
}

/* Returns true if a thread without outputs runs nothing that one with outputs does not run: what
 * the guards ask is the same for both, but for one test of the index, and no block is launched if
 * all indices fail that. */
static bool is_run_anyway(const ht_coarsen *c, const ht_layout *layout, const ht_part *guard) {
    size_t tests = 0;
    bool known = true;
    for (size_t i = 0; i < layout->count; ++i)
        for (size_t k = 0; k < layout->parts[i].guard.term_count; ++k) {
            ht_term_kind kind = layout->parts[i].guard.terms[k].kind;
            tests += kind == HT_TERM_INDEX;
            known = known && (kind == HT_TERM_INDEX || kind == HT_TERM_SAME);
        }
    return known && tests == 1 && ht_bound_is_positive(c, &guard->guard);
}

bool ht_ahead_find(ht_coarsen *c, ht_layout *layout, const ht_part *guard) {
    size_t first = (size_t)(guard - layout->parts) + 1;
    size_t certain = first + certain_count(c, layout, guard);
    bool inner = guard->kind == HT_PART_ENTER, anyway = is_run_anyway(c, layout, guard);
    bool kept = false;
    size_t enters = 0;
    for (size_t i = 0; i < layout->count; ++i)
        enters += layout->parts[i].kind == HT_PART_ENTER;
    if (enters > inner) /* a block of another test is around the loop */
        return false;
    for (size_t i = first, end; i < layout->count; i = end) {
        bool variable = layout->parts[i].node->kind == HT_SYNTAX_VARIABLE, faults = false;
        end = variable ? ht_layout_declaration_end(layout, i) : i + 1;
        for (size_t k = i; k < end; ++k)
            faults = faults || ht_syntax_may_fault(layout->parts[k].node);
        bool ahead = variable && is_movable(c, layout, i, end, inner) && !(faults && end > certain);
        for (size_t k = i; k < end; ++k)
            layout->parts[k].ahead = ahead;
        kept = kept || (ahead && faults && !anyway);
    }
    return kept;
}
