#include "refactor/transformations/stride_vector/same_place.h"

#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"

enum { DEPTH_MAX = 16 };

/* Returns the value of a variable that the loop declares; NULL: it does not, or changes it. */
static const ht_syntax *own_value(const ht_widening *in, const ht_syntax_variable *variable) {
    return variable->declaration && ht_syntax_within(variable->declaration, in->of->loop)
               ? ht_syntax_kept(variable)
               : NULL;
}

static bool is_same(const ht_widening *in_a, const ht_syntax *a, const ht_widening *in_b,
                    const ht_syntax *b, int depth);

static bool are_parts_same(const ht_widening *in_a, const ht_syntax *a, const ht_widening *in_b,
                           const ht_syntax *b, int depth) {
    bool same = a->count == b->count && a->op == b->op;
    for (size_t i = 0; i < a->count && same; ++i)
        same = a->children[i] && b->children[i] &&
               is_same(in_a, a->children[i], in_b, b->children[i], depth);
    return same;
}

static bool are_names_same(const ht_widening *in_a, const ht_syntax *a, const ht_widening *in_b,
                           const ht_syntax *b) {
    const ht_syntax_variable *one = ht_syntax_named(a), *other = ht_syntax_named(b);
    if (one == in_a->of->counter || other == in_b->of->counter)
        return one == in_a->of->counter && other == in_b->of->counter;
    bool own = one->is_local || one->is_parameter || one->is_constant_name;
    return one == other && own && ht_variable_is_steady(one, NULL);
}

static bool is_same(const ht_widening *in_a, const ht_syntax *a, const ht_widening *in_b,
                    const ht_syntax *b, int depth) {
    a = ht_syntax_strip_implicit(a);
    b = ht_syntax_strip_implicit(b);
    int64_t one, other;
    const ht_syntax *kept = a->kind == HT_SYNTAX_NAME ? own_value(in_a, ht_syntax_named(a)) : NULL;
    if (depth > DEPTH_MAX)
        return false;
    if (kept && ht_syntax_named(a) != in_a->of->counter)
        return is_same(in_a, kept, in_b, b, depth + 1);
    kept = b->kind == HT_SYNTAX_NAME ? own_value(in_b, ht_syntax_named(b)) : NULL;
    if (kept && ht_syntax_named(b) != in_b->of->counter)
        return is_same(in_a, a, in_b, kept, depth + 1);
    if (a->kind != b->kind || a->type != b->type || a->bits != b->bits ||
        a->is_signed != b->is_signed)
        return false;
    switch (a->kind) {
    case HT_SYNTAX_NAME:
        return are_names_same(in_a, a, in_b, b);
    case HT_SYNTAX_CONSTANT:
        return ht_syntax_constant(a, &one) && ht_syntax_constant(b, &other) && one == other;
    case HT_SYNTAX_INDEX:
        return a->op == b->op && a->axis == b->axis;
    case HT_SYNTAX_BINARY:
    case HT_SYNTAX_CAST:
    case HT_SYNTAX_DEREFERENCE:
    case HT_SYNTAX_SUBSCRIPT:
    case HT_SYNTAX_UNARY:
        return are_parts_same(in_a, a, in_b, b, depth);
    default:
        return false;
    }
}

bool ht_same_value(const ht_widening *in_a, const ht_syntax *a, const ht_widening *in_b,
                   const ht_syntax *b) {
    return is_same(in_a, a, in_b, b, 0);
}

bool ht_same_iterations(const ht_widening *a, const ht_widening *b) {
    const ht_syntax_variable *one = a->of->counter, *other = b->of->counter;
    const ht_syntax *left, *bound_a, *bound_b;
    int op_a, op_b;
    return a->of->loop->parent == a->c.tree->body && b->of->loop->parent == b->c.tree->body &&
           one->declaration->bits >= 32 && one->declaration->bits == other->declaration->bits &&
           one->declaration->is_signed == other->declaration->is_signed &&
           ht_same_value(a, a->of->start, b, b->of->start) &&
           ht_same_value(a, a->of->step, b, b->of->step) &&
           ht_syntax_binary(a->of->loop->children[1], &op_a, &left, &bound_a) &&
           ht_syntax_binary(b->of->loop->children[1], &op_b, &left, &bound_b) && op_a == op_b &&
           ht_same_value(a, bound_a, b, bound_b);
}
