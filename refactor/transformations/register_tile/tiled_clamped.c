#include "refactor/transformations/register_tile/tiled_clamped.h"

#include "base/memory.h"
#include "refactor/kernel/loops.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/coarsen/coarsen_carry.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/register_tile/tiled_share.h"
#include "refactor/transformations/register_tile/tiled_single.h"

#include <stdlib.h>
#include <string.h>

enum { CLAMPS_MAX = 8 };

typedef struct clamping {
    const ht_tiled *t;
    const ht_tile_bound *limit;
    size_t x;                          /* the output's index: a variable */
    const ht_syntax_variable *counter; /* of the loop around; NULL: there is none */
    int64_t first, last;               /* its values */
    const ht_syntax *clamps[CLAMPS_MAX];
    size_t count;
    bool *part; /* by variable: made of a clamped index */
    bool good;
} clamping;

static bool is_int(const ht_syntax *node) {
    return node->type == HT_TYPE_INTEGER && node->bits == 32 && node->is_signed && !node->is_open;
}

/* Returns true if it is the last index inside. */
static bool is_last(const clamping *in, const ht_syntax *node) {
    const ht_syntax *left, *right;
    int64_t one;
    int op;
    node = ht_syntax_strip(node);
    if (in->limit->op == HT_BINARY_LE)
        return ht_syntax_is_same_text(node, ht_syntax_strip(in->limit->bound));
    return ht_syntax_binary(node, &op, &left, &right) && op == HT_BINARY_SUB &&
           ht_syntax_constant(ht_syntax_strip(right), &one) && one == 1 &&
           ht_syntax_is_same_text(ht_syntax_strip(left), ht_syntax_strip(in->limit->bound));
}

/* Adds the most that a summand can be. Returns false if that is not known. */
static bool most_add(const clamping *in, const ht_syntax *node, bool negative, int64_t *most) {
    int64_t value;
    node = ht_syntax_strip(node);
    if (in->counter && ht_syntax_named(node) == in->counter && !negative)
        value = in->last; /* it has the factor 1, and so each value between */
    else if (!ht_syntax_constant(node, &value) || value > INT32_MAX || value < -INT32_MAX)
        return false;
    *most += negative ? -value : value;
    return true;
}

/* Goes up from the index to the clamp. Returns NULL if there is none, or not even the largest
 * iteration reads the last element for the last output. */
static const ht_syntax *clamp_of(const clamping *in, const ht_syntax *name) {
    int64_t most = 0, zero;
    for (const ht_syntax *node = name, *up; (up = node->parent) != NULL; node = up) {
        if (!is_int(up))
            return NULL;
        if (up->kind == HT_SYNTAX_PAREN || up->kind == HT_SYNTAX_CAST)
            continue;
        bool second = up->count == 2 && up->children[1] == node;
        if (up->kind == HT_SYNTAX_BINARY && (up->op == HT_BINARY_ADD || up->op == HT_BINARY_SUB)) {
            if ((second && up->op == HT_BINARY_SUB) ||
                !most_add(in, up->children[!second], up->op == HT_BINARY_SUB, &most))
                return NULL;
        } else if (ht_syntax_calls(up, "max") && up->op == 2) {
            if (!ht_syntax_constant(ht_syntax_strip(up->children[!second]), &zero) || zero != 0)
                return NULL;
        } else
            return ht_syntax_calls(up, "min") && up->op == 2 &&
                           is_last(in, up->children[!second]) && most >= 0
                       ? up
                       : NULL;
    }
    return NULL;
}

static bool is_clamp(const clamping *in, const ht_syntax *node) {
    for (size_t i = 0; i < in->count; ++i)
        if (in->clamps[i] == node)
            return true;
    return false;
}

/* Notes the clamps, and refuses what may read an element of an iteration of its own. */
static bool on_node(const ht_syntax *node, void *context) {
    clamping *in = context;
    if (node->kind == HT_SYNTAX_NAME && node->variable == in->x) {
        const ht_syntax *clamp = clamp_of(in, node);
        in->good = in->good && clamp && in->count < CLAMPS_MAX;
        if (in->good)
            in->clamps[in->count++] = clamp;
    }
    bool plain = node->kind != HT_SYNTAX_CONDITIONAL && node->kind != HT_SYNTAX_UNKNOWN &&
                 node->kind != HT_SYNTAX_STEP && node->kind != HT_SYNTAX_MEMBER &&
                 (node->kind == HT_SYNTAX_VARIABLE || node->kind == HT_SYNTAX_DECLARATION ||
                  ht_syntax_is_expression(node));
    bool known = node->kind != HT_SYNTAX_CALL || ht_syntax_calls(node, "min") ||
                 ht_syntax_calls(node, "max");
    bool logical =
        node->kind == HT_SYNTAX_BINARY && (node->op == HT_BINARY_AND || node->op == HT_BINARY_OR);
    in->good = in->good && plain && known && !logical;
    return in->good;
}

typedef struct mention {
    const clamping *in;
    bool index, counter; /* it names what is made of the index; the counter outside of clamps */
} mention;

static bool on_mention(const ht_syntax *node, void *context) {
    mention *of = context;
    if (is_clamp(of->in, node)) {
        of->index = true;
        return false;
    }
    if (node->kind == HT_SYNTAX_NAME && node->variable != SIZE_MAX) {
        of->index = of->index || of->in->part[node->variable];
        of->counter = of->counter || (of->in->counter && ht_syntax_named(node) == of->in->counter);
    }
    return true;
}

static mention mention_in(const clamping *in, const ht_syntax *node) {
    mention of = {in, false, false};
    if (node)
        ht_syntax_walk(node, on_mention, &of);
    return of;
}

/* Notes variables that are made of the index, and refuses places that an iteration has alone. */
static bool on_place(const ht_syntax *node, void *context) {
    clamping *in = context;
    bool variable = node->kind == HT_SYNTAX_VARIABLE;
    if (!variable && !ht_syntax_is_element(node))
        return in->good;
    mention of = mention_in(in, variable ? ht_syntax_written(ht_syntax_initializer(
                                               &in->t->c.tree->variables[node->variable]))
                                         : node);
    if (variable && of.index) {
        in->good = in->good && !in->t->c.tree->variables[node->variable].changed;
        in->part[node->variable] = true;
    }
    in->good = in->good && !(of.index && of.counter);
    return in->good;
}

static bool leaves(const ht_syntax *node, const void *context) {
    (void)context;
    return ht_syntax_is_jump(node);
}

static void on_test(const ht_syntax *test, bool skips, void *context) {
    (void)test;
    (void)skips;
    ((clamping *)context)->good = false;
}

/* Reads the loop whose body the statements are: that, and nothing else, decides whether they run.
 */
static void loop_read(clamping *in, const ht_syntax *statement) {
    const ht_syntax *loop = statement->parent, *left, *start;
    int64_t trips;
    int op;
    while (loop && (loop->kind == HT_SYNTAX_COMPOUND || loop->kind == HT_SYNTAX_DECLARATION))
        loop = loop->parent;
    in->good = in->good && (!loop || (loop->kind == HT_SYNTAX_FOR &&
                                      !ht_syntax_first(ht_syntax_body(loop), leaves, NULL)));
    if (!in->good || !loop || !ht_syntax_trip_count(loop, &trips) ||
        !ht_syntax_unary(loop->children[2], &op, &left))
        return;
    const ht_syntax_variable *counter = ht_syntax_named(left);
    start = counter && counter->declaration && ht_syntax_within(counter->declaration, loop)
                ? ht_syntax_initializer(counter)
                : NULL;
    if (!start || !ht_syntax_constant(start, &in->first))
        return;
    in->counter = counter;
    in->last = in->first + trips - 1;
}

bool ht_tiled_is_clamped(ht_tiled *t, size_t axis, ht_syntax_list list, size_t begin, size_t end) {
    const ht_syntax_tree *tree = t->c.tree;
    const ht_syntax *index = tree->variables[t->axes[axis].variable].declaration;
    clamping in = {.t = t, .limit = ht_tiled_only_bound(t, axis), .x = t->axes[axis].variable};
    if (!in.limit || !is_int(index) || !is_int(ht_syntax_written(in.limit->bound)))
        return false;
    bool *needed = ht_alloc(tree->variable_count + 1, sizeof *needed);
    in.part = ht_alloc(tree->variable_count + 1, sizeof *in.part);
    in.good = ht_tiled_needs(t, list, begin, end, needed);
    for (size_t v = 0; v < tree->variable_count; ++v) /* computed elsewhere */
        in.good =
            in.good && !(needed[v] && !ht_tiled_is_index(t, v) &&
                         !ht_syntax_within_any(tree->variables[v].declaration, list, begin, end));
    loop_read(&in, list[begin]);
    ht_carried_visit(&t->c, ht_statement_of(list[begin]), on_test, &in);
    for (size_t i = begin; i < end && in.good; ++i)
        ht_syntax_walk(list[i], on_node, &in);
    for (size_t i = begin; i < end && in.good; ++i)
        ht_syntax_walk(list[i], on_place, &in);
    free(in.part);
    free(needed);
    return in.good && in.count > 0;
}
