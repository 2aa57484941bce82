/* Statements that another transformation has run for each output of a thread, at a place of its
 * choice: which expressions may be evaluated there (tiled.h). */
#include "base/memory.h"
#include "refactor/transformations/tiled_parts.h"

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
    size_t variable;
    const char *problem;
} ready_walk;

/* A loop's counter keeps its value while the place inside of the loop is run. */
static void on_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    (void)c;
    ready_walk *walk = context;
    if (name->variable != walk->variable)
        return;
    const ht_node *loop = ht_tiled_header_of(change);
    if (!loop || !walk->loop || !ht_node_within(walk->loop, loop))
        walk->problem = "a variable that is changed is in its index";
}

static bool is_output(const ht_tiled *t, size_t variable) {
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].variable == variable)
            return true;
    return false;
}

static bool on_name(ht_node *node, void *context) {
    ready_walk *walk = context;
    ht_tiled *t = walk->t;
    if (ht_node_has_change(&t->c, node) || node->kind == HT_NODE_LIST)
        walk->problem = "its index does more than compute a place";
    if (node->kind != HT_NODE_NAME || is_output(t, node->variable))
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
    walk->variable = node->variable;
    if (!walk->problem && !variable->is_array)
        ht_node_changes(&t->c, t->c.body, on_change, walk);
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

/* The part of a node that is evaluated whenever the node is. */
static bool is_certain(const ht_node *node, const ht_node *part) {
    switch (node->kind) {
    case HT_NODE_IF:
    case HT_NODE_CONDITIONAL:
        return part == node->children[0];
    case HT_NODE_BINARY:
        return part == node->children[0] ||
               (node->op != CXBinaryOperator_LAnd && node->op != CXBinaryOperator_LOr);
    case HT_NODE_COMPOUND:
    case HT_NODE_DECLARATION:
        return true;
    default:
        return node->kind > HT_NODE_EMPTY;
    }
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
    for (const ht_node *part = node; part != root; part = part->parent)
        if (!is_certain(part->parent, part))
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
    ht_text dimensions = {0}, place = {0};
    if (node)
        ht_tiled_needs(t, &node, 0, 1, needed);
    for (size_t i = 0; i < t->axis_count; ++i)
        if (needed[t->axes[i].variable]) {
            ht_text_printf(&dimensions, "[${%s}]", t->tiled[i]->factor);
            ht_text_printf(&place, "[%s]", t->tiled[i]->counter);
        }
    free(needed);
    ht_text_append(&dimensions, "");
    ht_text_append(&place, "");
    *out_dimensions = ht_text_take(&dimensions);
    *out_place = ht_text_take(&place);
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
