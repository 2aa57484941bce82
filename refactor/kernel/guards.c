#include "refactor/kernel/guards.h"
#include "base/memory.h"
#include "refactor/kernel/expression.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/own_outputs.h"
#include "refactor/kernel/syntax_origin.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/source/conditional.h"

#include <stdlib.h>

static bool is_impure(const ht_syntax *node, const void *context) {
    (void)context;
    const ht_syntax_call *call = node->call;
    switch (node->kind) {
    case HT_SYNTAX_SUBSCRIPT:
    case HT_SYNTAX_DEREFERENCE:
    case HT_SYNTAX_UNKNOWN:
    case HT_SYNTAX_UNKNOWN_STATEMENT:
        return true;
    case HT_SYNTAX_ASSIGN:
        return node->op != HT_BINARY_ASSIGN;
    case HT_SYNTAX_CALL:
        for (size_t i = 0; i < node->count; ++i)
            if (call->changes[i])
                return true;
        return call->of_user || call->effect != HT_CALL_PURE ||
               (call->class != HT_CALLEE_PURE && call->class != HT_CALLEE_UNKNOWN);
    default:
        return node->arrow;
    }
}

static bool is_pure(const ht_syntax *node) {
    return !ht_syntax_first(node, is_impure, NULL);
}

/* Notes that `index < bound` (or `<=`: `inclusive`) holds for all threads that go on. */
static void note_guard(ht_model *model, int axis, const ht_syntax *bound, bool inclusive) {
    ht_axis *of = &model->axes[axis];
    const ht_syntax *left, *right;
    int64_t one;
    int op;
    if (of->guard)
        return;
    if (inclusive && ht_syntax_binary(bound, &op, &left, &right) && op == HT_BINARY_SUB &&
        ht_syntax_evaluate(ht_syntax_strip(right), &one) && one == 1) {
        bound = left; /* index <= n - 1 */
        inclusive = false;
    }
    char *text = ht_syntax_expression(bound);
    if (!text)
        return;
    of->guard = inclusive ? ht_format("%s + 1", text) : ht_strdup(text);
    of->guard_bound = bound;
    free(text);
}

/* Returns true for a global index, also if a variable holds it here and changes only later. */
static bool is_global_index(const ht_syntax *node, int *out_axis) {
    if (ht_syntax_index(node, out_axis) == HT_INDEX_GLOBAL)
        return true;
    const ht_syntax_variable *variable = ht_syntax_named(ht_syntax_strip_whole(node));
    const ht_local *local = variable ? variable->local : NULL;
    const ht_syntax *first = ht_syntax_initializer(variable);
    return local && first && local->writes > 0 && local->first_write > node->range.end &&
           ht_syntax_index(first, out_axis) == HT_INDEX_GLOBAL;
}

/* Notes the comparisons that a condition makes. `enters`: threads for which it holds go on; else
 * they return. */
static void read_condition(ht_model *model, const ht_syntax *condition, bool enters) {
    const ht_syntax *left, *right;
    int axis, op;
    if (ht_syntax_unary(condition, &op, &left) && op == HT_UNARY_NOT) {
        read_condition(model, left, !enters);
        return;
    }
    if (!ht_syntax_binary(condition, &op, &left, &right))
        return;
    if (op == (enters ? HT_BINARY_AND : HT_BINARY_OR)) {
        read_condition(model, left, enters);
        read_condition(model, right, enters);
        return;
    }
    const ht_syntax *bound = right;
    if (!is_global_index(left, &axis)) {
        if (!is_global_index(right, &axis))
            return;
        bound = left;
        op = ht_operator_mirrored(op);
    }
    if (!enters)
        op = ht_operator_negated(op);
    if (op == HT_BINARY_LT || op == HT_BINARY_LE)
        note_guard(model, axis, bound, op == HT_BINARY_LE);
}

/* Returns true if other builds have code ahead of the statement or in it that may access memory, or
 * call: then the guard does not dominate all accesses there. */
static bool other_build_ends(const ht_model *model, CXCursor statement) {
    const ht_source *source = model->facts->source;
    const ht_tokens *tokens = ht_source_tokens(source, model->definition.file);
    size_t file;
    ht_range range;
    if (!ht_source_range(source, statement, &file, &range) || file != model->definition.file)
        return false;
    for (size_t i = ht_tokens_at(tokens, model->definition.body_range.begin);
         i < tokens->count && tokens->items[i].begin < range.end; ++i)
        if (ht_source_skipped(source, file, tokens->items[i].begin) &&
            (ht_tokens_is(tokens, i, "[") || ht_tokens_is(tokens, i, "(") ||
             ht_tokens_is(tokens, i, "->") || ht_tokens_is(tokens, i, "*") ||
             ht_directive_kind(tokens, i) == HT_DIRECTIVE_INCLUDE))
            return true;
    return false;
}

/* Returns true if the guard, to the end of its condition, is compiled in every build. */
static bool is_unconditional(const ht_model *model, CXCursor statement, CXCursor condition) {
    const ht_source *source = model->facts->source;
    size_t file;
    ht_range whole, asked;
    return ht_source_range(source, statement, &file, &whole) &&
           ht_source_range(source, condition, &file, &asked) &&
           !ht_source_in_conditional(source, file, model->definition.body_range, whole.begin) &&
           !ht_source_has_conditional(source, file, (ht_range){whole.begin, asked.end});
}

/* Looks for a guard in a statement of the body. Returns true if the search may go on after it. */
static bool look_at(ht_model *model, const ht_syntax *statement, bool last) {
    if (other_build_ends(model, ht_syntax_cursor(statement)))
        return false;
    if (statement->kind == HT_SYNTAX_DECLARATION)
        return is_pure(statement);
    if (statement->kind != HT_SYNTAX_IF)
        return statement->kind == HT_SYNTAX_EMPTY;
    const ht_syntax *condition = statement->children[0];
    if (statement->children[2] || !is_pure(condition))
        return false;
    bool go_on = ht_syntax_is_return(statement->children[1]);
    if ((go_on || last) &&
        is_unconditional(model, ht_syntax_cursor(statement), ht_syntax_cursor(condition)))
        read_condition(model, condition, !go_on);
    return go_on;
}

/* Notes that threads past the last one with an output do nothing, where each computes several. */
static void note_outputs(ht_model *model, int axis) {
    ht_own_outputs outputs;
    if (model->axes[axis].guard || !ht_own_outputs_find(model, axis, &outputs))
        return;
    char *count = ht_format("%lld", (long long)outputs.count);
    model->axes[axis].guard = ht_own_outputs_threads(&outputs, count);
    free(count);
    free(outputs.name);
}

void ht_guards_build(ht_model *model) {
    const ht_syntax *body = ht_syntax_of(model)->body;
    size_t count = body->kind == HT_SYNTAX_COMPOUND ? body->count : 0;
    while (count > 0 && (body->children[count - 1]->kind == HT_SYNTAX_EMPTY ||
                         body->children[count - 1]->kind == HT_SYNTAX_RETURN))
        --count;
    for (size_t i = 0; i < count; ++i)
        if (!look_at(model, body->children[i], i + 1 == count))
            break;
    for (int axis = 0; axis < 3; ++axis)
        note_outputs(model, axis);
}
