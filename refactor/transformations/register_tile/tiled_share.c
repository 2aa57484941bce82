/* What differs between the outputs of a block, and how it is kept: computed anew in each segment
 * that needs it, or in an array with an element for each of a thread's outputs. */
#include "base/memory.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

#include <stdlib.h>
#include <string.h>

void ht_tiled_share(ht_tiled *t, const ht_region *region) {
    ht_share_reset(&t->c);
    for (size_t i = 0; i < t->axis_count; ++i) {
        t->c.variables[t->axes[i].variable].own = true;
        t->c.variables[t->axes[i].variable].share = HT_SHARE_OWN;
    }
    ht_region_share(&t->c, region);
}

bool ht_tiled_any_apart(const ht_node *node) {
    if (!node)
        return false;
    for (size_t i = 0; i < node->count && !node->apart; ++i)
        if (ht_tiled_any_apart(node->children[i]))
            return true;
    return node->apart;
}

size_t ht_tiled_declared(ht_node *item, ht_node ***out_list) {
    *out_list = item->children;
    if (item->kind == HT_NODE_VARIABLE) {
        for (size_t i = 0; i < item->parent->count; ++i)
            if (item->parent->children[i] == item)
                *out_list = &item->parent->children[i];
        return 1;
    }
    return item->kind == HT_NODE_DECLARATION ? item->count : 0;
}

bool ht_tiled_is_index(const ht_tiled *t, size_t variable) {
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].variable == variable)
            return true;
    return false;
}

/* ---- computed anew ---- */

typedef struct stable_walk {
    ht_tiled *t;
    const ht_node *at; /* the declaration */
    bool stable;
} stable_walk;

/* Has the expression the same value wherever its variables are in scope, and does it cost little?
 */
static bool on_stable(ht_node *node, void *context) {
    stable_walk *walk = context;
    ht_coarsen *c = &walk->t->c;
    switch (node->kind) {
    case HT_NODE_SUBSCRIPT:
    case HT_NODE_DEREFERENCE:
    case HT_NODE_ADDRESS:
    case HT_NODE_ASSIGN:
    case HT_NODE_STEP:
    case HT_NODE_LIST:
        walk->stable = false;
        break;
    case HT_NODE_MEMBER:
        walk->stable = walk->stable && !node->arrow;
        break;
    case HT_NODE_CALL:
        walk->stable = walk->stable && !ht_node_has_change(c, node);
        for (size_t i = 0; i < node->count; ++i)
            walk->stable = walk->stable && node->children[i]->type == HT_TYPE_INTEGER;
        break;
    case HT_NODE_NAME: {
        const ht_variable *variable = &c->variables[node->variable];
        if (variable->is_array || variable->is_reference)
            walk->stable = false;
        if (variable->share == HT_SHARE_OWN && !ht_tiled_is_index(walk->t, node->variable))
            walk->stable = walk->stable && walk->t->again[node->variable];
        walk->stable = walk->stable && ht_variable_is_steady(c, node->variable, walk->at);
        break;
    }
    default:
        break;
    }
    return walk->stable;
}

static bool is_again(ht_tiled *t, ht_node *node) {
    const ht_variable *variable = &t->c.variables[node->variable];
    if (!node->apart || !ht_variable_has_initialiser(&t->c, node) || variable->is_array ||
        variable->is_reference || !ht_variable_is_constant(&t->c, node->variable))
        return false;
    stable_walk walk = {.t = t, .at = node, .stable = true};
    ht_node_walk(node->children[0], on_stable, &walk);
    return walk.stable;
}

static bool on_declaration(ht_node *node, void *context) {
    ht_tiled *t = context;
    if (node->kind == HT_NODE_VARIABLE)
        t->again[node->variable] = is_again(t, node);
    return true;
}

bool ht_tiled_is_skipped(const ht_tiled *t, const ht_node *item) {
    ht_node **variables;
    size_t count = ht_tiled_declared((ht_node *)item, &variables);
    for (size_t i = 0; i < count; ++i)
        if (!t->again[variables[i]->variable])
            return false;
    return count > 0;
}

/* ---- what a segment needs ---- */

typedef struct need_walk {
    ht_tiled *t;
    bool *needed;
} need_walk;

static bool on_need(ht_node *node, void *context) {
    need_walk *walk = context;
    ht_tiled *t = walk->t;
    if (node->kind != HT_NODE_NAME || walk->needed[node->variable])
        return true;
    bool index = ht_tiled_is_index(t, node->variable);
    if (!index && !t->again[node->variable])
        return true;
    walk->needed[node->variable] = true;
    if (!index)
        ht_node_walk(t->c.variables[node->variable].declaration, on_need, walk);
    return true;
}

static void on_test(const ht_node *test, bool skips, void *context) {
    (void)skips;
    ht_node_walk(test->children[0], on_need, context);
}

void ht_tiled_needs_tests(ht_tiled *t, const ht_node *statement, bool *needed) {
    need_walk walk = {t, needed};
    ht_carried_visit(ht_statement_of(statement), on_test, &walk);
}

bool ht_tiled_is_idle(const ht_tiled *t, ht_node **list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
        if (!list[i]->skips && !ht_tiled_is_skipped(t, list[i]))
            return false;
    return true;
}

static const ht_node *scope_of(const ht_node *declaration) {
    const ht_node *node = declaration->parent;
    while (node && node->kind != HT_NODE_COMPOUND && node->kind != HT_NODE_FOR)
        node = node->parent;
    return node;
}

/* Would a declaration of `variable`, or a name of it, at `place` mean another variable? */
static bool is_hidden(const ht_tiled *t, size_t variable, const ht_node *place) {
    const ht_coarsen *c = &t->c;
    for (size_t i = 0; i < c->variable_count; ++i) {
        const ht_node *declaration = c->variables[i].declaration;
        if (i != variable && declaration &&
            strcmp(c->variables[i].name, c->variables[variable].name) == 0 &&
            scope_of(declaration) != c->body && ht_node_within(place, scope_of(declaration)))
            return true;
    }
    return false;
}

typedef struct hidden_walk {
    const ht_tiled *t;
    const ht_node *place;
    bool hidden;
} hidden_walk;

static bool on_hidden(ht_node *node, void *context) {
    hidden_walk *walk = context;
    if (node->kind == HT_NODE_NAME || node->kind == HT_NODE_VARIABLE)
        walk->hidden |= is_hidden(walk->t, node->variable, walk->place);
    return true;
}

static bool within(const ht_node *node, ht_node **list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
        if (ht_node_within(node, list[i]))
            return true;
    return false;
}

bool ht_tiled_needs(ht_tiled *t, ht_node **list, size_t begin, size_t end, bool *needed) {
    need_walk walk = {t, needed};
    for (size_t i = begin; i < end; ++i)
        if (!ht_tiled_is_skipped(t, list[i]))
            ht_node_walk(list[i], on_need, &walk);
    hidden_walk hidden = {t, ht_statement_of(list[begin]), false};
    for (size_t v = 0; v < t->c.variable_count; ++v) {
        if (!needed[v])
            continue;
        if (ht_tiled_is_index(t, v))
            hidden.hidden |= is_hidden(t, v, hidden.place);
        else if (!within(t->c.variables[v].declaration, list, begin, end))
            ht_node_walk(t->c.variables[v].declaration, on_hidden, &hidden);
    }
    return !hidden.hidden;
}

/* ---- arrays ---- */

bool ht_tiled_is_zero(const ht_tiled *t, const ht_node *node) {
    if (!t->c.variables[node->variable].is_array || !node->count)
        return false;
    const ht_node *list = node->children[0];
    if (list->kind != HT_NODE_LIST || list->count > 1)
        return false;
    ht_node *value = list->count ? ht_node_strip(list->children[0]) : NULL;
    if (!value)
        return true;
    if (value->kind != HT_NODE_CONSTANT)
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(value->cursor);
    CXEvalResultKind kind = result ? clang_EvalResult_getKind(result) : CXEval_UnExposed;
    bool zero = kind == CXEval_Int     ? clang_EvalResult_getAsLongLong(result) == 0
                : kind == CXEval_Float ? clang_EvalResult_getAsDouble(result) == 0
                                       : false;
    if (result)
        clang_EvalResult_dispose(result);
    return zero;
}

static void check_array(ht_tiled *t, ht_node *node) {
    ht_coarsen *c = &t->c;
    const ht_variable *variable = &c->variables[node->variable];
    char *type = ht_variable_type(variable, true);
    if (!type || !node->plain || variable->measured || variable->is_reference)
        ht_coarsen_refuse(c, node->cursor, "`%s` cannot be written as an array", variable->name);
    free(type);
    if (ht_variable_has_initialiser(c, node)) {
        const char *text = c->model->text;
        size_t at = node->children[0]->range.begin;
        while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\n' || text[at - 1] == '\t'))
            --at;
        bool copied = at > 0 && text[at - 1] == '=';
        bool list = variable->is_array || node->children[0]->kind == HT_NODE_LIST;
        if (list ? !ht_tiled_is_zero(t, node) : !copied)
            ht_coarsen_refuse(c, node->cursor, "the initialiser of `%s` cannot be assigned",
                              variable->name);
    }
    for (size_t i = 0; i < c->node_count; ++i)
        if (c->nodes[i]->kind == HT_NODE_NAME && c->nodes[i]->variable == node->variable &&
            !c->nodes[i]->plain)
            ht_coarsen_refuse(c, c->nodes[i]->cursor, "a macro uses `%s` by name", variable->name);
}

/* Variables of a segment that another one uses. */
static void mark_arrays(ht_tiled *t, ht_node **list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        ht_node **variables;
        size_t count = ht_tiled_declared(list[i], &variables);
        for (size_t k = 0; k < count; ++k) {
            size_t variable = variables[k]->variable;
            bool outside = false;
            for (size_t n = 0; n < t->c.node_count; ++n) {
                const ht_node *name = t->c.nodes[n];
                outside |= name->kind == HT_NODE_NAME && name->variable == variable &&
                           ht_node_apart_root(name) && !within(name, list, begin, end);
            }
            if (!variables[k]->apart || t->again[variable] || !outside)
                continue;
            t->c.variables[variable].array = true;
            check_array(t, variables[k]);
        }
    }
}

static void check_segment(ht_tiled *t, ht_node **list, size_t begin, size_t end) {
    mark_arrays(t, list, begin, end);
    bool *needed = ht_alloc(t->c.variable_count + 1, sizeof *needed);
    if (!ht_tiled_needs(t, list, begin, end, needed))
        ht_coarsen_refuse(&t->c, list[begin]->cursor,
                          "a name that is needed here means another variable");
    free(needed);
}

static void on_kept_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    (void)change;
    *(bool *)context |= c->variables[name->variable].array;
}

/* A segment that outputs outside must not run, because it writes memory, gives values to others:
 * then they run none. */
static void check_leaves(ht_tiled *t, ht_node **list, size_t begin, size_t end) {
    bool effect = false, keeps = false;
    for (size_t i = begin; i < end; ++i) {
        ht_node **variables;
        size_t count = ht_tiled_declared(list[i], &variables);
        effect |= ht_node_has_effect(&t->c, list[i]);
        ht_node_changes(&t->c, list[i], on_kept_change, &keeps);
        for (size_t k = 0; k < count; ++k)
            keeps |= t->c.variables[variables[k]->variable].array;
    }
    t->leaves |= effect && keeps;
}

typedef void segment_visit(ht_tiled *t, ht_node **list, size_t begin, size_t end);

static void each_segment(ht_tiled *t, ht_node **list, size_t count, segment_visit *visit);

static void each_in_body(ht_tiled *t, ht_node *body, segment_visit *visit) {
    if (body && body->kind == HT_NODE_COMPOUND)
        each_segment(t, body->children, body->count, visit);
    else if (body)
        each_segment(t, &body, 1, visit);
}

static void each_segment(ht_tiled *t, ht_node **list, size_t count, segment_visit *visit) {
    for (size_t i = 0; i < count;) {
        if (list[i]->apart) {
            size_t end = ht_jam_group_end(list, i, count);
            visit(t, list, i, end);
            i = end;
            continue;
        }
        ht_node *node = list[i++];
        if (node->kind == HT_NODE_COMPOUND)
            each_in_body(t, node, visit);
        else if (node->kind == HT_NODE_IF) {
            each_in_body(t, node->children[1], visit);
            each_in_body(t, node->children[2], visit);
        } else if (node->kind == HT_NODE_FOR || node->kind == HT_NODE_WHILE)
            each_in_body(t, node->children[node->count - 1], visit);
        else if (node->kind == HT_NODE_DO)
            each_in_body(t, node->children[0], visit);
    }
}

typedef struct known_walk {
    const ht_tiled *t;
    bool known;
} known_walk;

static bool on_known(ht_node *node, void *context) {
    known_walk *walk = context;
    const ht_tiled *t = walk->t;
    if (node->kind == HT_NODE_NAME && t->c.variables[node->variable].share != HT_SHARE_SAME)
        walk->known =
            walk->known && (t->again[node->variable] || ht_tiled_is_index(t, node->variable));
    return walk->known;
}

bool ht_tiled_is_known(const ht_tiled *t, ht_node *expression) {
    known_walk walk = {t, true};
    ht_node_walk(expression, on_known, &walk);
    return walk.known;
}

/* What a test asks for must be there wherever it is asked. */
static void check_carried(ht_tiled *t) {
    for (size_t i = 0; i < t->c.node_count; ++i) {
        ht_node *node = t->c.nodes[i];
        const ht_node *root = ht_node_apart_root(node); /* else it stands as it did, in a segment */
        if (!(node->skips && root == node) && !(node->enters && !root))
            continue;
        if (!ht_tiled_any_apart(node) || !ht_tiled_is_known(t, node->children[0]))
            ht_coarsen_refuse(&t->c, node->cursor, "a test in front of a loop is not understood");
    }
}

/* A return that leaves a loop inside of a segment would have to skip the rest of the output. */
static void check_returns(ht_tiled *t) {
    for (size_t i = 0; i < t->c.node_count; ++i) {
        const ht_node *node = t->c.nodes[i];
        const ht_node *root = node->kind == HT_NODE_RETURN ? ht_node_apart_root(node) : NULL;
        if (!root)
            continue;
        for (const ht_node *up = node->parent; up && up != root->parent; up = up->parent)
            if (ht_node_is_loop(up))
                ht_coarsen_refuse(&t->c, node->cursor,
                                  "a return inside of a loop that differs between outputs");
        if (!node->plain)
            ht_coarsen_refuse(&t->c, node->cursor, "a return inside a macro");
    }
}

void ht_tiled_settle(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    t->again = ht_alloc(c->variable_count + 1, sizeof *t->again);
    for (size_t i = 0; i < t->work.count; ++i)
        ht_node_walk(t->work.statements[i], on_declaration, t);
    for (size_t i = 0; i < c->variable_count; ++i) {
        const ht_variable *variable = &c->variables[i];
        bool declared = ht_tiled_is_index(t, i);
        for (size_t k = 0; k < t->work.count && variable->declaration; ++k)
            declared |= ht_node_within(variable->declaration, t->work.statements[k]);
        if (variable->share == HT_SHARE_OWN && !declared)
            ht_coarsen_refuse(c, variable->cursor, "`%s` is changed differently for each output",
                              variable->name);
    }
    check_returns(t);
    check_carried(t);
    if (c->meets)
        ht_tiled_check_meeting(t);
    each_segment(t, t->work.statements, t->work.count, check_segment);
    each_segment(t, t->work.statements, t->work.count, check_leaves);
}
