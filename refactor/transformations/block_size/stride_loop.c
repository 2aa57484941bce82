#include "refactor/transformations/block_size/stride_loop.h"

#include "refactor/kernel/effects.h"
#include "refactor/kernel/loops.h"
#include "refactor/kernel/steady.h"
#include "refactor/kernel/syntax_value.h"

/* ---- one loop ---- */

/* Returns true for the index `kind` of the axis, or a constant multiple of it. */
static bool is_multiple(const ht_syntax *expression, ht_index_kind kind, int wanted,
                        int64_t *out_factor) {
    const ht_syntax *left, *right;
    int axis, op;
    *out_factor = 1;
    if (ht_syntax_index(expression, &axis) == kind)
        return axis == wanted;
    if (!ht_syntax_binary(expression, &op, &left, &right) || op != HT_BINARY_MUL)
        return false;
    if (ht_syntax_constant(left, out_factor)) {
        const ht_syntax *held = left;
        left = right;
        right = held;
    }
    return ht_syntax_constant(right, out_factor) && *out_factor > 0 &&
           ht_syntax_index(left, &axis) == kind && axis == wanted;
}

/* Returns true for i += STEP and i = i + STEP. */
static bool steps_by_block(const ht_syntax *increment, const ht_syntax_variable *variable, int axis,
                           const ht_syntax **out_step, int64_t *out_factor) {
    ht_loop_step step;
    *out_step = ht_loop_step_read(increment, variable, &step) && !step.down ? step.by : NULL;
    return *out_step && is_multiple(*out_step, HT_INDEX_BLOCK_DIM, axis, out_factor);
}

static bool are_all_inside(const ht_syntax_variable *variable, const ht_syntax *scope) {
    for (size_t i = 0; i < variable->tree->count; ++i) {
        const ht_syntax *node = variable->tree->nodes[i];
        if (node->kind == HT_SYNTAX_NAME && node->variable == variable->index &&
            !ht_syntax_within(node, scope))
            return false;
    }
    return true;
}

/* Returns the counter of `for (int i = threadIdx.x; ...; ...)`, or of `for (; ...; ...)` over a
 * variable that only this loop uses. NULL: the loop has another form. */
static const ht_syntax_variable *counter_of(const ht_syntax *loop) {
    const ht_syntax *left, *right;
    int op;
    if (loop->children[0])
        return ht_loop_counter(loop);
    const ht_syntax_variable *variable =
        ht_syntax_binary(loop->children[1], &op, &left, &right) ? ht_syntax_named(left) : NULL;
    return variable && variable->local && variable->local->writes == 1 &&
                   are_all_inside(variable, loop)
               ? variable
               : NULL;
}

/* ---- values carried between iterations ---- */

typedef struct carrying {
    const ht_syntax *loop, *body;
    const ht_syntax_variable *counter;
    const ht_stride_carry *carry;
    bool found;
} carrying;

static bool may_carry(const carrying *in, size_t variable) {
    for (size_t i = 0; in->carry && i < in->carry->count; ++i)
        if (in->carry->variables[i] == variable)
            return true;
    return false;
}

/* Returns true for a variable from outside that each iteration sets before any other use. */
static bool is_set_first(const carrying *in, const ht_syntax_variable *variable) {
    const ht_syntax *left, *right;
    int op;
    if (in->body->kind != HT_SYNTAX_COMPOUND || !are_all_inside(variable, in->body))
        return false;
    for (size_t i = 0; i < in->body->count; ++i)
        if (ht_syntax_mentions(in->body->children[i], variable->index))
            return ht_syntax_binary(in->body->children[i], &op, &left, &right) &&
                   op == HT_BINARY_ASSIGN && ht_syntax_named(left) == variable &&
                   !ht_syntax_mentions(right, variable->index);
    return false;
}

static void on_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    carrying *in = context;
    const ht_syntax_variable *variable = ht_syntax_named(name);
    const ht_local *local = variable->local;
    if (variable == in->counter) /* only its step changes it */
        in->found = true;
    else if (variable->parameter)
        in->found = true;
    else if (local && !local->is_shared && !ht_syntax_within(variable->declaration, in->loop))
        in->found = in->found || local->is_array ||
                    !(is_set_first(in, variable) || may_carry(in, variable->index));
}

static bool is_end(const ht_syntax *node, const void *context) {
    (void)context;
    return node->kind == HT_SYNTAX_RETURN || /* it also ends the later iterations */
           node->kind == HT_SYNTAX_BREAK || node->kind == HT_SYNTAX_UNKNOWN ||
           node->kind == HT_SYNTAX_UNKNOWN_STATEMENT;
}

bool ht_stride_carries(const ht_stride_loop *of, const ht_stride_carry *carry) {
    carrying in = {of->loop, ht_syntax_body(of->loop), of->counter, carry,
                   ht_syntax_first(ht_syntax_body(of->loop), is_end, NULL) != NULL};
    ht_syntax_changes(in.body, on_change, &in);
    return in.found;
}

static bool keeps_value(const ht_syntax_variable *variable, const void *loop) {
    return !ht_syntax_changes_variable(ht_syntax_body(loop), variable->index);
}

/* Returns true for i < BOUND with a bound that the loop does not change. */
static bool has_bound(const ht_syntax *loop, const ht_syntax_variable *counter) {
    const ht_syntax *bound;
    int op;
    return ht_loop_bound(loop->children[1], counter, &op, &bound) &&
           (op == HT_BINARY_LT || op == HT_BINARY_LE) &&
           ht_syntax_is_formula(bound, keeps_value, loop);
}

bool ht_stride_loop_read(const ht_syntax *loop, int axis, ht_stride_loop *out) {
    int64_t from, step;
    *out = (ht_stride_loop){.loop = loop};
    out->counter = loop->kind == HT_SYNTAX_FOR ? counter_of(loop) : NULL;
    out->start = ht_syntax_initializer(out->counter);
    bool strides = out->start && is_multiple(out->start, HT_INDEX_THREAD, axis, &from) &&
                   steps_by_block(loop->children[2], out->counter, axis, &out->step, &step) &&
                   from == step && has_bound(loop, out->counter);
    out->factor = strides ? step : 0;
    return strides;
}
