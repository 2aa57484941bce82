/* Statements that another transformation has run for each output of a thread, at a place of its
 * choice: which expressions may be evaluated there (tiled.h). */
#include "base/memory.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

#include <stdlib.h>

/* ---- where ---- */

/* The loop of the place; NULL: it is outside of all loops. */
static const ht_node *loop_at(const ht_tiled *t, long place) {
    for (size_t i = 0; place >= 0 && i < t->c.node_count; ++i)
        if (ht_node_is_loop(t->c.nodes[i]) &&
            clang_equalCursors(t->c.nodes[i]->cursor, t->form.loops[place].loop))
            return t->c.nodes[i];
    return NULL;
}

/* Does the declaration stand behind the place? */
static bool is_behind(const ht_tiled *t, const ht_node *declaration, const ht_node *loop) {
    if (loop)
        return ht_node_within(declaration, loop->children[loop->count - 1]);
    for (size_t i = ht_tiled_top(t); i < t->work.count; ++i)
        if (ht_node_within(declaration, t->work.statements[i]))
            return true;
    return false;
}

/* ---- what names mean there ---- */

typedef struct ready_walk {
    ht_tiled *t;
    const ht_node *loop;
    const char *problem;
} ready_walk;

static bool on_name(ht_node *node, void *context) {
    ready_walk *walk = context;
    ht_tiled *t = walk->t;
    if (ht_node_has_change(&t->c, node) || node->kind == HT_NODE_LIST)
        walk->problem = "its index does more than compute a place";
    if (node->kind != HT_NODE_NAME || ht_tiled_is_index(t, node->variable))
        return !walk->problem;
    const ht_variable *variable = &t->c.variables[node->variable];
    if (t->again[node->variable]) {
        ht_node_walk(variable->declaration, on_name, walk);
        return !walk->problem;
    }
    if (variable->declaration && is_behind(t, variable->declaration, walk->loop))
        walk->problem = "its index is made of what is only known later";
    else if (variable->share == HT_SHARE_OWN || variable->array)
        walk->problem = "its index is made of what differs between outputs";
    const ht_node *body = walk->loop ? walk->loop->children[walk->loop->count - 1] : NULL;
    if (!walk->problem && !variable->is_array &&
        !ht_variable_is_steady(&t->c, node->variable, body))
        walk->problem = "a variable that is changed is in its index";
    return !walk->problem;
}

const char *ht_tiled_why_not_at(const ht_tiled_form *form, CXCursor expression, long place) {
    ht_tiled *t = form->inside;
    ht_node *node = ht_tiled_find(t, expression);
    ready_walk walk = {.t = t, .loop = loop_at(t, place)};
    if (!node || !node->plain)
        return "it depends on an index that the tiled form writes in a way of its own";
    ht_node_walk(node, on_name, &walk);
    bool *needed = ht_alloc(t->c.variable_count + 1, sizeof *needed);
    if (!walk.problem && !ht_tiled_needs(t, &node, 0, 1, needed))
        walk.problem = "a name that is needed there means another variable";
    free(needed);
    return walk.problem;
}

bool ht_tiled_computes_again(const ht_tiled_form *form, CXCursor variable) {
    const ht_tiled *t = form->inside;
    for (size_t i = 0; i < t->c.variable_count; ++i)
        if (clang_equalCursors(t->c.variables[i].cursor, variable))
            return t->again[i] && !t->c.variables[i].array;
    return false;
}

/* ---- whether ---- */

/* May this return, break or continue, which stands ahead, go past the expression? */
static bool goes_past(const ht_node *jump, const ht_node *expression) {
    if (jump->kind == HT_NODE_RETURN)
        return true;
    const ht_node *left = jump;
    while (left && !ht_node_is_loop(left) && left->kind != HT_NODE_SWITCH)
        left = left->parent;
    return !left || ht_node_within(expression, left);
}

bool ht_tiled_always_runs(const ht_tiled_form *form, CXCursor expression, long place) {
    const ht_tiled *t = form->inside;
    const ht_node *node = ht_tiled_find(t, expression), *loop = loop_at(t, place);
    const ht_node *root = loop ? loop->children[loop->count - 1] : NULL;
    for (size_t k = 0; !root && node && k < t->work.count; ++k)
        if (ht_node_within(node, t->work.statements[k]))
            root = t->work.statements[k];
    if (!node || !root || !ht_node_within(node, root))
        return false;
    if (!ht_node_is_certain(node, root))
        return false;
    for (size_t i = 0; i < t->c.node_count; ++i) {
        const ht_node *jump = t->c.nodes[i];
        bool jumps = jump->kind == HT_NODE_RETURN || jump->kind == HT_NODE_BREAK ||
                     jump->kind == HT_NODE_CONTINUE;
        bool here = loop == NULL || ht_node_within(jump, loop);
        for (size_t g = 0; g < t->item_count; ++g)
            here = here && !(t->items[g].guard && !t->items[g].node->entered &&
                             ht_node_within(jump, t->items[g].node));
        if (jumps && here && jump->range.begin < node->range.begin && goes_past(jump, node))
            return false;
    }
    return true;
}

char *ht_tiled_source(const ht_tiled_form *form, CXCursor expression) {
    const ht_node *node = ht_tiled_find(form->inside, expression);
    return node && node->plain ? ht_format("$[%zu,%zu]", node->range.begin, node->range.end) : NULL;
}

void ht_tiled_places(const ht_tiled_form *form, CXCursor expression, char **out_dimensions,
                     char **out_place) {
    ht_tiled *t = form->inside;
    ht_node *node = ht_tiled_find(t, expression);
    bool *needed = ht_alloc(t->c.variable_count + 1, sizeof *needed);
    if (node)
        ht_tiled_needs(t, &node, 0, 1, needed);
    ht_tiled_write_places(t, needed, out_dimensions, out_place);
    free(needed);
}

void ht_tiled_insert_each(ht_tiled_form *form, long place, CXCursor expression,
                          const char *condition, const char *text) {
    ht_tiled *t = form->inside;
    HT_GROW(t->inserts, t->insert_count);
    t->inserts[t->insert_count++] = (ht_tile_insert){.place = place,
                                                     .text = ht_strdup(text),
                                                     .each = ht_tiled_find(t, expression),
                                                     .condition = ht_strdup(condition)};
}
