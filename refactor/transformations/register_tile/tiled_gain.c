#include "refactor/transformations/register_tile/tiled_gain.h"
#include "base/memory.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/register_tile/tiled_plain.h"
#include "refactor/transformations/register_tile/tiled_share.h"

#include <stdlib.h>

enum { DEPTH_MAX = 4 }; /* of variables that hold each other */

/* ---- windows ---- */

typedef enum term_kind { TERM_INDEX, TERM_OTHER, TERM_COUNTER } term_kind;

typedef struct terms {
    const ht_tiled *t;
    size_t axis;
    term_kind kind; /* the axis' index, another axis', what changes in a loop */
    bool any_pitch; /* a product with anything counts, not with a constant alone */
} terms;

static bool is_kind(const terms *of, size_t variable) {
    const ht_tiled *t = of->t;
    if (t->c.tree->variables[variable].changed)
        return of->kind == TERM_COUNTER;
    bool own = variable == t->axes[of->axis].variable;
    return of->kind == TERM_INDEX
               ? own
               : of->kind == TERM_OTHER && !own && ht_tiled_is_index(t, variable);
}

/* Returns true for a sum with such a value as one of its terms. */
static bool has_term(const terms *of, const ht_syntax *node, int depth) {
    node = ht_syntax_strip(node);
    if (node->kind == HT_SYNTAX_BINARY && node->op == HT_BINARY_MUL) {
        bool constant = ht_syntax_strip(node->children[1])->kind == HT_SYNTAX_CONSTANT;
        return ((constant || of->any_pitch) && has_term(of, node->children[0], depth)) ||
               (of->any_pitch && has_term(of, node->children[1], depth));
    }
    if (node->kind == HT_SYNTAX_BINARY && (node->op == HT_BINARY_ADD || node->op == HT_BINARY_SUB))
        return has_term(of, node->children[0], depth) || has_term(of, node->children[1], depth);
    if (node->kind != HT_SYNTAX_NAME || depth > DEPTH_MAX)
        return false;
    const ht_syntax_variable *variable = &of->t->c.tree->variables[node->variable];
    if (variable->changed || ht_tiled_is_index(of->t, node->variable))
        return is_kind(of, node->variable);
    return variable->declaration && variable->declaration->count == 1 &&
           has_term(of, variable->declaration->children[0], depth + 1);
}

/* Returns true for y + r, or y * stride + r without another index: neighbouring outputs along the
 * index read the same elements in different iterations. */
static bool is_window(const ht_tiled *t, size_t axis, const ht_syntax *node) {
    if (node->kind != HT_SYNTAX_BINARY || node->type != HT_TYPE_INTEGER ||
        (node->op != HT_BINARY_ADD && node->op != HT_BINARY_SUB))
        return false;
    const terms other = {t, axis, TERM_OTHER, true}, counter = {t, axis, TERM_COUNTER, false};
    bool plain = t->axes[axis].form == &t->form.plain;
    const terms index = {t, axis, TERM_INDEX, !plain && !has_term(&other, node, 0)};
    const ht_syntax *left = node->children[0], *right = node->children[1];
    return (has_term(&index, left, 0) && has_term(&counter, right, 0)) ||
           (has_term(&index, right, 0) && has_term(&counter, left, 0));
}

/* ---- reads ---- */

/* Returns true if an element is written and not read. */
static bool is_target(const ht_syntax *node) {
    const ht_syntax *parent = node->parent;
    return parent && parent->kind == HT_SYNTAX_ASSIGN && parent->children[0] == node &&
           parent->op == HT_BINARY_ASSIGN;
}

static bool is_read(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_SUBSCRIPT && !node->is_array && !is_target(node);
}

static bool is_in_loop(const ht_syntax *node) {
    for (const ht_syntax *up = node->parent; up; up = up->parent)
        if (ht_syntax_is_loop(up))
            return true;
    return false;
}

bool ht_tiled_gains(ht_tiled *t, size_t axis, bool *out_along) {
    ht_coarsen *c = &t->c;
    bool *varies = ht_alloc(c->tree->count + 1, sizeof *varies), gains = false;
    ht_tiled_share(t, &t->body.all);
    for (size_t i = 0; i < c->tree->count; ++i)
        varies[i] = c->tree->nodes[i]->kind == HT_SYNTAX_SUBSCRIPT &&
                    ht_node_share(c, c->tree->nodes[i]) != HT_SHARE_SAME;
    ht_share_reset(c);
    c->values[t->axes[axis].variable].own = true;
    c->values[t->axes[axis].variable].share = HT_SHARE_OWN;
    ht_region_share(c, &t->body.all);
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        bool expression = node->kind > HT_SYNTAX_VARIABLE;
        bool along = expression && ht_node_share(c, node) != HT_SHARE_SAME;
        bool read = varies[i] || (c->meets && is_read(node));
        gains |= is_in_loop(node) && ((read && !along) || is_window(t, axis, node));
        if (out_along)
            out_along[i] = along;
    }
    free(varies);
    return gains;
}

/* ---- parameters ---- */

static bool has_loop(const ht_tiled *t) {
    for (size_t i = 0; i < t->c.tree->count; ++i)
        if (ht_syntax_is_loop(t->c.tree->nodes[i]))
            return true;
    return false;
}

/* Returns true if an output reads in a loop what all of them read. */
static bool reads_alike(ht_tiled *t) {
    ht_tiled_share(t, &t->body.all);
    for (size_t i = 0; i < t->c.tree->count; ++i) {
        const ht_syntax *node = t->c.tree->nodes[i];
        if (is_read(node) && is_in_loop(node) && ht_node_share(&t->c, node) == HT_SHARE_SAME)
            return true;
    }
    return false;
}

void ht_tiled_note_idle(ht_tiled *t) {
    static const char *const words[] = {"a tile along x that shares no loads",
                                        "a tile along y that shares no loads",
                                        "a tile along z that shares no loads"};
    if (!has_loop(t) || t->axis_count == 0)
        return;
    bool any = false, all_inside = true;
    for (size_t i = 0; i < t->axis_count; ++i) {
        const ht_tiled_axis *of = t->axes[i].form;
        bool gains = of == &t->form.plain || ht_tiled_gains(t, i, NULL);
        if (!gains && of->axis != 0)
            ht_plan_form(t->c.plan, of->factor, words[of->axis]);
        any = any || gains;
    }
    any = any || reads_alike(t);
    ht_tiled_cut_again(t);
    for (size_t i = 0; i < t->c.tree->count; ++i)
        if (ht_syntax_is_loop(t->c.tree->nodes[i]))
            all_inside = all_inside && ht_node_apart_root(&t->c, t->c.tree->nodes[i]);
    if (!any && all_inside)
        ht_plan_form(t->c.plan, t->form.param, "a tile that shares no loads");
}
