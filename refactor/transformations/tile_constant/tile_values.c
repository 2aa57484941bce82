#include "refactor/transformations/tile_constant/tile_values.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/tile_constant/tile.h"
#include "refactor/transformations/tile_constant/tile_checks.h"
#include "refactor/transformations/tile_constant/tile_expression.h"

enum { DEPTH_MAX = 24, BUDGET = 20000 };

typedef struct values {
    const ht_tiles *tiles;
    ht_plan *plan;
    bool good;
    int budget; /* nodes that may still be visited; once it is spent, nothing is proved */
} values;

static void refuse(values *in, const ht_syntax *node, const char *words) {
    if (in->good)
        ht_plan_remark_place(in->plan, HT_REMARK_MISSED, node->at, "%s", words);
    in->good = false;
}

/* ---- results */

static bool takes_part(values *in, const ht_syntax *expression, int depth);

static bool any_takes_part(values *in, const ht_syntax *node, size_t from, int depth) {
    for (size_t i = from; i < node->count; ++i)
        if (ht_syntax_is_expression(node->children[i]) &&
            takes_part(in, node->children[i], depth + 1))
            return true;
    return false;
}

static bool is_integer(const ht_syntax *node) {
    return node->type == HT_TYPE_INTEGER || node->type == HT_TYPE_BOOL;
}

/* Returns true if a call's value depends on the block. The kernel's own functions are checked by
 * themselves, and integer arguments to them may be places; other functions make a value of their
 * arguments. */
static bool call_takes_part(values *in, const ht_syntax *call, int depth) {
    bool own = ht_syntax_calls_reached(call), found = false;
    for (size_t i = 0; i < (size_t)call->op && !found; ++i)
        found =
            !(own && is_integer(call->children[i])) && takes_part(in, call->children[i], depth + 1);
    return found;
}

/* Returns true if the value depends on the block or on a place in it. A loaded value counts as
 * independent, and a global index is the same with any block. */
static bool takes_part(values *in, const ht_syntax *expression, int depth) {
    const ht_syntax *node = ht_syntax_strip_whole(expression);
    int axis;
    if (depth > DEPTH_MAX || --in->budget < 0)
        return true;
    if (ht_tiles_leaf(in->tiles, node))
        return true;
    ht_index_kind index = ht_syntax_index(node, &axis);
    if (index != HT_INDEX_NONE)
        return index != HT_INDEX_GLOBAL;
    switch (node->kind) {
    case HT_SYNTAX_SUBSCRIPT:
    case HT_SYNTAX_DEREFERENCE:
    case HT_SYNTAX_ADDRESS:
        return false;
    case HT_SYNTAX_CONDITIONAL:
        return any_takes_part(in, node, 1, depth);
    case HT_SYNTAX_CALL:
        return call_takes_part(in, node, depth);
    case HT_SYNTAX_NAME: {
        const ht_syntax_variable *variable = ht_syntax_named(node);
        if (variable->is_parameter && !variable->parameter && is_integer(node))
            return true; /* in a device function: the values of its arguments are not followed */
        const ht_local *local = variable->local;
        if (!local || local->writes > 0 || local->is_array || node->type == HT_TYPE_POINTER)
            return false;
        const ht_syntax *value = ht_syntax_initializer(variable);
        return value && takes_part(in, value, depth + 1);
    }
    default:
        return any_takes_part(in, node, 0, depth);
    }
}

static bool is_memory(const ht_syntax *node) {
    return ht_syntax_is_element(ht_syntax_strip_whole(node));
}

/* ---- halves of halves */

typedef struct bound_search {
    const ht_tiles *tiles;
    const ht_syntax_variable *variable;
} bound_search;

/* Returns true if it compares the variable with what is made of the block's constants. */
static bool is_bound(const ht_syntax *node, const void *context) {
    const bound_search *search = context;
    if (node->kind != HT_SYNTAX_BINARY || node->op < HT_BINARY_LT || node->op > HT_BINARY_NE)
        return false;
    const ht_syntax *left = node->children[0], *right = node->children[1];
    bool first = ht_syntax_named(left) == search->variable;
    bool second = ht_syntax_named(right) == search->variable;
    return (first && ht_tiles_mention(search->tiles, right)) ||
           (second && ht_tiles_mention(search->tiles, left));
}

/* Checks counters that are doubled or halved, from the block or up to it: such loops suit powers of
 * two. */
static void look_at_steps(values *in, const ht_syntax *node, const ht_syntax *left) {
    const ht_tiles *tiles = in->tiles;
    const ht_syntax_variable *variable = ht_syntax_named(left);
    if (!variable || !variable->local || ht_syntax_is_real(left))
        return;
    const bound_search search = {tiles, variable};
    if (ht_syntax_first(ht_syntax_whole(tiles->model)->body, is_bound, &search) ||
        ht_tiles_mention(tiles, ht_syntax_initializer(variable)))
        refuse(in, node, "a counter goes over halves or doubles of the block");
}

/* ---- tiles read backwards */

static void look_at_difference(values *in, const ht_syntax *node) {
    const ht_syntax *left = node->children[0], *right = node->children[1];
    if (ht_tiles_mention(in->tiles, left) && !ht_tile_mentions_thread(left) &&
        ht_tile_mentions_thread(right))
        refuse(in, node, "threads are counted from the end of the block");
}

static bool on_value(const ht_syntax *node, void *context) {
    values *in = context;
    const ht_syntax *value = NULL;
    if (node->kind == HT_SYNTAX_VARIABLE)
        value = ht_syntax_is_real(node) ? node->children[0] : NULL;
    else if (node->kind == HT_SYNTAX_ASSIGN &&
             (ht_syntax_is_real(node->children[0]) || is_memory(node->children[0])))
        value = node->children[1];
    if (value && takes_part(in, value, 0))
        refuse(in, node, "a value is computed from the block's size or a place in it");
    if (node->kind == HT_SYNTAX_ASSIGN &&
        (node->op == HT_BINARY_MUL_ASSIGN || node->op == HT_BINARY_DIV_ASSIGN ||
         node->op == HT_BINARY_SHL_ASSIGN || node->op == HT_BINARY_SHR_ASSIGN))
        look_at_steps(in, node, node->children[0]);
    if (node->kind == HT_SYNTAX_BINARY && node->op == HT_BINARY_SUB)
        look_at_difference(in, node);
    return in->good;
}

bool ht_tile_values_fit(const ht_tiles *tiles, ht_plan *plan) {
    values in = {.tiles = tiles, .plan = plan, .good = true, .budget = BUDGET};
    ht_syntax_walk(ht_syntax_whole(tiles->model)->all, on_value, &in);
    return in.good;
}
