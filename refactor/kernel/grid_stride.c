#include "refactor/kernel/grid_stride.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/loops.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"

/* The loop that is looked for. */
typedef struct stride {
    const ht_syntax *loop;
    const ht_syntax_variable *counter;
    const ht_syntax *bound;
} stride;

/* Returns the statement that moves a loop's counter on. */
static const ht_syntax *step_of(const ht_syntax *loop) {
    if (loop->kind == HT_SYNTAX_FOR && loop->children[2])
        return loop->children[2];
    const ht_syntax *body = ht_syntax_body(loop);
    bool block = body && body->kind == HT_SYNTAX_COMPOUND && body->count > 0;
    return block ? body->children[body->count - 1] : NULL;
}

/* Returns true for `i += all threads` and `i = i + all threads`. */
static bool strides(const ht_syntax *statement, const ht_syntax_variable *counter, int axis) {
    ht_loop_step step;
    int of;
    return ht_loop_step_read(statement, counter, &step) && !step.down && step.by &&
           ht_syntax_total(step.by, &of) && of == axis;
}

/* Returns the step without a second variable that it sets to the counter: `i += all, k = i`.
 * *out_copy: that variable, or NULL. NULL: it does something else. */
static const ht_syntax *without_copy(const ht_syntax *step, const ht_syntax_variable *counter,
                                     const ht_syntax_variable **out_copy) {
    const ht_syntax *first, *second, *left, *right;
    int op;
    *out_copy = NULL;
    if (!step || !ht_syntax_binary(step, &op, &first, &second) || op != HT_BINARY_COMMA)
        return step;
    const ht_syntax_variable *copy =
        ht_syntax_binary(second, &op, &left, &right) ? ht_syntax_named(left) : NULL;
    bool copies = copy && copy != counter && op == HT_BINARY_ASSIGN && copy->local &&
                  copy->local->writes == 1 && ht_syntax_named(right) == counter;
    *out_copy = copy;
    return copies ? first : NULL;
}

/* Returns true if the node may leave the loop whose body `context` is. */
static bool leaves(const ht_syntax *node, const void *context) {
    bool jump = node->kind == HT_SYNTAX_RETURN || node->kind == HT_SYNTAX_BREAK;
    return node->kind == HT_SYNTAX_UNKNOWN_STATEMENT || (jump && ht_syntax_escapes(node, context));
}

/* Returns true if an iteration may end those that the thread has left. */
static bool ends_others(const ht_syntax *loop) {
    const ht_syntax *body = ht_syntax_body(loop);
    return ht_syntax_first(body, leaves, body) != NULL;
}

/* Reads a loop over the whole grid. Returns false if it is anything else. */
static bool read_loop(const ht_syntax *loop, int axis, stride *out) {
    const ht_syntax *left, *right;
    int op, of;
    if (loop->kind != HT_SYNTAX_FOR && loop->kind != HT_SYNTAX_WHILE)
        return false;
    const ht_syntax *condition = loop->children[loop->kind == HT_SYNTAX_FOR ? 1 : 0];
    const ht_syntax_variable *own = ht_loop_declared(loop), *copy;
    if (loop->kind == HT_SYNTAX_FOR && loop->children[0] && !own)
        return false;
    if (!ht_syntax_binary(condition, &op, &left, &right))
        return false;
    const ht_syntax_variable *counter = ht_syntax_named(op == HT_BINARY_GT ? right : left);
    const ht_syntax *start = counter ? ht_syntax_initializer(counter) : NULL, *bound;
    if (!ht_loop_bound(condition, counter, &op, &bound) || op != HT_BINARY_LT || !start ||
        !counter->local || counter->local->writes != 1 ||
        ht_syntax_index(start, &of) != HT_INDEX_GLOBAL || of != axis ||
        !strides(without_copy(step_of(loop), counter, &copy), counter, axis) || ends_others(loop))
        return false;
    bool copies = own && own == copy && ht_syntax_named(ht_syntax_initializer(own)) == counter;
    if (own && own != counter && !copies)
        return false;
    *out = (stride){loop, counter, bound};
    return true;
}

/* Returns true if a local declared outside of the loop changes, other than its counter: it would
 * carry values from one iteration to the next, and so depend on the stride. */
static bool carries(const ht_model *model, const ht_syntax_variable *counter) {
    const ht_syntax_tree *tree = ht_syntax_of(model);
    for (size_t i = 0; i < model->parameters.count; ++i)
        if (model->parameters.items[i].is_assigned)
            return true;
    for (size_t i = 0; i < tree->variable_count; ++i) {
        const ht_syntax_variable *variable = &tree->variables[i];
        if (variable != counter && variable->local && variable->local->writes > 0 &&
            variable->declaration && variable->declaration->parent->parent == tree->body)
            return true;
    }
    return false;
}

const ht_syntax *ht_grid_stride_bound(const ht_model *model, int axis) {
    const ht_syntax *body = ht_syntax_of(model)->body;
    const ht_index_uses *uses = &model->facts->uses[axis];
    stride found = {0};
    size_t loops = 0;
    for (size_t i = 0; i < body->count; ++i) {
        const ht_syntax *statement = body->children[i];
        if (read_loop(statement, axis, &found))
            ++loops;
        else if (statement->kind != HT_SYNTAX_DECLARATION && statement->kind != HT_SYNTAX_EMPTY &&
                 !(statement->kind == HT_SYNTAX_RETURN && i + 1 == body->count))
            return NULL;
    }
    bool alone = loops == 1 && uses->global == 1 && uses->total == 1;
    return alone && !carries(model, found.counter) ? found.bound : NULL;
}
