/* Arrays that are both read and written, but each output its own element alone: out[i] = f(out[i]).
 * All accesses have the same index, which is made of the outputs' indices. Were it the same element
 * for two threads, the original would have a race. */
#include "refactor/transformations/coarsen/coarsen.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct place_walk {
    ht_coarsen *c;
    bool *indexed; /* by axis: the index is made of the thread's index along it */
    bool fits;
    int depth;
} place_walk;

static bool on_index(ht_node *node, void *context);

/* A name that always has the value of its declaration: what that is made of. */
static void follow(place_walk *walk, size_t index) {
    ht_coarsen *c = walk->c;
    const ht_variable *variable = &c->variables[index];
    walk->fits = walk->fits && walk->depth < 16 && ht_variable_is_constant(c, index) &&
                 !variable->is_array && !variable->is_reference;
    for (int axis = 0; axis < 3; ++axis)
        if (clang_equalCursors(variable->cursor, c->model->axes[axis].index_variable)) {
            walk->indexed[axis] = true;
            return;
        }
    if (!variable->declaration || !walk->fits)
        return;
    ++walk->depth;
    walk->fits = ht_variable_has_initialiser(c, variable->declaration);
    for (size_t i = 0; i < variable->declaration->count && walk->fits; ++i)
        ht_node_walk(variable->declaration->children[i], on_index, walk);
    --walk->depth;
}

static bool on_index(ht_node *node, void *context) {
    place_walk *walk = context;
    switch (node->kind) {
    case HT_NODE_NAME:
        follow(walk, node->variable);
        break;
    case HT_NODE_BINARY:
        walk->fits =
            walk->fits && (node->op == CXBinaryOperator_Add || node->op == CXBinaryOperator_Sub ||
                           node->op == CXBinaryOperator_Mul);
        break;
    case HT_NODE_GLOBAL:
        walk->indexed[node->axis] = true;
        return false;
    case HT_NODE_INDEX: /* of a block, as the whole of what is constant */
    case HT_NODE_CONSTANT:
    case HT_NODE_PAREN:
    case HT_NODE_CAST:
        break;
    case HT_NODE_MEMBER:
        walk->fits = walk->fits && !node->arrow;
        break;
    default:
        walk->fits = false;
    }
    return walk->fits;
}

/* x, and what other indices there are. */
static bool is_own_place(ht_coarsen *c, ht_node *index) {
    bool indexed[3] = {false};
    place_walk walk = {c, indexed, true, 0};
    ht_node_walk(index, on_index, &walk);
    for (int axis = 0; axis < 3; ++axis)
        walk.fits = walk.fits && (indexed[axis] || !c->model->axes[axis].uses_global);
    return walk.fits;
}

/* The same text, spaces aside. */
static bool is_same_text(const ht_coarsen *c, const ht_node *a, const ht_node *b) {
    const char *text = c->model->text;
    size_t i = a->range.begin, k = b->range.begin;
    for (;; ++i, ++k) {
        while (i < a->range.end && isspace((unsigned char)text[i]))
            ++i;
        while (k < b->range.end && isspace((unsigned char)text[k]))
            ++k;
        if (i == a->range.end || k == b->range.end)
            return i == a->range.end && k == b->range.end;
        if (text[i] != text[k])
            return false;
    }
}

/* The element that a name of an array stands for; NULL: it does not. */
static ht_node *element_of(const ht_node *name) {
    const ht_node *node = name;
    while (node->parent && (node->parent->kind == HT_NODE_PAREN ||
                            (node->parent->kind == HT_NODE_CAST && !node->parent->written)))
        node = node->parent;
    ht_node *up = node->parent;
    return up && up->kind == HT_NODE_SUBSCRIPT && up->children[0] == node ? up : NULL;
}

bool ht_coarsen_is_in_place(ht_coarsen *c, size_t variable) {
    const ht_node *first = NULL;
    if (!c->variables[variable].is_parameter || !ht_variable_is_constant(c, variable))
        return false;
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *name = c->nodes[i];
        if (name->kind != HT_NODE_NAME || name->variable != variable)
            continue;
        ht_node *element = element_of(name);
        if (!element || !ht_node_is_whole(c, element))
            return false;
        ht_node *index = ht_node_written(element->children[1]);
        if (!index->plain || (first && !is_same_text(c, first, index)))
            return false;
        if (!first && !is_own_place(c, index))
            return false;
        first = first ? first : index;
    }
    return first != NULL;
}

bool ht_coarsen_is_in_one_statement(const ht_coarsen *c, size_t variable) {
    const ht_node *one = NULL;
    for (size_t i = 0; i < c->node_count; ++i) {
        const ht_node *name = c->nodes[i];
        if (name->kind != HT_NODE_NAME || name->variable != variable)
            continue;
        const ht_node *up = name;
        while (up->parent && up->parent->kind > HT_NODE_EMPTY)
            up = up->parent;
        if (up->kind != HT_NODE_ASSIGN || (one && up != one))
            return false;
        one = up;
    }
    return one != NULL;
}
