#include "refactor/transformations/register_tile/tiled_share.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/steady.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/coarsen/coarsen_carry.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

#include <stdlib.h>
#include <string.h>

void ht_tiled_share(ht_tiled *t, const ht_region *region) {
    ht_share_reset(&t->c);
    for (size_t i = 0; i < t->axis_count; ++i) {
        t->c.values[t->axes[i].variable].own = true;
        t->c.values[t->axes[i].variable].share = HT_SHARE_OWN;
    }
    ht_region_share(&t->c, region);
}

bool ht_tiled_is_index(const ht_tiled *t, size_t variable) {
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].variable == variable)
            return true;
    return false;
}

/* ---- computed anew ---- */

/* Returns true if it is known wherever the values are that are the same for all outputs. */
static bool is_common(const ht_syntax_variable *variable, const void *context) {
    const ht_tiled *t = context;
    return t->c.values[variable->index].share != HT_SHARE_OWN ||
           ht_tiled_is_index(t, variable->index) || t->again[variable->index];
}

static bool is_again(ht_tiled *t, const ht_syntax *node) {
    const ht_syntax_variable *variable = &t->c.tree->variables[node->variable];
    if (!t->c.marks[node->index].apart || !ht_variable_has_initialiser(&t->c, node) ||
        variable->is_array || variable->is_reference ||
        t->c.tree->variables[node->variable].changed)
        return false;
    const ht_steady asked = {.at = node, .calls = true, .keeps = is_common, .context = t};
    return ht_syntax_is_steady(node->children[0], &asked);
}

static bool on_declaration(const ht_syntax *node, void *context) {
    ht_tiled *t = context;
    if (node->kind == HT_SYNTAX_VARIABLE)
        t->again[node->variable] = is_again(t, node);
    return true;
}

bool ht_tiled_is_skipped(const ht_tiled *t, const ht_syntax *item) {
    ht_syntax_list variables;
    size_t count = ht_syntax_variables(item, &variables);
    for (size_t i = 0; i < count; ++i)
        if (!t->again[variables[i]->variable])
            return false;
    return count > 0;
}

/* ---- needs of a segment ---- */

typedef struct need_walk {
    ht_tiled *t;
    bool *needed;
} need_walk;

static bool on_need(const ht_syntax *node, void *context) {
    need_walk *walk = context;
    ht_tiled *t = walk->t;
    if (node->kind != HT_SYNTAX_NAME || walk->needed[node->variable])
        return true;
    bool index = ht_tiled_is_index(t, node->variable);
    if (!index && !t->again[node->variable])
        return true;
    walk->needed[node->variable] = true;
    if (!index)
        ht_syntax_walk(t->c.tree->variables[node->variable].declaration, on_need, walk);
    return true;
}

static void on_test(const ht_syntax *test, bool skips, void *context) {
    (void)skips;
    ht_syntax_walk(test->children[0], on_need, context);
}

void ht_tiled_needs_tests(ht_tiled *t, const ht_syntax *statement, bool *needed) {
    need_walk walk = {t, needed};
    ht_carried_visit(&t->c, ht_statement_of(statement), on_test, &walk);
}

bool ht_tiled_is_idle(const ht_tiled *t, ht_syntax_list list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
        if (!t->c.marks[list[i]->index].skips && !ht_tiled_is_skipped(t, list[i]))
            return false;
    return true;
}

static const ht_syntax *scope_of(const ht_syntax *declaration) {
    const ht_syntax *node = declaration->parent;
    while (node && node->kind != HT_SYNTAX_COMPOUND && node->kind != HT_SYNTAX_FOR)
        node = node->parent;
    return node;
}

/* Returns true if the variable's name means another variable at `place`. */
static bool is_hidden(const ht_tiled *t, size_t variable, const ht_syntax *place) {
    const ht_coarsen *c = &t->c;
    for (size_t i = 0; i < c->tree->variable_count; ++i) {
        const ht_syntax *declaration = c->tree->variables[i].declaration;
        if (i != variable && declaration &&
            strcmp(c->tree->variables[i].name, c->tree->variables[variable].name) == 0 &&
            scope_of(declaration) != c->tree->body &&
            ht_syntax_within(place, scope_of(declaration)))
            return true;
    }
    return false;
}

typedef struct hidden_walk {
    const ht_tiled *t;
    const ht_syntax *place;
} hidden_walk;

static bool is_hidden_name(const ht_syntax *node, const void *context) {
    const hidden_walk *walk = context;
    return (node->kind == HT_SYNTAX_NAME || node->kind == HT_SYNTAX_VARIABLE) &&
           is_hidden(walk->t, node->variable, walk->place);
}

bool ht_tiled_needs(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end, bool *needed) {
    need_walk walk = {t, needed};
    for (size_t i = begin; i < end; ++i)
        if (!ht_tiled_is_skipped(t, list[i]))
            ht_syntax_walk(list[i], on_need, &walk);
    const hidden_walk hidden = {t, ht_statement_of(list[begin])};
    for (size_t v = 0; v < t->c.tree->variable_count; ++v) {
        const ht_syntax *declaration = t->c.tree->variables[v].declaration;
        if (needed[v] &&
            (ht_tiled_is_index(t, v) ? is_hidden(t, v, hidden.place)
                                     : !ht_syntax_within_any(declaration, list, begin, end) &&
                                           ht_syntax_first(declaration, is_hidden_name, &hidden)))
            return false;
    }
    return true;
}

/* ---- arrays ---- */

bool ht_tiled_is_zero(const ht_tiled *t, const ht_syntax *node) {
    return t->c.tree->variables[node->variable].is_array && node->count &&
           ht_syntax_is_zero_list(node->children[0]);
}

static void check_array(ht_tiled *t, const ht_syntax *node) {
    ht_coarsen *c = &t->c;
    const ht_syntax_variable *variable = &c->tree->variables[node->variable];
    char *type = ht_syntax_variable_type(variable, true);
    if (!type || !node->plain || variable->measured || variable->is_reference)
        ht_coarsen_refuse(c, node->at, "`%s` cannot be written as an array", variable->name);
    free(type);
    if (ht_variable_has_initialiser(c, node)) {
        const char *text = c->model->text;
        size_t at = node->children[0]->range.begin;
        while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\n' || text[at - 1] == '\t'))
            --at;
        bool copied = at > 0 && text[at - 1] == '=';
        bool list = variable->is_array || node->children[0]->kind == HT_SYNTAX_LIST;
        if (list ? !ht_tiled_is_zero(t, node) : !copied)
            ht_coarsen_refuse(c, node->at, "the initialiser of `%s` cannot be assigned",
                              variable->name);
    }
    for (size_t i = 0; i < c->tree->count; ++i)
        if (c->tree->nodes[i]->kind == HT_SYNTAX_NAME &&
            c->tree->nodes[i]->variable == node->variable && !c->tree->nodes[i]->plain)
            ht_coarsen_refuse(c, c->tree->nodes[i]->at, "a macro uses `%s` by name",
                              variable->name);
}

/* Makes arrays of a segment's variables that another segment uses. */
static void mark_arrays(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        ht_syntax_list variables;
        size_t count = ht_syntax_variables(list[i], &variables);
        for (size_t k = 0; k < count; ++k) {
            size_t variable = variables[k]->variable;
            if (!t->c.marks[variables[k]->index].apart || t->again[variable] ||
                !ht_group_is_left(&t->c, list, begin, end, variable))
                continue;
            t->c.values[variable].array = true;
            check_array(t, variables[k]);
        }
    }
}

static void check_segment(void *context, ht_syntax_list list, size_t begin, size_t end) {
    ht_tiled *t = context;
    mark_arrays(t, list, begin, end);
    bool *needed = ht_alloc(t->c.tree->variable_count + 1, sizeof *needed);
    if (!ht_tiled_needs(t, list, begin, end, needed))
        ht_coarsen_refuse(&t->c, list[begin]->at,
                          "a name that is needed here means another variable");
    free(needed);
}

typedef struct keeping {
    const ht_value *values;
    bool keeps;
} keeping;

static void on_kept_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    keeping *in = context;
    in->keeps |= in->values[name->variable].array;
}

/* Notes a segment that writes memory, and so must not run for outputs outside, and that also
 * computes values for other segments: then outputs outside run no segment at all. */
static void check_leaves(void *context, ht_syntax_list list, size_t begin, size_t end) {
    ht_tiled *t = context;
    bool effect = false;
    keeping in = {t->c.values, false};
    for (size_t i = begin; i < end; ++i) {
        ht_syntax_list variables;
        size_t count = ht_syntax_variables(list[i], &variables);
        effect |= ht_syntax_has_effect(list[i]);
        ht_syntax_changes(list[i], on_kept_change, &in);
        for (size_t k = 0; k < count; ++k)
            in.keeps |= t->c.values[variables[k]->variable].array;
    }
    t->body.leaves |= effect && in.keeps;
}

static bool is_unknown(const ht_syntax *node, const void *context) {
    const ht_tiled *t = context;
    return node->kind == HT_SYNTAX_NAME && t->c.values[node->variable].share != HT_SHARE_SAME &&
           !t->again[node->variable] && !ht_tiled_is_index(t, node->variable);
}

bool ht_tiled_is_known(const ht_tiled *t, const ht_syntax *expression) {
    return !ht_syntax_first(expression, is_unknown, t);
}

/* Checks that a test's condition can be evaluated wherever the test is made. */
static void check_carried(ht_tiled *t) {
    for (size_t i = 0; i < t->c.tree->count; ++i) {
        const ht_syntax *node = t->c.tree->nodes[i];
        const ht_syntax *root =
            ht_node_apart_root(&t->c, node); /* otherwise it is in a segment, as it was */
        if (!(t->c.marks[node->index].skips && root == node) &&
            !(t->c.marks[node->index].enters && !root))
            continue;
        if (!ht_node_any_apart(&t->c, node) || !ht_tiled_is_known(t, node->children[0]))
            ht_coarsen_refuse(&t->c, node->at, "a condition before a loop is not understood");
    }
}

/* Refuses a return that leaves a loop inside of a segment: it would have to skip the rest of the
 * output. */
static void check_returns(ht_tiled *t) {
    for (size_t i = 0; i < t->c.tree->count; ++i) {
        const ht_syntax *node = t->c.tree->nodes[i];
        const ht_syntax *root =
            node->kind == HT_SYNTAX_RETURN ? ht_node_apart_root(&t->c, node) : NULL;
        if (!root)
            continue;
        for (const ht_syntax *up = node->parent; up && up != root->parent; up = up->parent)
            if (ht_syntax_is_loop(up))
                ht_coarsen_refuse(&t->c, node->at,
                                  "a return inside of a loop that differs between outputs");
        if (!node->plain)
            ht_coarsen_refuse(&t->c, node->at, "a return inside a macro");
    }
}

/* Returns true if the statement writes, or may write, an array that the block shares. */
static bool writes_shared(ht_coarsen *c, const ht_syntax *node) {
    ht_effects effects;
    ht_effects_collect(node, &effects);
    bool found = effects.writes.unknown;
    for (size_t i = 0; i < c->tree->variable_count; ++i)
        found |= effects.writes.variables[i] && c->tree->variables[i].is_shared;
    ht_effects_free(&effects);
    return found;
}

/* Refuses bodies in which a single output would reach a barrier, or write a shared array. Threads
 * of some kernels meet at barriers and share arrays. A thread's outputs may then be along a
 * plain index only (tiled_plain.c), the output channel for example, so that data which the block
 * has loaded serves several of them. Everything that does not depend on the index runs once, in the
 * order of the original, barriers and writes to shared memory included. Everything that does depend
 * on it writes nothing that other threads of the block see, so for no output does anything change
 * between two barriers. */
static void check_meeting(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        if (c->marks[node->index].apart && writes_shared(c, node))
            ht_coarsen_refuse(c, node->at, "outputs write different values to shared memory");
        if (node->call && node->call->is_barrier && ht_node_apart_root(&t->c, node))
            ht_coarsen_refuse(c, node->at, "a barrier is not reached by all outputs alike");
    }
    for (size_t i = 0; i < c->tree->variable_count; ++i)
        if (c->tree->variables[i].is_shared && c->values[i].share != HT_SHARE_SAME)
            ht_coarsen_refuse(c, c->tree->variables[i].at, "`%s` differs between outputs",
                              c->tree->variables[i].name);
}

void ht_tiled_settle(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    t->again = ht_alloc(c->tree->variable_count + 1, sizeof *t->again);
    free(t->led);
    t->led = ht_alloc(c->tree->variable_count + 1, sizeof *t->led);
    for (size_t i = 0; i < t->body.work.count; ++i)
        ht_syntax_walk(t->body.work.statements[i], on_declaration, t);
    for (size_t i = 0; i < c->tree->variable_count; ++i) {
        const ht_syntax_variable *variable = &c->tree->variables[i];
        bool declared = ht_tiled_is_index(t, i) ||
                        ht_syntax_within_any(variable->declaration, t->body.work.statements, 0,
                                             t->body.work.count);
        if (c->values[i].share == HT_SHARE_OWN && !declared)
            ht_coarsen_refuse(c, variable->at, "`%s` is changed differently for each output",
                              variable->name);
    }
    check_returns(t);
    check_carried(t);
    if (c->meets)
        check_meeting(t);
    ht_groups_visit(c, t->body.work.statements, t->body.work.count, check_segment, t);
    ht_groups_visit(c, t->body.work.statements, t->body.work.count, check_leaves, t);
}
