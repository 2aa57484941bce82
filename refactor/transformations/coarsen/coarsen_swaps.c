/* The places in the source that read differently when outputs stand side by side. */
#include "base/memory.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"

#include <stdlib.h>
#include <string.h>

/* ---- swaps ---- */

static bool is_tight(const ht_node *node) { /* may `name + cx` stand here without parentheses? */
    const ht_node *parent = node->parent;
    while (parent && parent->kind == HT_NODE_CAST && !parent->written) {
        node = parent;
        parent = parent->parent;
    }
    if (!parent)
        return false;
    switch (parent->kind) {
    case HT_NODE_VARIABLE:
    case HT_NODE_PAREN:
    case HT_NODE_LIST:
        return true;
    case HT_NODE_SUBSCRIPT:
    case HT_NODE_ASSIGN:
        return parent->children[1] == node;
    case HT_NODE_BINARY:
        return (parent->op >= CXBinaryOperator_LT && parent->op <= CXBinaryOperator_NE) ||
               parent->op == CXBinaryOperator_LAnd || parent->op == CXBinaryOperator_LOr ||
               ((parent->op == CXBinaryOperator_Add || parent->op == CXBinaryOperator_Sub) &&
                parent->children[0] == node);
    default:
        return false;
    }
}

static bool in_macro_argument(const ht_node *node) {
    const ht_node *up = node->parent;
    for (; up && up->kind > HT_NODE_EMPTY; up = up->parent)
        if (!up->plain)
            return true;
    return false;
}

static void swap_name(ht_jam_swaps *swaps, ht_node *node, const char *name) {
    ht_coarsen *c = swaps->c;
    if (swaps->front || !ht_node_apart_root(node) || ht_node_stepping_access(c, node)) {
        ht_writer_swap(swaps->writer, node->range, ht_strdup(name));
        return;
    }
    bool tight = is_tight(node) && !in_macro_argument(node);
    ht_writer_swap(swaps->writer, node->range,
                   ht_format(tight ? "%s + %s" : "(%s + %s)", name, c->offset));
}

static void swap_access(ht_jam_swaps *swaps, ht_node *node) {
    ht_coarsen *c = swaps->c;
    ht_writer *writer = swaps->writer;
    ht_range begin = {node->range.begin, node->range.begin};
    ht_range end = {node->range.end, node->range.end};
    switch (ht_step_form_of(c, node)) {
    case HT_STEP_INDEX: {
        ht_node *index = ht_node_written(node->children[1]);
        bool loose = index->kind == HT_NODE_CONDITIONAL || index->kind == HT_NODE_ASSIGN ||
                     (index->kind == HT_NODE_BINARY && index->op > CXBinaryOperator_Sub);
        begin.begin = begin.end = index->range.begin;
        end.begin = end.end = index->range.end;
        if (loose)
            ht_writer_swap(writer, begin, ht_strdup("("));
        ht_writer_swap(writer, end, ht_format("%s + %s", loose ? ")" : "", c->offset));
        return;
    }
    case HT_STEP_STAR: {
        const ht_node *pointer = node->children[0];
        while (pointer->kind == HT_NODE_CAST && !pointer->written)
            pointer = pointer->children[0];
        bool simple = pointer->kind == HT_NODE_NAME || pointer->kind == HT_NODE_PAREN;
        ht_range star = {node->range.begin, pointer->range.begin};
        ht_writer_swap(writer, star, ht_strdup(simple ? "" : "("));
        ht_writer_swap(writer, end, ht_format("%s[%s]", simple ? "" : ")", c->offset));
        return;
    }
    default:
        ht_writer_swap(writer, begin, ht_strdup("(&"));
        ht_writer_swap(writer, end, ht_format(")[%s]", c->offset));
    }
}

static void swap_return(ht_jam_swaps *swaps, ht_node *node) {
    const ht_node *root = ht_node_apart_root(node);
    if (!root)
        return;
    bool inner = false;
    for (const ht_node *up = node->parent; up && up != root->parent; up = up->parent)
        inner |= ht_node_is_loop(up);
    swaps->label |= inner;
    if (!node->plain)
        ht_coarsen_refuse(swaps->c, node->cursor, "a return inside a macro");
    ht_writer_swap(swaps->writer, node->range,
                   inner ? ht_format("goto %s", swaps->c->label) : ht_strdup("continue"));
}

static bool on_swap(ht_node *node, void *context) {
    ht_jam_swaps *swaps = context;
    ht_coarsen *c = swaps->c;
    char *element = ht_vectors_element(swaps->vectors, node, c->vector_each);
    if (element) {
        ht_writer_swap(swaps->writer, node->range, element);
        return false;
    }
    if (node->kind == HT_NODE_RETURN && !swaps->front)
        swap_return(swaps, node);
    if (!swaps->front && ht_node_apart_root(node) && ht_node_steps(c, node))
        swap_access(swaps, node);
    if (node->kind == HT_NODE_GLOBAL)
        swap_name(swaps, node, c->first);
    if (node->kind != HT_NODE_NAME)
        return true;
    const ht_variable *variable = &c->variables[node->variable];
    if (node->variable == c->x && !node->plain && variable->share == HT_SHARE_STEP)
        swaps->keeps_x = true;
    if (!node->plain && swaps->front && node->variable == c->x)
        ht_coarsen_set_reason(c, node->cursor, "a macro holds a part of the guard");
    if (!node->plain)
        return true;
    if (variable->share == HT_SHARE_STEP || (swaps->front && node->variable == c->x))
        swap_name(swaps, node, node->variable == c->x ? c->first : variable->name);
    else if (variable->array)
        ht_writer_swap(swaps->writer, node->range, ht_format("%s[%s]", variable->name, c->counter));
    return true;
}

void ht_jam_swaps_add(ht_jam_swaps *swaps, ht_node **list, size_t count) {
    for (size_t i = 0; i < count; ++i)
        ht_node_walk(list[i], on_swap, swaps);
}

/* For the work, or for what stands in front of it. */
ht_jam_swaps ht_jam_swaps_make(ht_coarsen *c, const ht_layout *layout, ht_writer *writer,
                               bool front) {
    ht_jam_swaps swaps = {.c = c, .writer = writer, .front = front};
    ht_writer_swaps_clear(writer);
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_part *part = &layout->parts[i];
        for (size_t k = 0; front && k < part->guard.term_count; ++k)
            ht_node_walk(part->guard.terms[k].node, on_swap, &swaps);
        if (front && part->guard.term_count)
            continue;
        if (front ? part->front && part->kind != HT_PART_X : ht_part_is_standing(part))
            ht_node_walk(part->node, on_swap, &swaps);
    }
    return swaps;
}
