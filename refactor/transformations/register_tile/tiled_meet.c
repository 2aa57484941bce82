/* Kernels whose threads meet at barriers and share arrays. A thread's outputs may then lie along a
 * plain index alone (tiled_plain.c): the output channel, say, so that what the block has loaded
 * serves several of them. All that does not depend on the index is done once, barriers and what is
 * written to shared memory included, in the order of the original; what does depend on it writes
 * nothing that other threads of the block see, so that nothing changes between two barriers for
 * any output. */
#include "refactor/kernel/facts.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

static bool on_meeting(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    bool *found = context;
    if (clang_getCursorKind(cursor) == CXCursor_VarDecl)
        *found |= ht_ast_is_shared(cursor);
    if (clang_getCursorKind(cursor) == CXCursor_CallExpr)
        *found |= ht_ast_is_barrier(cursor);
    return !*found;
}

void ht_tiled_check_reached(ht_tiled *t) {
    const ht_model *model = t->c.model;
    for (size_t i = 1; i < model->facts->reached_count; ++i) {
        bool found = false;
        ht_ast_walk(model->facts->reached[i], on_meeting, &found);
        if (found)
            ht_coarsen_refuse(&t->c, model->facts->reached[i], "threads meet in a function");
    }
}

/* Does the statement write what the block shares, or might it? */
static bool writes_shared(ht_coarsen *c, ht_node *node) {
    ht_effects effects;
    ht_effects_collect(c, node, &effects);
    bool found = effects.writes.unknown;
    for (size_t i = 0; i < c->variable_count; ++i)
        found |= effects.writes.variables[i] && c->variables[i].is_shared;
    ht_effects_free(&effects);
    return found;
}

void ht_tiled_check_meeting(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        if (node->apart && writes_shared(c, node))
            ht_coarsen_refuse(c, node->cursor, "what the block shares differs between outputs");
        if (ht_node_is_barrier(node) && ht_node_apart_root(node))
            ht_coarsen_refuse(c, node->cursor, "whether threads meet differs between outputs");
    }
    for (size_t i = 0; i < c->variable_count; ++i)
        if (c->variables[i].is_shared && c->variables[i].share != HT_SHARE_SAME)
            ht_coarsen_refuse(c, c->variables[i].cursor, "`%s` differs between outputs",
                              c->variables[i].name);
}
