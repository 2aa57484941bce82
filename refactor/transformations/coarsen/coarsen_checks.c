#include "refactor/transformations/coarsen/coarsen_checks.h"
#include "refactor/kernel/effects.h"
#include "refactor/transformations/coarsen/coarsen_in_place.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

#include <stdlib.h>

/* ---- calls ---- */

static bool is_used(const ht_syntax *node) {
    const ht_syntax *parent = node->parent;
    while (parent && (parent->kind == HT_SYNTAX_PAREN || parent->kind == HT_SYNTAX_CAST))
        parent = parent->parent;
    return parent && parent->kind > HT_SYNTAX_EMPTY;
}

/* Refuses calls of functions with unknown effects. */
void ht_coarsen_check_calls(ht_coarsen *c) {
    for (size_t i = 0; i < c->tree->count && !c->refused; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        const ht_syntax_call *call = node->call;
        if (!call || (c->meets && call->is_barrier))
            continue;
        if (call->effect == HT_CALL_UNKNOWN)
            ht_coarsen_refuse(c, node->at, "a call of `%s`, whose effects are not known",
                              *call->name ? call->name : "a function");
        if (call->effect == HT_CALL_ATOMIC && is_used(node))
            ht_coarsen_refuse(c, node->at,
                              "the result of `%s` is used, so the order of threads shows",
                              call->name);
        if (call->effect == HT_CALL_ATOMIC)
            c->atomic = node;
    }
}

/* ---- reasons against computing outputs together ---- */

/* Refuses statements whose text cannot be separated: two that one macro makes, or a body made by
 * the macro of its loop. */
static void check_tangled(ht_coarsen *c) {
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        size_t end = node->range.begin;
        for (size_t k = 0; k < node->count; ++k) {
            const ht_syntax *child = node->children[k];
            bool statement =
                child && (child->kind <= HT_SYNTAX_EMPTY || node->kind == HT_SYNTAX_COMPOUND);
            if (statement && node->kind <= HT_SYNTAX_EMPTY && child->range.begin < end)
                ht_coarsen_set_reason(c, child->at, "a macro makes several statements");
            if (statement)
                end = child->range.end;
        }
        const ht_syntax *last = node->count ? node->children[node->count - 1] : NULL;
        if (ht_syntax_is_loop(node) && node->kind != HT_SYNTAX_DO && last &&
            last->range.begin <= node->range.begin)
            ht_coarsen_set_reason(c, node->at, "a macro makes a whole loop");
    }
}

static void check_local_pointers(ht_coarsen *c) {
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        if (node->kind == HT_SYNTAX_VARIABLE && c->tree->variables[node->variable].is_reference)
            ht_coarsen_set_reason(c, node->at, "a reference is bound here");
        if (node->kind == HT_SYNTAX_ADDRESS) {
            const ht_syntax *root = ht_lvalue_root(node->children[0]);
            if (root && c->tree->variables[root->variable].is_local)
                ht_coarsen_set_reason(c, node->at, "the address of a variable is taken");
        }
        bool pointer = node->kind == HT_SYNTAX_NAME && node->type == HT_TYPE_POINTER &&
                       c->tree->variables[node->variable].is_local &&
                       !c->tree->variables[node->variable].is_array;
        if (pointer) {
            ht_access access = ht_pointer_roots(node);
            for (size_t v = 0; v < c->tree->variable_count; ++v)
                if (access.variables[v] && c->tree->variables[v].is_local)
                    ht_coarsen_set_reason(c, node->at, "a pointer into a local array is used");
            free(access.variables);
        }
    }
}

void ht_coarsen_check_jam(ht_coarsen *c, bool at_once) {
    check_tangled(c);
    check_local_pointers(c);
    if (c->atomic)
        ht_coarsen_set_reason(c, c->atomic->at, "there is an atomic operation");
    ht_effects effects;
    ht_effects_collect(c->tree->body, &effects);
    ht_position place = effects.first_write ? effects.first_write->at : (ht_position){0};
    for (size_t i = 0; i < c->tree->variable_count; ++i) {
        if (!c->tree->variables[i].is_shared && effects.reads.variables[i] &&
            effects.writes.variables[i] &&
            (!ht_coarsen_is_in_place(c, i) || (at_once && !ht_coarsen_is_in_one_statement(c, i))))
            ht_coarsen_set_reason(c, place, "`%s` is both read and written",
                                  c->tree->variables[i].name);
    }
    if (effects.writes.unknown || (effects.reads.unknown && effects.first_write))
        ht_coarsen_set_reason(c, place,
                              "it is not known which memory is read and which is written");
    ht_effects_free(&effects);
}
