#include "refactor/transformations/tile_constant/tile_access.h"
#include "base/memory.h"
#include "refactor/kernel/expression.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/tile_constant/tile.h"

#include <stdlib.h>
#include <string.h>

enum { CONDITIONS_MAX = 64, DEPTH_MAX = 24 };

/* A condition that holds (with `negated`: does not hold) at an access. */
typedef struct condition {
    const ht_syntax *node;
    bool negated;
} condition;

typedef struct scanning {
    const ht_syntax_tree *tree;
    ht_access_facts *facts;
    condition conditions[CONDITIONS_MAX];
    size_t count;
    bool lost; /* too deep or of an unknown form: nothing is proved */
    int budget;
} scanning;

/* ---- expressions that depend on an axis ---- */

typedef struct assigned {
    scanning *in;
    const ht_syntax_variable *variable;
    int axis, depth;
} assigned;

static bool depends(scanning *in, const ht_syntax *node, int axis, int depth);

static bool is_assigned(const ht_syntax *node, const void *context) {
    const assigned *search = context;
    return node->kind == HT_SYNTAX_ASSIGN &&
           ht_syntax_named(node->children[0]) == search->variable &&
           depends(search->in, node->children[1], search->axis, search->depth + 1);
}

static bool variable_depends(scanning *in, const ht_syntax_variable *variable, int axis,
                             int depth) {
    if (!variable->local)
        return false;
    if (depends(in, ht_syntax_initializer(variable), axis, depth + 1))
        return true;
    const assigned search = {in, variable, axis, depth};
    return variable->local->writes > 0 && ht_syntax_first(in->tree->body, is_assigned, &search);
}

static bool depends(scanning *in, const ht_syntax *node, int axis, int depth) {
    int of;
    if (!node)
        return false;
    if (--in->budget < 0 || depth > DEPTH_MAX)
        return true;
    ht_index_kind kind = ht_syntax_builtin(node, false, &of);
    if (kind == HT_INDEX_THREAD || kind == HT_INDEX_BLOCK)
        return of == axis;
    if (node->kind == HT_SYNTAX_NAME && variable_depends(in, ht_syntax_named(node), axis, depth))
        return true;
    for (size_t i = 0; i < node->count; ++i)
        if (depends(in, node->children[i], axis, depth))
            return true;
    return false;
}

/* ---- bounds in conditions ---- */

typedef struct bound_search {
    scanning *in;
    int axis;
    bool bounded; /* a value that depends on the axis is bounded from above */
    char *global; /* the bound of the global index itself; owned */
} bound_search;

static void note_bound(bound_search *search, const ht_syntax *value, const ht_syntax *bound,
                       bool inclusive) {
    int axis;
    if (!depends(search->in, value, search->axis, 0) || depends(search->in, bound, search->axis, 0))
        return;
    search->bounded = true;
    if (search->global || ht_syntax_index(value, &axis) != HT_INDEX_GLOBAL || axis != search->axis)
        return;
    char *text = ht_syntax_expression(bound);
    if (text)
        search->global = inclusive ? ht_format("%s + 1", text) : ht_strdup(text);
    free(text);
}

static void read_condition(bound_search *search, const ht_syntax *expression, bool negated) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    if (node->kind == HT_SYNTAX_UNARY && node->op == HT_UNARY_NOT) {
        read_condition(search, node->children[0], !negated);
        return;
    }
    if (node->kind != HT_SYNTAX_BINARY)
        return;
    const ht_syntax *left = node->children[0], *right = node->children[1];
    if (node->op == (negated ? HT_BINARY_OR : HT_BINARY_AND)) {
        read_condition(search, left, negated);
        read_condition(search, right, negated);
    } else if (node->op == (negated ? HT_BINARY_GE : HT_BINARY_LT))
        note_bound(search, left, right, false);
    else if (node->op == (negated ? HT_BINARY_GT : HT_BINARY_LE))
        note_bound(search, left, right, true);
    else if (node->op == (negated ? HT_BINARY_LE : HT_BINARY_GT))
        note_bound(search, right, left, false);
    else if (node->op == (negated ? HT_BINARY_LT : HT_BINARY_GE))
        note_bound(search, right, left, true);
}

static bound_search bounds(scanning *in, int axis) {
    bound_search search = {in, axis, false, NULL};
    for (size_t i = 0; i < in->count; ++i)
        read_condition(&search, in->conditions[i].node, in->conditions[i].negated);
    return search;
}

/* ---- accesses ---- */

static void note_store(scanning *in) {
    for (int axis = 0; axis < 3; ++axis) {
        bound_search found = bounds(in, axis);
        char **bound = &in->facts->store_bound[axis];
        if (!found.global || (*bound && strcmp(*bound, found.global) != 0)) {
            free(*bound);
            *bound = ht_strdup("?"); /* never matches again */
            free(found.global);
        } else if (!*bound)
            *bound = found.global;
        else
            free(found.global);
    }
}

static void note_load(scanning *in, const ht_syntax *access) {
    for (int axis = 0; axis < 3; ++axis) {
        if (!depends(in, access, axis, 0))
            continue;
        bound_search found = bounds(in, axis);
        in->facts->loads_bounded[axis] = in->facts->loads_bounded[axis] && found.bounded;
        free(found.global);
    }
}

static const ht_syntax *base_of(const ht_syntax *expression) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    while (node->kind == HT_SYNTAX_SUBSCRIPT)
        node = ht_syntax_strip_whole(node->children[0]);
    return node;
}

const ht_syntax_variable *ht_tile_root(const ht_syntax *element) {
    return ht_syntax_named(base_of(element));
}

/* Returns true for accesses to global memory, as opposed to arrays of the kernel (shared,
 * local). */
static bool is_global_access(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_DEREFERENCE ||
           (node->kind == HT_SYNTAX_SUBSCRIPT && !base_of(node)->is_array);
}

static void scan(scanning *in, const ht_syntax *node, bool stored, int depth);

static void push(scanning *in, const ht_syntax *node, bool negated) {
    if (in->count < CONDITIONS_MAX)
        in->conditions[in->count++] = (condition){node, negated};
}

static bool leaves(const ht_syntax *statement) {
    if (statement->kind == HT_SYNTAX_COMPOUND)
        return statement->count && leaves(statement->children[statement->count - 1]);
    return ht_syntax_is_jump(statement);
}

static void scan_branches(scanning *in, const ht_syntax *node, int depth) {
    size_t count = in->count;
    scan(in, node->children[0], false, depth);
    for (size_t i = 1; i < 3; ++i) {
        push(in, node->children[0], i == 2);
        scan(in, node->children[i], false, depth);
        in->count = count;
    }
}

static void scan_compound(scanning *in, const ht_syntax *node, int depth) {
    size_t count = in->count;
    for (size_t i = 0; i < node->count; ++i) {
        const ht_syntax *statement = node->children[i];
        scan(in, statement, false, depth);
        if (statement->kind == HT_SYNTAX_IF && !statement->children[2] &&
            leaves(statement->children[1]))
            push(in, statement->children[0], true);
    }
    in->count = count;
}

static void scan_binary(scanning *in, const ht_syntax *node, int depth) {
    size_t count = in->count;
    scan(in, node->children[0], node->kind == HT_SYNTAX_ASSIGN, depth);
    if (node->op == HT_BINARY_AND || node->op == HT_BINARY_OR)
        push(in, node->children[0], node->op == HT_BINARY_OR);
    scan(in, node->children[1], false, depth);
    in->count = count;
}

/* Returns true if a call passes a pointer other than an array of the kernel or a part of one. */
static bool passes_pointer(const ht_syntax *call) {
    for (size_t i = 0; i < (size_t)call->op; ++i) {
        const ht_syntax *base = base_of(call->children[i]);
        bool own = base->kind == HT_SYNTAX_NAME && base->is_array;
        if (call->children[i]->type == HT_TYPE_POINTER && !own)
            return true;
    }
    return false;
}

static void scan(scanning *in, const ht_syntax *node, bool stored, int depth) {
    if (depth > 200)
        in->lost = true;
    if (!node || in->lost)
        return;
    if (node->kind == HT_SYNTAX_IF || node->kind == HT_SYNTAX_CONDITIONAL)
        scan_branches(in, node, depth + 1);
    else if (node->kind == HT_SYNTAX_COMPOUND)
        scan_compound(in, node, depth + 1);
    else if (node->kind == HT_SYNTAX_BINARY || node->kind == HT_SYNTAX_ASSIGN)
        scan_binary(in, node, depth + 1);
    else {
        bool passes = node->kind == HT_SYNTAX_CALL && passes_pointer(node);
        if (passes || (stored && is_global_access(node)))
            note_store(in);
        if (passes || is_global_access(node))
            note_load(in, node);
        bool through = node->kind == HT_SYNTAX_PAREN || node->kind == HT_SYNTAX_MEMBER ||
                       (node->kind == HT_SYNTAX_CAST && !node->written);
        for (size_t i = 0; i < node->count; ++i)
            scan(in, node->children[i], stored && through, depth + 1);
    }
}

/* ---- functions that the kernel calls ---- */

typedef struct function_search {
    /* it accesses memory, or gets places in the block, that its arguments do not show */
    bool finds;
    bool stores;
} function_search;

static bool on_function(const ht_syntax *node, void *context) {
    function_search *in = context;
    int axis;
    if (!ht_syntax_is_expression(node))
        return true;
    if (ht_syntax_builtin(node, false, &axis) != HT_INDEX_NONE)
        in->finds = true;
    if (node->kind == HT_SYNTAX_NAME) {
        const ht_syntax_variable *variable = ht_syntax_named(node);
        bool global = !variable->is_local && !variable->is_parameter && !variable->is_shared;
        in->finds =
            in->finds || (global && (variable->is_reference || variable->type == HT_TYPE_POINTER ||
                                     variable->type == HT_TYPE_OTHER));
    }
    bool writes = node->kind == HT_SYNTAX_ASSIGN || node->kind == HT_SYNTAX_STEP;
    if (writes && !ht_syntax_named(node->children[0]))
        in->stores = true;
    for (size_t i = 0; node->kind == HT_SYNTAX_CALL && i < (size_t)node->op; ++i)
        in->stores = in->stores ||
                     (node->children[i]->type == HT_TYPE_POINTER && !node->children[i]->is_array);
    return true;
}

static function_search look_at_functions(const ht_model *model) {
    const ht_syntax *all = ht_syntax_whole(model)->all;
    function_search in = {false, false};
    for (size_t i = 1; i < all->count; ++i)
        ht_syntax_walk(all->children[i], on_function, &in);
    return in;
}

bool ht_tile_functions_store(const ht_tiles *tiles) {
    return look_at_functions(tiles->model).stores;
}

void ht_tile_accesses(const ht_tiles *tiles, ht_access_facts *out_facts) {
    *out_facts = (ht_access_facts){{NULL}, {true, true, true}};
    scanning in = {.tree = ht_syntax_whole(tiles->model), .facts = out_facts, .budget = 200000};
    scan(&in, in.tree->body, false, 0);
    bool elsewhere = look_at_functions(tiles->model).finds;
    for (int axis = 0; axis < 3; ++axis) {
        char **bound = &out_facts->store_bound[axis];
        if (*bound && (in.lost || in.budget < 0 || strcmp(*bound, "?") == 0)) {
            free(*bound);
            *bound = NULL;
        }
        if (in.lost || in.budget < 0 || elsewhere)
            out_facts->loads_bounded[axis] = false;
    }
}
