#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/source/lexer.h"
#include "refactor/transformations/coarsen/coarsen_checks.h"
#include "refactor/transformations/coarsen/coarsen_layout.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

/* Returns true if the part is in the list of parts written together. */
bool ht_part_is_standing(const ht_part *part) {
    if (part->kind == HT_PART_ITEM)
        return !part->front && !part->unused;
    return part->kind == HT_PART_WORK || (part->kind == HT_PART_GUARD && !part->guard.only_known);
}

/* Returns the node in whose loop over outputs `node` is; NULL: it runs once for all. */
const ht_syntax *ht_node_apart_root(const ht_coarsen *c, const ht_syntax *node) {
    const ht_syntax *root = NULL;
    for (; node; node = node->parent)
        if (c->marks[node->index].apart && (node->kind != HT_SYNTAX_DECLARATION))
            root = node;
    return root;
}

/* Returns the access around a name that steps by one element, in which the name remains the first
 * output's. */
const ht_syntax *ht_node_stepping_access(ht_coarsen *c, const ht_syntax *node) {
    for (const ht_syntax *up = node->parent; up && up->kind > HT_SYNTAX_EMPTY; up = up->parent)
        if (ht_node_steps(c, up))
            return up;
    return NULL;
}

ht_step_form ht_step_form_of(ht_coarsen *c, const ht_syntax *access) {
    if (access->kind == HT_SYNTAX_SUBSCRIPT && access->plain) {
        const ht_syntax *index = ht_syntax_written(access->children[1]);
        bool wraps = ht_node_share(c, access->children[0]) == HT_SHARE_STEP && !index->is_signed &&
                     index->bits < 64;
        if (index->plain && !wraps)
            return HT_STEP_INDEX;
    }
    if (access->kind == HT_SYNTAX_DEREFERENCE && access->plain && access->children[0]->plain)
        return HT_STEP_STAR;
    /* the text of a macro's use must be this access and nothing else */
    const ht_syntax *outer = access->parent;
    while (outer &&
           (outer->kind == HT_SYNTAX_PAREN || (outer->kind == HT_SYNTAX_CAST && !outer->written)) &&
           outer->range.begin == access->range.begin && outer->range.end == access->range.end)
        outer = outer->parent;
    bool whole = outer && (outer->range.begin != access->range.begin ||
                           outer->range.end != access->range.end);
    bool own = access->plain ? ht_syntax_is_whole(access) : whole;
    return own ? HT_STEP_ADDRESS : HT_STEP_NONE;
}

/* ---- preparing ---- */

/* Makes variables named inside macros, whose text cannot be changed, each output's own. Returns
 * true if there was one. */
static bool settle_captured(ht_coarsen *c) {
    bool changed = false;
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        if ((node->kind != HT_SYNTAX_NAME && node->kind != HT_SYNTAX_GLOBAL) || node->plain)
            continue;
        if (node->kind == HT_SYNTAX_GLOBAL) {
            if (node->parent->kind != HT_SYNTAX_VARIABLE || node->parent->variable != c->x)
                ht_coarsen_set_reason(c, node->at, "a macro holds the global index");
            continue;
        }
        ht_value *value = &c->values[node->variable];
        if (value->share != HT_SHARE_STEP || !ht_node_apart_root(c, node))
            continue;
        const ht_syntax *access = ht_node_stepping_access(c, node);
        if (access && ht_step_form_of(c, access) == HT_STEP_ADDRESS)
            continue;
        value->own = true;
        value->share = HT_SHARE_OWN;
        changed = true;
    }
    for (size_t i = 0; i < c->tree->count;
         ++i) { /* accesses that a macro makes together with others */
        const ht_syntax *access = c->tree->nodes[i];
        if (!ht_node_apart_root(c, access) || !ht_node_steps(c, access) ||
            ht_step_form_of(c, access) != HT_STEP_NONE)
            continue;
        for (size_t k = 0; k < c->tree->count; ++k) {
            const ht_syntax *name = c->tree->nodes[k];
            if (name->kind != HT_SYNTAX_NAME || !ht_syntax_within(name, access) ||
                c->values[name->variable].share != HT_SHARE_STEP)
                continue;
            c->values[name->variable].own = true;
            c->values[name->variable].share = HT_SHARE_OWN;
            changed = true;
        }
    }
    return changed;
}

bool ht_variable_has_initialiser(const ht_coarsen *c, const ht_syntax *node) {
    if (node->count == 0)
        return false;
    const ht_syntax *init = node->children[0];
    /* the constructor call of `float4 v;` has the name's place */
    return init->range.begin >= c->tree->variables[node->variable].name_end;
}

static bool is_copied(const ht_coarsen *c, const ht_syntax *node) {
    const char *text = c->model->text;
    size_t at = node->children[0]->range.begin;
    while (at > 0 && isspace((unsigned char)text[at - 1]))
        --at;
    return at > 0 && text[at - 1] == '=';
}

/* Gives a reason if the variable cannot be written as an array with an element for each output. */
static void check_array(ht_coarsen *c, const ht_syntax *node) {
    const ht_syntax_variable *variable = &c->tree->variables[node->variable];
    char *type = ht_syntax_variable_type(variable, true);
    if (!type || !node->plain)
        ht_coarsen_set_reason(c, node->at, "`%s` has a type that cannot be written again",
                              variable->name);
    free(type);
    if (variable->measured)
        ht_coarsen_set_reason(c, node->at, "the size of `%s` is taken", variable->name);
    if (ht_variable_has_initialiser(c, node)) {
        const ht_syntax *init = node->children[0];
        bool zero = variable->is_array && ht_syntax_is_zero_list(init);
        bool copied = is_copied(c, node) && !variable->is_array && (init->kind != HT_SYNTAX_LIST);
        if (!zero && !copied)
            ht_coarsen_set_reason(c, node->at, "the initialiser of `%s` cannot be assigned",
                                  variable->name);
    }
    for (size_t i = 0; i < c->tree->count; ++i)
        if (c->tree->nodes[i]->kind == HT_SYNTAX_NAME &&
            c->tree->nodes[i]->variable == node->variable && !c->tree->nodes[i]->plain)
            ht_coarsen_set_reason(c, c->tree->nodes[i]->at, "a macro uses `%s` by name",
                                  variable->name);
}

bool ht_node_any_apart(const ht_coarsen *c, const ht_syntax *node) {
    if (!node)
        return false;
    for (size_t i = 0; i < node->count && !c->marks[node->index].apart; ++i)
        if (ht_node_any_apart(c, node->children[i]))
            return true;
    return c->marks[node->index].apart;
}

bool ht_group_is_left(const ht_coarsen *c, ht_syntax_list list, size_t begin, size_t end,
                      size_t variable) {
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *name = c->tree->nodes[i];
        if (name->kind == HT_SYNTAX_NAME && name->variable == variable &&
            ht_node_apart_root(c, name) && !ht_syntax_within_any(name, list, begin, end))
            return true;
    }
    return false;
}

static void visit_body(const ht_coarsen *c, const ht_syntax *body, ht_group_visit *visit,
                       void *context) {
    if (body && body->kind == HT_SYNTAX_COMPOUND)
        ht_groups_visit(c, body->children, body->count, visit, context);
    else if (body)
        ht_groups_visit(c, &body, 1, visit, context);
}

void ht_groups_visit(const ht_coarsen *c, ht_syntax_list list, size_t count, ht_group_visit *visit,
                     void *context) {
    for (size_t i = 0; i < count;) {
        if (c->marks[list[i]->index].apart) {
            size_t end = ht_jam_group_end(c, list, i, count);
            visit(context, list, i, end);
            i = end;
            continue;
        }
        const ht_syntax *node = list[i++];
        if (node->kind == HT_SYNTAX_COMPOUND)
            visit_body(c, node, visit, context);
        else if (node->kind == HT_SYNTAX_IF) {
            visit_body(c, node->children[1], visit, context);
            visit_body(c, node->children[2], visit, context);
        } else if (ht_syntax_is_loop(node))
            visit_body(c, ht_syntax_body(node), visit, context);
    }
}

size_t ht_jam_group_end(const ht_coarsen *c, ht_syntax_list list, size_t begin, size_t count) {
    size_t end = begin;
    while (end < count && c->marks[list[end]->index].apart)
        ++end;
    return end;
}

/* Returns true if the work names the variable, not counting its declaration. */
static bool is_used(const ht_coarsen *c, const ht_layout *layout, const ht_part *declared) {
    for (size_t n = 0; n < c->tree->count; ++n) {
        const ht_syntax *name = c->tree->nodes[n];
        if (name->kind != HT_SYNTAX_NAME || name->variable != declared->node->variable)
            continue;
        for (size_t p = 0; p < layout->count; ++p) {
            const ht_part *part = &layout->parts[p];
            if (part != declared && part->kind != HT_PART_ENTER &&
                (part->front || ht_part_is_standing(part)) && ht_syntax_within(name, part->node))
                return true;
        }
    }
    return false;
}

/* Makes arrays of a group's variables that are used outside of the group. */
static void mark_arrays(void *context, ht_syntax_list list, size_t begin, size_t end) {
    ht_coarsen *c = context;
    for (size_t i = begin; i < end; ++i) {
        ht_syntax_list variables;
        size_t count = ht_syntax_variables(list[i], &variables);
        for (size_t k = 0; k < count; ++k) {
            const ht_syntax *variable = variables[k];
            if (!c->marks[variable->index].apart)
                continue;
            bool left = ht_group_is_left(c, list, begin, end, variable->variable);
            c->values[variable->variable].array = left;
            if (left)
                check_array(c, variable);
        }
    }
}

ht_region ht_jam_region(const ht_layout *layout) {
    ht_region region = {0};
    for (size_t i = 0; i < layout->count; ++i)
        if (ht_part_is_standing(&layout->parts[i])) {
            HT_GROW(region.statements, region.count);
            region.statements[region.count++] = layout->parts[i].node;
        }
    return region;
}

/* Gives a reason if a variable of which each output has its own is declared where it cannot become
 * an array. */
static void check_owned(ht_coarsen *c, const ht_layout *layout) {
    for (size_t i = 0; i < c->tree->variable_count; ++i) {
        const ht_syntax_variable *variable = &c->tree->variables[i];
        if (c->values[i].share != HT_SHARE_OWN || i == c->x)
            continue;
        bool declared = false;
        for (size_t p = 0; p < layout->count && variable->declaration; ++p)
            declared |= ht_part_is_standing(&layout->parts[p]) &&
                        ht_syntax_within(variable->declaration, layout->parts[p].node);
        if (!declared)
            ht_coarsen_set_reason(c, variable->at, "`%s` is changed differently for each output",
                                  variable->name);
    }
    for (size_t p = 0; p < layout->count; ++p) {
        const ht_part *part = &layout->parts[p];
        for (size_t t = 0; t < part->guard.term_count; ++t)
            for (size_t n = 0; n < c->tree->count; ++n) {
                const ht_syntax *name = c->tree->nodes[n];
                if (part->kind != HT_PART_WORK && name->kind == HT_SYNTAX_NAME &&
                    ht_syntax_within(name, part->guard.terms[t].node) &&
                    c->values[name->variable].moved)
                    ht_coarsen_set_reason(c, name->at, "`%s`, which a guard needs, changes",
                                          c->tree->variables[name->variable].name);
            }
    }
}

/* Gives a reason for decltype and its kind, which name variables outside of expressions. */
static void check_types(ht_coarsen *c) {
    if (c->tree->variables[c->x].measured)
        ht_coarsen_set_reason(c, c->tree->variables[c->x].at, "the size of `%s` is taken",
                              c->tree->variables[c->x].name);
    static const char *const words[] = {"decltype", "typeof", "__typeof__", NULL};
    if (ht_tokens_count(ht_source_tokens(c->model->facts->source, c->model->definition.file),
                        c->model->definition.body_range, words))
        ht_coarsen_set_reason(c, (ht_position){0}, "a type is made of an expression");
}

bool ht_jam_prepare(ht_coarsen *c, ht_layout *layout) {
    check_types(c);
    ht_coarsen_check_jam(c, false);
    if (c->apart_reason)
        return false;
    ht_share_reset(c);
    do
        ht_region_share(c, &layout->region);
    while (settle_captured(c));
    ht_layout_settle(c, layout, true);
    check_owned(c, layout);
    for (size_t i = 0; i < layout->count; ++i) {
        ht_part *part = &layout->parts[i];
        bool idle = part->kind == HT_PART_ITEM && !part->front &&
                    part->node->kind == HT_SYNTAX_VARIABLE && part->node->count &&
                    !ht_syntax_has_change(part->node->children[0]);
        part->unused = idle && !is_used(c, layout, part);
    }
    ht_region list = ht_jam_region(layout);
    ht_groups_visit(c, list.statements, list.count, mark_arrays, c);
    free(list.statements);
    return !c->apart_reason && !c->refused;
}
