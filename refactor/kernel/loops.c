#include "refactor/kernel/loops.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/source/operators.h"

/* ---- counters ---- */

const ht_syntax_variable *ht_loop_declared(const ht_syntax *loop) {
    const ht_syntax *init = loop->kind == HT_SYNTAX_FOR ? loop->children[0] : NULL;
    bool declares = init && init->kind == HT_SYNTAX_DECLARATION && init->count > 0;
    return declares ? ht_syntax_named(init->children[0]) : NULL;
}

const ht_syntax_variable *ht_loop_counter(const ht_syntax *loop) {
    const ht_syntax_variable *first = ht_loop_declared(loop);
    return first && loop->children[0]->count == 1 ? first : NULL;
}

/* ---- bounds ---- */

bool ht_loop_bound(const ht_syntax *condition, const ht_syntax_variable *counter, int *out_op,
                   const ht_syntax **out_bound) {
    const ht_syntax *left, *right;
    if (!counter || !ht_syntax_binary(condition, out_op, &left, &right) ||
        !ht_operator_compares(*out_op))
        return false;
    bool mirrored = ht_syntax_named(left) != counter;
    if (mirrored)
        *out_op = ht_operator_mirrored(*out_op);
    *out_bound = mirrored ? left : right;
    return !mirrored || ht_syntax_named(right) == counter;
}

/* ---- steps ---- */

/* Reads i + BY, BY + i and i - BY, which no cast narrows. */
static bool read_sum(const ht_syntax *value, const ht_syntax_variable *counter, ht_loop_step *out) {
    const ht_syntax *left, *right;
    int op;
    const ht_syntax *sum = ht_syntax_strip_implicit(value);
    if (sum->kind != HT_SYNTAX_BINARY || !ht_syntax_binary(sum, &op, &left, &right) ||
        (op != HT_BINARY_ADD && op != HT_BINARY_SUB))
        return false;
    bool first = ht_syntax_named(left) == counter;
    *out = (ht_loop_step){.down = op == HT_BINARY_SUB, .by = first ? right : left};
    return first || (op == HT_BINARY_ADD && ht_syntax_named(right) == counter);
}

bool ht_loop_step_read(const ht_syntax *statement, const ht_syntax_variable *counter,
                       ht_loop_step *out_step) {
    const ht_syntax *left, *right;
    int op;
    *out_step = (ht_loop_step){0};
    if (ht_syntax_unary(statement, &op, &left)) {
        bool up = op == HT_UNARY_PRE_INC || op == HT_UNARY_POST_INC;
        out_step->down = op == HT_UNARY_PRE_DEC || op == HT_UNARY_POST_DEC;
        return (up || out_step->down) && ht_syntax_named(left) == counter;
    }
    if (!ht_syntax_binary(statement, &op, &left, &right) || ht_syntax_named(left) != counter)
        return false;
    if (op == HT_BINARY_ASSIGN)
        return read_sum(right, counter, out_step);
    *out_step = (ht_loop_step){.down = op == HT_BINARY_SUB_ASSIGN, .by = right};
    return op == HT_BINARY_ADD_ASSIGN || out_step->down;
}

bool ht_loop_step_constant(const ht_loop_step *step, int64_t *out_by) {
    *out_by = 1;
    return !step->by || (ht_syntax_evaluate(ht_syntax_strip(step->by), out_by) && *out_by > 0);
}

/* ---- trip counts ---- */

/* Returns the variable that a loop begins with, and its first value. */
static const ht_syntax_variable *loop_variable(const ht_syntax *loop, const ht_syntax **out_start) {
    const ht_syntax_variable *declared = ht_loop_counter(loop);
    const ht_syntax *left;
    int op;
    if (declared) {
        *out_start = ht_syntax_initializer(declared);
        return declared;
    }
    return ht_syntax_binary(loop->children[0], &op, &left, out_start) && op == HT_BINARY_ASSIGN
               ? ht_syntax_named(left)
               : NULL;
}

bool ht_syntax_trip_count(const ht_syntax *loop, int64_t *out_trip) {
    const ht_syntax *start = NULL, *bound;
    ht_loop_step step;
    int64_t from, to, by;
    int op;
    if (loop->kind != HT_SYNTAX_FOR || !loop->begins)
        return false;
    const ht_syntax_variable *variable = loop_variable(loop, &start);
    if (!variable || !start || !ht_syntax_constant(start, &from) ||
        !ht_loop_bound(loop->children[1], variable, &op, &bound) ||
        !ht_syntax_constant(bound, &to) || !ht_loop_step_read(loop->children[2], variable, &step) ||
        step.down || !ht_loop_step_constant(&step, &by))
        return false;
    if (op == HT_BINARY_LE)
        ++to;
    else if (op != HT_BINARY_LT && !(op == HT_BINARY_NE && by == 1))
        return false;
    if (ht_syntax_changes_variable(ht_syntax_body(loop), variable->index) || to <= from ||
        to - from > 1000000)
        return false;
    *out_trip = (to - from + by - 1) / by;
    return true;
}
