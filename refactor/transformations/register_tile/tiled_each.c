#include "refactor/transformations/register_tile/tiled_each.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/transformations/register_tile/tiled_parts.h"
#include "refactor/transformations/register_tile/tiled_segment.h"
#include "refactor/transformations/register_tile/tiled_share.h"
#include "refactor/transformations/register_tile/tiled_stage.h"
#include "refactor/transformations/register_tile/tiled_write.h"

#include <stdlib.h>

/* ---- places ---- */

/* Returns the loop of the place; NULL: it is outside of all loops. */
static const ht_syntax *loop_at(const ht_tiled *t, long place) {
    return place >= 0 ? t->form.loops[place].loop : NULL;
}

/* Returns true if the declaration is after the place. */
static bool is_behind(const ht_tiled *t, const ht_syntax *declaration, const ht_syntax *loop) {
    if (loop)
        return ht_syntax_within(declaration, loop->children[loop->count - 1]);
    for (size_t i = ht_tiled_top(t); i < t->body.work.count; ++i)
        if (ht_syntax_within(declaration, t->body.work.statements[i]))
            return true;
    return false;
}

/* ---- meaning of names at the place ---- */

typedef struct ready_walk {
    ht_tiled *t;
    const ht_syntax *loop;
    const char *problem;
} ready_walk;

static bool on_name(const ht_syntax *node, void *context) {
    ready_walk *walk = context;
    ht_tiled *t = walk->t;
    if (ht_syntax_has_change(node) || node->kind == HT_SYNTAX_LIST)
        walk->problem = "its index does more than compute a place";
    if (node->kind != HT_SYNTAX_NAME || ht_tiled_is_index(t, node->variable))
        return !walk->problem;
    const ht_syntax_variable *variable = &t->c.tree->variables[node->variable];
    if (t->again[node->variable]) {
        ht_syntax_walk(variable->declaration, on_name, walk);
        return !walk->problem;
    }
    if (variable->declaration && is_behind(t, variable->declaration, walk->loop))
        walk->problem = "its index is made of what is only known later";
    else if (t->c.values[node->variable].share == HT_SHARE_OWN || t->c.values[node->variable].array)
        walk->problem = "its index is made of what differs between outputs";
    const ht_syntax *body = walk->loop ? walk->loop->children[walk->loop->count - 1] : NULL;
    if (!walk->problem && !variable->is_array &&
        !ht_variable_is_steady(ht_syntax_named(node), body))
        walk->problem = "a variable that is changed is in its index";
    return !walk->problem;
}

const char *ht_tiled_why_not_at(const ht_tiled_form *form, const ht_syntax *expression,
                                long place) {
    ht_tiled *t = form->inside;
    const ht_syntax *node = ht_tiled_find(t, expression);
    ready_walk walk = {.t = t, .loop = loop_at(t, place)};
    if (!node || !node->plain)
        return "its subscript depends on blockIdx itself, along which several blocks become one";
    ht_syntax_walk(node, on_name, &walk);
    bool *needed = ht_alloc(t->c.tree->variable_count + 1, sizeof *needed);
    if (!walk.problem && !ht_tiled_needs(t, &node, 0, 1, needed))
        walk.problem = "a name that is needed there means another variable";
    free(needed);
    return walk.problem;
}

bool ht_tiled_computes_again(const ht_tiled_form *form, size_t variable) {
    const ht_tiled *t = form->inside;
    return t->again[variable] && !t->c.values[variable].array;
}

/* ---- answers ---- */

/* Returns true if this return, break or continue before the expression may skip it. */
static bool goes_past(const ht_syntax *jump, const ht_syntax *expression) {
    if (jump->kind == HT_SYNTAX_RETURN)
        return true;
    const ht_syntax *left = jump;
    while (left && !ht_syntax_is_loop(left) && left->kind != HT_SYNTAX_SWITCH)
        left = left->parent;
    return !left || ht_syntax_within(expression, left);
}

bool ht_tiled_always_runs(const ht_tiled_form *form, const ht_syntax *expression, long place) {
    const ht_tiled *t = form->inside;
    const ht_syntax *node = ht_tiled_find(t, expression), *loop = loop_at(t, place);
    const ht_syntax *root = loop ? loop->children[loop->count - 1] : NULL;
    for (size_t k = 0; !root && node && k < t->body.work.count; ++k)
        if (ht_syntax_within(node, t->body.work.statements[k]))
            root = t->body.work.statements[k];
    if (!node || !root || !ht_syntax_within(node, root))
        return false;
    if (!ht_syntax_is_certain(node, root))
        return false;
    for (size_t i = 0; i < t->c.tree->count; ++i) {
        const ht_syntax *jump = t->c.tree->nodes[i];
        bool here = loop == NULL || ht_syntax_within(jump, loop);
        for (size_t g = 0; g < t->body.item_count; ++g)
            here = here &&
                   !(t->body.items[g].guard && !t->c.marks[t->body.items[g].node->index].entered &&
                     ht_syntax_within(jump, t->body.items[g].node));
        if (ht_syntax_is_jump(jump) && here && jump->range.begin < node->range.begin &&
            goes_past(jump, node))
            return false;
    }
    return true;
}

char *ht_tiled_source(const ht_tiled_form *form, const ht_syntax *expression) {
    const ht_syntax *node = ht_tiled_find(form->inside, expression);
    return node && node->plain ? ht_format("$[%zu,%zu]", node->range.begin, node->range.end) : NULL;
}

void ht_tiled_places(const ht_tiled_form *form, const ht_syntax *expression, char **out_dimensions,
                     char **out_place) {
    ht_tiled *t = form->inside;
    const ht_syntax *node = ht_tiled_find(t, expression);
    bool *needed = ht_alloc(t->c.tree->variable_count + 1, sizeof *needed);
    if (node)
        ht_tiled_needs(t, &node, 0, 1, needed);
    ht_tiled_write_places(t, needed, out_dimensions, out_place);
    free(needed);
}

void ht_tiled_insert_each(ht_tiled_form *form, long place, const ht_syntax *expression,
                          const char *condition, const char *text) {
    ht_tiled *t = form->inside;
    HT_GROW(t->added.inserts, t->added.insert_count);
    t->added.inserts[t->added.insert_count++] =
        (ht_tile_insert){.place = place,
                         .text = ht_strdup(text),
                         .each = ht_tiled_find(t, expression),
                         .condition = ht_strdup(condition)};
}
