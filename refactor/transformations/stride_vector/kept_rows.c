#include "refactor/transformations/stride_vector/kept_rows.h"

#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/transformations/stride_vector/same_place.h"

#include <stdlib.h>
#include <string.h>

typedef struct finding {
    const ht_widening *loops;
    size_t count;
    ht_kept_rows *rows;
    size_t row; /* the one that is looked at */
} finding;

static const ht_syntax_tree *tree_of(const finding *in) {
    return in->loops[0].c.tree;
}

/* ---- writes between ---- */

static bool is_of_row(const finding *in, const ht_syntax *target) {
    for (size_t l = 0; l < in->count; ++l)
        for (size_t i = 0; i < in->loops[l].vectors.count; ++i)
            if (in->rows->of[l][i] == in->row && in->loops[l].vectors.items[i].node == target)
                return true;
    return false;
}

/* Returns true if memory that this pointer leads to is not the row's: it is the block's or the
 * thread's own, or __restrict__ says so. */
static bool is_apart(const finding *in, const ht_syntax *pointer) {
    const ht_syntax *row = in->rows->items[in->row].access->node->children[0];
    ht_access to = ht_pointer_roots(pointer), of = ht_pointer_roots(row);
    bool apart = !to.unknown;
    for (size_t v = 0; v < pointer->tree->variable_count && apart; ++v) {
        const ht_syntax_variable *variable = &pointer->tree->variables[v];
        if (!to.variables[v] || variable->is_local || variable->space == HT_SPACE_SHARED)
            continue;
        apart = variable->parameter && !of.unknown;
        for (size_t k = 0; k < row->tree->variable_count && apart; ++k) {
            const ht_parameter *other = row->tree->variables[k].parameter;
            if (of.variables[k])
                apart = other && other != variable->parameter &&
                        (other->is_restrict || variable->parameter->is_restrict);
        }
    }
    free(to.variables);
    free(of.variables);
    return apart;
}

/* Returns true if a store, or a call with this argument, may write the row's memory other than as
 * the row's own access. */
static bool writes_row(const finding *in, const ht_syntax *target, bool pointer) {
    const ht_syntax *at = ht_syntax_strip(target);
    if (is_of_row(in, at))
        return false;
    if (pointer)
        return !is_apart(in, at);
    const ht_syntax *root = ht_lvalue_root(at);
    if (root) {
        const ht_syntax_variable *variable = ht_syntax_named(root);
        return !variable->is_local && !variable->is_parameter && variable->space != HT_SPACE_SHARED;
    }
    while (at->kind == HT_SYNTAX_MEMBER && !at->arrow)
        at = ht_syntax_strip(at->children[0]);
    return !at->count || !is_apart(in, at->children[0]);
}

static bool call_writes_row(const finding *in, const ht_syntax *call) {
    ht_callee_class class = call->call->class;
    if (class == HT_CALLEE_ATOMIC || class == HT_CALLEE_FENCE || class == HT_CALLEE_STORES ||
        class == HT_CALLEE_GROUPS || call->call->effect == HT_CALL_ATOMIC)
        return true;
    for (size_t i = 0; i < (size_t)call->op; ++i) {
        int changes = call->call->changes[i];
        bool pointer = call->children[i]->type == HT_TYPE_POINTER;
        if ((pointer ? changes & 2 : changes & 1) && writes_row(in, call->children[i], pointer))
            return true;
    }
    return false;
}

/* Returns true if the node, of the kernel's body, may write the row's memory. */
static bool node_writes_row(const finding *in, const ht_syntax *node) {
    if (node->kind == HT_SYNTAX_CALL)
        return call_writes_row(in, node);
    return (node->kind == HT_SYNTAX_ASSIGN || node->kind == HT_SYNTAX_STEP) &&
           writes_row(in, node->children[0], false);
}

/* Returns true if functions that the kernel calls write memory other than their arguments', or
 * order it. */
static bool calls_write(const finding *in) {
    const ht_syntax_tree *whole = ht_syntax_whole(tree_of(in)->model);
    for (size_t i = 0; i < whole->count; ++i) {
        const ht_syntax *node = whole->nodes[i];
        if (ht_syntax_within(node, whole->body))
            continue;
        if (node->kind == HT_SYNTAX_UNKNOWN || node->kind == HT_SYNTAX_UNKNOWN_STATEMENT)
            return true;
        if (node->kind == HT_SYNTAX_CALL &&
            (node->call->class == HT_CALLEE_ATOMIC || node->call->class == HT_CALLEE_FENCE ||
             node->call->class == HT_CALLEE_STORES || node->call->class == HT_CALLEE_GROUPS))
            return true;
        if (node->kind != HT_SYNTAX_ASSIGN && node->kind != HT_SYNTAX_STEP)
            continue;
        const ht_syntax *target = ht_syntax_strip(node->children[0]);
        const ht_syntax *root = ht_lvalue_root(target);
        ht_access to = root || !target->count ? (ht_access){.unknown = !root}
                                              : ht_pointer_roots(target->children[0]);
        bool own = !to.unknown;
        for (size_t v = 0; v < whole->variable_count && own && to.variables; ++v)
            own = !to.variables[v] || whole->variables[v].space == HT_SPACE_SHARED ||
                  whole->variables[v].is_local || whole->variables[v].is_parameter;
        if (root)
            own = ht_syntax_named(root)->space == HT_SPACE_SHARED ||
                  ht_syntax_named(root)->is_local || ht_syntax_named(root)->is_parameter;
        free(to.variables);
        if (!own)
            return true;
    }
    return false;
}

static size_t statement_of(const finding *in, size_t loop) {
    const ht_syntax *body = tree_of(in)->body;
    size_t at = 0;
    while (at < body->count && body->children[at] != in->loops[loop].of->loop)
        ++at;
    return at;
}

/* Returns the first node, from the first loop up to the last one, that may write the row's memory;
 * NULL: none does. */
static const ht_syntax *writer_of(const finding *in) {
    const ht_kept_row *row = &in->rows->items[in->row];
    const ht_syntax *body = tree_of(in)->body;
    size_t begin = statement_of(in, row->first), end = statement_of(in, row->last);
    for (size_t i = 0; i < tree_of(in)->count && begin < end; ++i) {
        const ht_syntax *node = tree_of(in)->nodes[i];
        if (node->index >= body->children[begin]->index &&
            node->index < body->children[end]->index && node_writes_row(in, node))
            return node;
    }
    return NULL;
}

/* ---- rows ---- */

/* Returns true if a loop can be written twice. */
static bool is_copied(const ht_widening *loop) {
    const ht_syntax *body = ht_syntax_body(loop->of->loop);
    return body->kind == HT_SYNTAX_COMPOUND || ht_syntax_is_expression(body);
}

static void mark_row(const finding *in, size_t from, size_t to) {
    for (size_t l = 0; l < in->count; ++l)
        for (size_t i = 0; i < in->loops[l].vectors.count; ++i)
            if (in->rows->of[l][i] == from)
                in->rows->of[l][i] = to;
}

/* Makes a row of all accesses to the element of one, in its loop and later ones. */
static void gather(const finding *in, size_t loop, size_t access) {
    ht_kept_row *row = &in->rows->items[in->row];
    const ht_widening *first = &in->loops[loop];
    *row = (ht_kept_row){loop, loop, &first->vectors.items[access], 0};
    for (size_t l = loop; l < in->count; ++l)
        for (size_t i = 0; i < in->loops[l].vectors.count; ++i) {
            const ht_widening *other = &in->loops[l];
            const ht_vector_access *of = &other->vectors.items[i];
            if (in->rows->of[l][i] != SIZE_MAX || strcmp(of->type, row->access->type) != 0 ||
                !is_copied(other) || !ht_same_iterations(first, other) ||
                !ht_same_value(first, row->access->node, other, of->node))
                continue;
            in->rows->of[l][i] = in->row;
            row->last = of->load ? l : row->last;
            row->loads += l > loop && of->load;
        }
    for (size_t l = row->last + 1; l < in->count; ++l) /* which only store */
        for (size_t i = 0; i < in->loops[l].vectors.count; ++i)
            if (in->rows->of[l][i] == in->row)
                in->rows->of[l][i] = SIZE_MAX;
}

static void look_at(finding *in, size_t loop, size_t access) {
    ht_kept_rows *rows = in->rows;
    HT_GROW(rows->items, rows->count);
    in->row = rows->count++;
    gather(in, loop, access);
    const ht_syntax *writer = rows->items[in->row].loads ? writer_of(in) : NULL;
    if (rows->items[in->row].loads && !writer)
        return;
    if (writer && !rows->why) {
        rows->why = "memory that it may share is written between";
        rows->at = writer->at;
    }
    mark_row(in, in->row, SIZE_MAX);
    --rows->count;
}

void ht_kept_rows_find(const ht_widening *loops, size_t count, ht_kept_rows *out) {
    *out = (ht_kept_rows){.of = ht_alloc(count + 1, sizeof *out->of)};
    finding in = {loops, count, out, 0};
    for (size_t l = 0; l < count; ++l) {
        out->of[l] = ht_alloc(loops[l].vectors.count + 1, sizeof *out->of[l]);
        for (size_t i = 0; i < loops[l].vectors.count; ++i)
            out->of[l][i] = SIZE_MAX;
    }
    if (count < 2 || calls_write(&in))
        return;
    for (size_t l = 0; l + 1 < count; ++l)
        for (size_t i = 0; i < loops[l].vectors.count; ++i)
            if (out->of[l][i] == SIZE_MAX && is_copied(&loops[l]))
                look_at(&in, l, i);
}

void ht_kept_rows_free(ht_kept_rows *rows, size_t count) {
    for (size_t l = 0; l < count; ++l)
        free(rows->of[l]);
    free(rows->of);
    free(rows->items);
    *rows = (ht_kept_rows){0};
}
