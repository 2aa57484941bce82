#include "refactor/kernel/loops.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"

#include <stdlib.h>

/* Returns the variable that a loop begins with, and its first value. */
static const ht_syntax_variable *loop_variable(const ht_syntax *init, const ht_syntax **out_start) {
    const ht_syntax *left;
    int op;
    if (init->kind == HT_SYNTAX_DECLARATION) {
        const ht_syntax_variable *variable =
            init->count == 1 ? ht_syntax_named(init->children[0]) : NULL;
        *out_start = ht_syntax_initializer(variable);
        return variable;
    }
    return ht_syntax_binary(init, &op, &left, out_start) && op == HT_BINARY_ASSIGN
               ? ht_syntax_named(left)
               : NULL;
}

/* Returns true if the increment is ++i, i++ or i += C. */
static bool loop_step(const ht_syntax *increment, const ht_syntax_variable *variable,
                      int64_t *out_step) {
    const ht_syntax *left, *right;
    int op;
    *out_step = 1;
    if (ht_syntax_unary(increment, &op, &left))
        return (op == HT_UNARY_PRE_INC || op == HT_UNARY_POST_INC) &&
               ht_syntax_named(left) == variable;
    return ht_syntax_binary(increment, &op, &left, &right) && op == HT_BINARY_ADD_ASSIGN &&
           ht_syntax_named(left) == variable &&
           ht_syntax_evaluate(ht_syntax_strip(right), out_step) && *out_step > 0;
}

bool ht_syntax_trip_count(const ht_syntax *loop, int64_t *out_trip) {
    const ht_syntax *start = NULL, *left, *right;
    if (loop->kind != HT_SYNTAX_FOR || !loop->begins || !loop->children[0] || !loop->children[1] ||
        !loop->children[2])
        return false;
    const ht_syntax_variable *variable = loop_variable(loop->children[0], &start);
    int64_t from, to, step;
    int op;
    if (!variable || !start || !ht_syntax_constant(start, &from) ||
        !ht_syntax_binary(loop->children[1], &op, &left, &right) ||
        ht_syntax_named(left) != variable || !ht_syntax_constant(right, &to) ||
        !loop_step(loop->children[2], variable, &step))
        return false;
    if (op == HT_BINARY_LE)
        ++to;
    else if (op != HT_BINARY_LT && !(op == HT_BINARY_NE && step == 1))
        return false;
    if (ht_syntax_changes_variable(ht_syntax_body(loop), variable->index) || to <= from ||
        to - from > 1000000)
        return false;
    *out_trip = (to - from + step - 1) / step;
    return true;
}
