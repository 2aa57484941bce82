#include "refactor/transformations/coarsen/coarsen_swaps.h"
#include "base/memory.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_rows.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/transformations/coarsen/coarsen_write.h"

#include <stdlib.h>
#include <string.h>

/* ---- swaps ---- */

/* Returns true if `name + cx` needs no parentheses here. */
static bool is_tight(const ht_syntax *node) {
    const ht_syntax *parent = node->parent;
    while (parent && parent->kind == HT_SYNTAX_CAST && !parent->written) {
        node = parent;
        parent = parent->parent;
    }
    if (!parent)
        return false;
    switch (parent->kind) {
    case HT_SYNTAX_VARIABLE:
    case HT_SYNTAX_PAREN:
    case HT_SYNTAX_LIST:
        return true;
    case HT_SYNTAX_SUBSCRIPT:
    case HT_SYNTAX_ASSIGN:
        return parent->children[1] == node;
    case HT_SYNTAX_BINARY:
        return ht_operator_compares(parent->op) || parent->op == HT_BINARY_AND ||
               parent->op == HT_BINARY_OR ||
               ((parent->op == HT_BINARY_ADD || parent->op == HT_BINARY_SUB) &&
                parent->children[0] == node);
    default:
        return false;
    }
}

static bool in_macro_argument(const ht_syntax *node) {
    const ht_syntax *up = node->parent;
    for (; up && up->kind > HT_SYNTAX_EMPTY; up = up->parent)
        if (!up->plain)
            return true;
    return false;
}

static void swap_name(ht_jam_swaps *swaps, const ht_syntax *node, const char *name) {
    ht_coarsen *c = swaps->c;
    if (swaps->front || !ht_node_apart_root(c, node) || ht_node_stepping_access(c, node)) {
        ht_writer_swap(swaps->writer, node->range, ht_strdup(name));
        return;
    }
    bool tight = is_tight(node) && !in_macro_argument(node);
    ht_writer_swap(swaps->writer, node->range,
                   ht_format(tight ? "%s + %s" : "(%s + %s)", name, c->names.offset));
}

static void swap_access(ht_jam_swaps *swaps, const ht_syntax *node) {
    ht_coarsen *c = swaps->c;
    ht_writer *writer = swaps->writer;
    ht_range begin = {node->range.begin, node->range.begin};
    ht_range end = {node->range.end, node->range.end};
    switch (ht_step_form_of(c, node)) {
    case HT_STEP_INDEX: {
        const ht_syntax *index = ht_syntax_written(node->children[1]);
        bool loose = index->kind == HT_SYNTAX_CONDITIONAL || index->kind == HT_SYNTAX_ASSIGN ||
                     (index->kind == HT_SYNTAX_BINARY && index->op > HT_BINARY_SUB);
        begin.begin = begin.end = index->range.begin;
        end.begin = end.end = index->range.end;
        if (loose)
            ht_writer_swap(writer, begin, ht_strdup("("));
        ht_writer_swap(writer, end, ht_format("%s + %s", loose ? ")" : "", c->names.offset));
        return;
    }
    case HT_STEP_STAR: {
        const ht_syntax *pointer = node->children[0];
        while (pointer->kind == HT_SYNTAX_CAST && !pointer->written)
            pointer = pointer->children[0];
        bool simple = pointer->kind == HT_SYNTAX_NAME || pointer->kind == HT_SYNTAX_PAREN;
        ht_range star = {node->range.begin, pointer->range.begin};
        ht_writer_swap(writer, star, ht_strdup(simple ? "" : "("));
        ht_writer_swap(writer, end, ht_format("%s[%s]", simple ? "" : ")", c->names.offset));
        return;
    }
    default:
        ht_writer_swap(writer, begin, ht_strdup("(&"));
        ht_writer_swap(writer, end, ht_format(")[%s]", c->names.offset));
    }
}

static void swap_return(ht_jam_swaps *swaps, const ht_syntax *node) {
    const ht_syntax *root = ht_node_apart_root(swaps->c, node);
    if (!root)
        return;
    bool inner = false;
    for (const ht_syntax *up = node->parent; up && up != root->parent; up = up->parent)
        inner |= ht_syntax_is_loop(up);
    swaps->label |= inner;
    if (!node->plain)
        ht_coarsen_refuse(swaps->c, node->at, "a return inside a macro");
    ht_writer_swap(swaps->writer, node->range,
                   inner ? ht_format("goto %s", swaps->c->names.label) : ht_strdup("continue"));
}

static bool on_swap(const ht_syntax *node, void *context) {
    ht_jam_swaps *swaps = context;
    ht_coarsen *c = swaps->c;
    char *element = ht_vectors_element(swaps->vectors, node, c->vector.each);
    if (element) {
        ht_writer_swap(swaps->writer, node->range, element);
        return false;
    }
    if (node->kind == HT_SYNTAX_RETURN && !swaps->front)
        swap_return(swaps, node);
    ht_range divisor;
    char *nested = swaps->front ? NULL : ht_rows_nest(c, node, &divisor);
    if (nested)
        ht_writer_swap(swaps->writer, divisor, nested);
    if (!swaps->front && ht_node_apart_root(c, node) && ht_node_steps(c, node))
        swap_access(swaps, node);
    if (node->kind == HT_SYNTAX_GLOBAL)
        swap_name(swaps, node, c->names.first);
    if (node->kind != HT_SYNTAX_NAME)
        return true;
    const ht_syntax_variable *variable = &c->tree->variables[node->variable];
    if (node->variable == c->x && !node->plain && c->values[node->variable].share == HT_SHARE_STEP)
        swaps->keeps_x = true;
    if (!node->plain && swaps->front && node->variable == c->x)
        ht_coarsen_set_reason(c, node->at, "a macro holds a part of the guard");
    if (!node->plain)
        return true;
    if (c->values[node->variable].share == HT_SHARE_STEP ||
        (swaps->front && node->variable == c->x))
        swap_name(swaps, node, node->variable == c->x ? c->names.first : variable->name);
    else if (c->values[node->variable].array)
        ht_writer_swap(swaps->writer, node->range,
                       ht_format("%s[%s]", variable->name, c->names.counter));
    return true;
}

void ht_jam_swaps_add(ht_jam_swaps *swaps, ht_syntax_list list, size_t count) {
    for (size_t i = 0; i < count; ++i)
        ht_syntax_walk(list[i], on_swap, swaps);
}

/* Collects swaps for the work, or for the part in front of it. */
ht_jam_swaps ht_jam_swaps_make(ht_coarsen *c, const ht_layout *layout, ht_writer *writer,
                               bool front) {
    ht_jam_swaps swaps = {.c = c, .writer = writer, .front = front};
    ht_writer_swaps_clear(writer);
    for (size_t i = 0; i < layout->count; ++i) {
        const ht_part *part = &layout->parts[i];
        for (size_t k = 0; front && k < part->guard.term_count; ++k)
            ht_syntax_walk(part->guard.terms[k].node, on_swap, &swaps);
        if (front && part->guard.term_count)
            continue;
        if (front ? part->front && part->kind != HT_PART_X : ht_part_is_standing(part))
            ht_syntax_walk(part->node, on_swap, &swaps);
    }
    return swaps;
}
