#include "refactor/transformations/coarsen/coarsen_in_place.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

#include <stdlib.h>
#include <string.h>

typedef struct place_walk {
    ht_coarsen *c;
    bool *indexed; /* by axis: the index is made of the thread's index along it */
    bool fits;
    int depth;
} place_walk;

static bool on_index(const ht_syntax *node, void *context);

/* Checks the value of a name that never changes after its declaration. */
static void follow(place_walk *walk, size_t index) {
    ht_coarsen *c = walk->c;
    const ht_syntax_variable *variable = &c->tree->variables[index];
    walk->fits = walk->fits && walk->depth < 16 && !c->tree->variables[index].changed &&
                 !variable->is_array && !variable->is_reference;
    for (int axis = 0; axis < 3; ++axis)
        if (ht_syntax_index_variable(c->tree, axis) == index) {
            walk->indexed[axis] = true;
            return;
        }
    if (!variable->declaration || !walk->fits)
        return;
    ++walk->depth;
    walk->fits = ht_variable_has_initialiser(c, variable->declaration);
    for (size_t i = 0; i < variable->declaration->count && walk->fits; ++i)
        ht_syntax_walk(variable->declaration->children[i], on_index, walk);
    --walk->depth;
}

static bool on_index(const ht_syntax *node, void *context) {
    place_walk *walk = context;
    switch (node->kind) {
    case HT_SYNTAX_NAME:
        follow(walk, node->variable);
        break;
    case HT_SYNTAX_BINARY:
        walk->fits = walk->fits && (node->op == HT_BINARY_ADD || node->op == HT_BINARY_SUB ||
                                    node->op == HT_BINARY_MUL);
        break;
    case HT_SYNTAX_GLOBAL:
        walk->indexed[node->axis] = true;
        return false;
    case HT_SYNTAX_INDEX: /* of a block, if it is the whole constant part */
    case HT_SYNTAX_CONSTANT:
    case HT_SYNTAX_PAREN:
    case HT_SYNTAX_CAST:
        break;
    case HT_SYNTAX_MEMBER:
        walk->fits = walk->fits && !node->arrow;
        break;
    default:
        walk->fits = false;
    }
    return walk->fits;
}

/* Returns true if the index is made of x and of all other indices that the kernel uses. */
static bool is_own_place(ht_coarsen *c, const ht_syntax *index) {
    bool indexed[3] = {false};
    place_walk walk = {c, indexed, true, 0};
    ht_syntax_walk(index, on_index, &walk);
    for (int axis = 0; axis < 3; ++axis)
        walk.fits = walk.fits && (indexed[axis] || !c->model->axes[axis].uses_global);
    return walk.fits;
}

/* Returns the element around a name of an array; NULL: there is none. */
static const ht_syntax *element_of(const ht_syntax *name) {
    const ht_syntax *node = name;
    while (node->parent && (node->parent->kind == HT_SYNTAX_PAREN ||
                            (node->parent->kind == HT_SYNTAX_CAST && !node->parent->written)))
        node = node->parent;
    const ht_syntax *up = node->parent;
    return up && up->kind == HT_SYNTAX_SUBSCRIPT && up->children[0] == node ? up : NULL;
}

bool ht_coarsen_is_in_place(ht_coarsen *c, size_t variable) {
    const ht_syntax *first = NULL;
    if (!c->tree->variables[variable].is_parameter || c->tree->variables[variable].changed)
        return false;
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *name = c->tree->nodes[i];
        if (name->kind != HT_SYNTAX_NAME || name->variable != variable)
            continue;
        const ht_syntax *element = element_of(name);
        if (!element || !ht_syntax_is_whole(element))
            return false;
        const ht_syntax *index = ht_syntax_written(element->children[1]);
        if (!index->plain || (first && !ht_syntax_is_same_text(first, index)))
            return false;
        if (!first && !is_own_place(c, index))
            return false;
        first = first ? first : index;
    }
    return first != NULL;
}

bool ht_coarsen_is_in_one_statement(const ht_coarsen *c, size_t variable) {
    const ht_syntax *one = NULL;
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *name = c->tree->nodes[i];
        if (name->kind != HT_SYNTAX_NAME || name->variable != variable)
            continue;
        const ht_syntax *up = name;
        while (up->parent && up->parent->kind > HT_SYNTAX_EMPTY)
            up = up->parent;
        if (up->kind != HT_SYNTAX_ASSIGN || (one && up != one))
            return false;
        one = up;
    }
    return one != NULL;
}
