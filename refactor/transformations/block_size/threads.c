#include "refactor/transformations/block_size/threads.h"

#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"

#include <string.h>

enum { DEPTH_MAX = 16 };

/* ---- the first thread ---- */

static bool is_first_index(const ht_syntax *a, const ht_syntax *b) {
    int axis;
    int64_t value;
    return ht_syntax_index(a, &axis) == HT_INDEX_THREAD && axis == 0 &&
           ht_syntax_constant(b, &value) && value == 0;
}

/* threadIdx.x == 0, !threadIdx.x */
static bool asks_first(const ht_syntax *condition) {
    const ht_syntax *left, *right;
    int op, axis;
    if (ht_syntax_binary(condition, &op, &left, &right))
        return op == HT_BINARY_EQ && (is_first_index(left, right) || is_first_index(right, left));
    return ht_syntax_unary(condition, &op, &left) && op == HT_UNARY_NOT &&
           ht_syntax_index(left, &axis) == HT_INDEX_THREAD && axis == 0;
}

typedef struct outer_changes {
    const ht_syntax *scope;
    bool found;
} outer_changes;

static void on_outer_change(const ht_syntax *name, const ht_syntax *change, void *context) {
    (void)change;
    outer_changes *in = context;
    const ht_syntax_variable *variable = ht_syntax_named(name);
    bool shared = variable->space == HT_SPACE_SHARED;
    in->found |=
        !shared && !(variable->declaration && ht_syntax_within(variable->declaration, in->scope));
}

bool ht_is_first_thread(const ht_syntax *statement) {
    if (statement->kind != HT_SYNTAX_IF || statement->parent != statement->tree->body ||
        statement->children[2] || !asks_first(statement->children[0]))
        return false;
    outer_changes in = {statement, false};
    ht_syntax_changes(statement->children[1], on_outer_change, &in);
    return !in.found;
}

/* ---- what depends on the block's threads ---- */

typedef struct tainting {
    const ht_syntax_tree *tree; /* the whole tree */
    int depth;
} tainting;

static bool is_tainted(const ht_syntax *node, const void *context);

/* Returns true if a variable is declared with a value that depends on the thread or the block. */
static bool is_derived(const tainting *in, const ht_syntax_variable *variable) {
    const ht_syntax *value = variable->is_local ? ht_syntax_initializer(variable) : NULL;
    if (!value || in->depth >= DEPTH_MAX)
        return in->depth >= DEPTH_MAX;
    const tainting inner = {in->tree, in->depth + 1};
    return ht_syntax_first(value, is_tainted, &inner) != NULL;
}

static bool is_tainted_call(const tainting *in, const ht_syntax *node) {
    const ht_syntax_call *call = node->call;
    if (call->class == HT_CALLEE_WAVEFRONT || call->class == HT_CALLEE_GROUPS)
        return true;
    if (call->function == SIZE_MAX || call->function >= in->tree->function_count)
        return call->of_user && call->class != HT_CALLEE_PURE;
    const ht_syntax *body = in->tree->functions[call->function].body;
    if (!body || in->depth >= DEPTH_MAX)
        return true;
    const tainting inner = {in->tree, in->depth + 1};
    return ht_syntax_first(body, is_tainted, &inner) != NULL;
}

/* Returns true if it depends on which thread runs it, or on the number of threads, or if threads
 * meet at it inside of a function. */
static bool is_tainted(const ht_syntax *node, const void *context) {
    const tainting *in = context;
    if (node->kind == HT_SYNTAX_INDEX)
        return node->axis == 0 && (node->op == HT_INDEX_THREAD || node->op == HT_INDEX_BLOCK_DIM);
    if (node->kind == HT_SYNTAX_NAME) {
        const ht_syntax_variable *variable = ht_syntax_named(node);
        bool shared = variable->space == HT_SPACE_SHARED;
        return strcmp(variable->name, "warpSize") == 0 || (in->depth > 0 && shared) ||
               is_derived(in, variable);
    }
    return node->kind == HT_SYNTAX_CALL &&
           (is_tainted_call(in, node) || (in->depth > 0 && node->call->is_barrier));
}

const ht_syntax *ht_threads_named(const ht_syntax *node) {
    const tainting in = {node->tree, 0};
    return ht_syntax_first(node, is_tainted, &in);
}

bool ht_threads_called(const ht_syntax *call) {
    const tainting in = {call->tree, 0};
    return is_tainted_call(&in, call);
}
