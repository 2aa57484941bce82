#include "refactor/transformations/coarsen/coarsen_ahead.h"
#include "refactor/kernel/effects.h"
#include "refactor/transformations/coarsen/coarsen_place.h"

/* Returns true if an output or the loop may change it. */
static bool may_change(const ht_syntax *node, const void *context) {
    const ht_coarsen *c = context;
    if (node->kind == HT_SYNTAX_NAME && node->variable != SIZE_MAX)
        return node->variable == c->x || c->values[node->variable].share != HT_SHARE_SAME ||
               !ht_variable_is_steady(&c->tree->variables[node->variable], NULL);
    return node->kind == HT_SYNTAX_GLOBAL || (node->kind == HT_SYNTAX_INDEX && node->axis == 0);
}

/* Returns true if the node reads no memory that the kernel writes. */
static bool reads_what_stays(const ht_coarsen *c, const ht_syntax *node) {
    ht_effects all, own;
    ht_effects_collect(c->tree->body, &all);
    ht_effects_collect(node, &own);
    bool stays = !own.reads.unknown;
    for (size_t i = 0; i < c->tree->variable_count; ++i)
        stays =
            stays && !(own.reads.variables[i] && (all.writes.unknown || all.writes.variables[i]));
    ht_effects_free(&all);
    ht_effects_free(&own);
    return stays;
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
           reads_what_stays(c, part->node);
}

size_t ht_ahead_count(ht_coarsen *c, const ht_layout *layout, const ht_part *guard) {
    size_t first = (size_t)(guard - layout->parts) + 1, end = first, count = 0;
    if (guard->kind != HT_PART_GUARD || !guard->guard.only_known)
        return 0;
    for (size_t i = 0; i < layout->count; ++i)
        if (layout->parts[i].kind == HT_PART_ENTER ||
            (i >= first && layout->parts[i].guard.term_count))
            return 0;
    while (end < layout->count && may_be_ahead(c, &layout->parts[end])) {
        ++end;
        if (end == layout->count || ht_statement_of(layout->parts[end].node) !=
                                        ht_statement_of(layout->parts[end - 1].node))
            count = end - first; /* a declaration as a whole */
    }
    return count;
}
