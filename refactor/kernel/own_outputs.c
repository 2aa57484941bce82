#include "refactor/kernel/own_outputs.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/expression.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/loops.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/source/conditional.h"
#include "refactor/source/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns the node around parentheses and conversions. */
static const ht_syntax *outward(const ht_syntax *node) {
    while (node->parent &&
           (node->parent->kind == HT_SYNTAX_PAREN || node->parent->kind == HT_SYNTAX_CAST))
        node = node->parent;
    return node;
}

/* Returns the name of a constant that stands for a number of outputs; NULL: it is a number, or
 * anything else. free(). */
static char *constant_name(const ht_syntax *node, int64_t *out_value) {
    const ht_syntax *leaf = ht_syntax_strip(node);
    const ht_syntax_variable *variable = ht_syntax_named(leaf); /* templates keep its name */
    bool constant = leaf->kind == HT_SYNTAX_CONSTANT ||
                    (variable && leaf->kind == HT_SYNTAX_NAME && !variable->is_local &&
                     !variable->is_parameter && !variable->is_template_parameter);
    if (!constant || !ht_syntax_evaluate(leaf, out_value) || *out_value < 2 ||
        leaf->range.begin >= leaf->range.end)
        return NULL;
    char *text = ht_model_text(leaf->tree->model, leaf->range);
    bool word = isalpha((unsigned char)*text) || *text == '_';
    for (const char *at = text; *at; ++at)
        word = word && ht_name_has(*at);
    if (word)
        return text;
    free(text);
    return NULL;
}

static bool is_constant(const ht_own_outputs *of, const ht_syntax *node) {
    int64_t value;
    char *name = constant_name(node, &value);
    bool same = name && strcmp(name, of->name) == 0 && value == of->count;
    free(name);
    return same;
}

/* Returns the only whole global index along an axis; NULL: there is none, or there are several. */
static const ht_syntax *only_global(const ht_syntax_tree *tree, int axis) {
    const ht_syntax *found = NULL;
    for (size_t i = 0; i < tree->count; ++i)
        if (tree->nodes[i]->kind == HT_SYNTAX_GLOBAL && tree->nodes[i]->axis == axis) {
            if (found)
                return NULL;
            found = tree->nodes[i];
        }
    return found;
}

/* Finds `T x0 = GLOBAL * NAME`. */
static bool first_find(const ht_syntax_tree *tree, int axis, ht_own_outputs *out) {
    const ht_syntax *global = only_global(tree, axis), *left, *right;
    int op;
    if (!global)
        return false;
    const ht_syntax *operand = outward(global), *product = operand->parent;
    if (!product || !ht_syntax_binary(product, &op, &left, &right) || op != HT_BINARY_MUL)
        return false;
    out->name = constant_name(ht_syntax_strip(left) == global ? right : left, &out->count);
    const ht_syntax *whole = outward(product), *declared = whole->parent;
    if (!out->name || !declared || declared->kind != HT_SYNTAX_VARIABLE ||
        declared->children[0] != whole || declared->bits < 32)
        return false;
    out->first = declared->variable;
    const ht_syntax_variable *first = &tree->variables[out->first];
    return !first->changed && first->type == HT_TYPE_INTEGER && !first->is_reference &&
           !first->is_static;
}

/* ---- the loop ---- */

/* Returns true for ++x and x += 1. */
static bool is_step(const ht_syntax *node, const ht_syntax_variable *counter) {
    ht_loop_step step;
    int64_t by;
    return ht_loop_step_read(node, counter, &step) && !step.down &&
           ht_loop_step_constant(&step, &by) && by == 1;
}

/* Returns true for a sum, or a difference, of two variables or of one and the constant. */
static bool is_of(const ht_own_outputs *of, const ht_syntax *node, int wanted, size_t left_variable,
                  size_t right_variable) {
    const ht_syntax_variable *variables = of->loop->tree->variables;
    const ht_syntax *left, *right;
    int op;
    return ht_syntax_binary(node, &op, &left, &right) && op == wanted &&
           ht_syntax_named(left) == &variables[left_variable] &&
           (right_variable == SIZE_MAX ? is_constant(of, right)
                                       : ht_syntax_named(right) == &variables[right_variable]);
}

/* Returns true for x - x0 < NAME and for x < x0 + NAME. */
static bool is_count(const ht_own_outputs *of, int op, const ht_syntax *left,
                     const ht_syntax *right) {
    if (op != HT_BINARY_LT)
        return false;
    if (ht_syntax_named(left) == &of->loop->tree->variables[of->counter])
        return is_of(of, right, HT_BINARY_ADD, of->first, SIZE_MAX);
    return is_of(of, left, HT_BINARY_SUB, of->counter, of->first) && is_constant(of, right);
}

/* Reads the parts of the loop's condition. *counted: it counts the outputs. Returns false for one
 * that may hold again after it did not. */
static bool read_condition(ht_own_outputs *of, const ht_syntax *condition, bool *counted) {
    const ht_syntax *left = NULL, *right = NULL;
    int op = HT_BINARY_INVALID;
    bool binary = ht_syntax_binary(condition, &op, &left, &right);
    if (binary && op == HT_BINARY_AND)
        return read_condition(of, left, counted) && read_condition(of, right, counted);
    if (binary && is_count(of, op, left, right)) {
        of->test = ht_syntax_strip(condition);
        *counted = true;
        return true;
    }
    const ht_syntax_variable *counter = &of->loop->tree->variables[of->counter];
    if (!ht_syntax_mentions(condition, of->counter))
        return !ht_syntax_mentions(condition, of->first);
    if (!ht_loop_bound(condition, counter, &op, &right) || ht_syntax_mentions(right, of->counter) ||
        ht_syntax_mentions(right, of->first) || (op != HT_BINARY_LT && op != HT_BINARY_LE))
        return false;
    of->bound = of->bound ? of->bound : right;
    of->inclusive = of->bound == right ? op == HT_BINARY_LE : of->inclusive;
    return true;
}

/* Returns true for x0 in `if (x0 >= W || ...) return;` ahead of the loop, which has no output for
 * such a thread. */
static bool is_guard(const ht_own_outputs *of, const ht_syntax *name) {
    const ht_syntax *operand = outward(name), *test = operand->parent, *left, *right;
    int op;
    if (!of->bound || !test || !ht_syntax_binary(test, &op, &left, &right) ||
        op != (of->inclusive ? HT_BINARY_GT : HT_BINARY_GE) || ht_syntax_strip(left) != name)
        return false;
    bool same = ht_syntax_is_same_text(right, of->bound);
    const ht_syntax *whole = outward(test), *up = whole->parent;
    while (same && up && ht_syntax_binary(up, &op, &left, &right) && op == HT_BINARY_OR) {
        whole = outward(up);
        up = whole->parent;
    }
    return same && up && up->kind == HT_SYNTAX_IF && up->children[0] == whole && !up->children[2] &&
           ht_syntax_is_return(up->children[1]) && up->parent == of->loop->parent &&
           up->range.end <= of->loop->range.begin;
}

/* Finds the loop whose counter begins with x0, which has no other use but the count of its
 * outputs, and a guard that asks for the first. */
static bool loop_find(const ht_syntax_tree *tree, ht_own_outputs *out) {
    size_t uses = 0;
    for (size_t i = 0; i < tree->count; ++i) {
        const ht_syntax *node = tree->nodes[i];
        if (node->kind != HT_SYNTAX_NAME || node->variable != out->first)
            continue;
        ++uses;
        const ht_syntax *declared = outward(node)->parent;
        const ht_syntax *list =
            declared && declared->kind == HT_SYNTAX_VARIABLE ? declared->parent : NULL;
        bool head = list && list->kind == HT_SYNTAX_DECLARATION && list->count == 1 &&
                    list->parent && list->parent->kind == HT_SYNTAX_FOR &&
                    list->parent->children[0] == list;
        if (head) {
            out->loop = list->parent;
            out->counter = declared->variable;
        }
    }
    bool counted = false;
    if (!out->loop || !out->loop->children[1] ||
        !read_condition(out, out->loop->children[1], &counted) || !counted)
        return false;
    for (size_t i = 0; i < tree->count; ++i)
        uses -= tree->nodes[i]->kind == HT_SYNTAX_NAME && tree->nodes[i]->variable == out->first &&
                is_guard(out, tree->nodes[i]);
    const ht_syntax_variable *counter = &tree->variables[out->counter];
    return uses == 2 && counter->type == HT_TYPE_INTEGER && !counter->is_reference &&
           counter->declaration->bits == tree->variables[out->first].declaration->bits &&
           counter->declaration->is_signed == tree->variables[out->first].declaration->is_signed &&
           is_step(out->loop->children[2], counter) &&
           !ht_syntax_has_change(out->loop->children[1]);
}

/* Returns true if nothing but the loop has an effect, and each thread that has an output comes to
 * it: it stands in the body, or after tests in the body's last statement. */
static bool is_all_work(const ht_syntax_tree *tree, const ht_syntax *loop) {
    for (const ht_syntax *node = loop; node != tree->body; node = node->parent) {
        const ht_syntax *parent = node->parent;
        if (!parent || (parent->kind != HT_SYNTAX_COMPOUND && parent->kind != HT_SYNTAX_IF))
            return false;
        for (size_t i = 0; i < parent->count; ++i)
            if (parent->children[i] && parent->children[i] != node &&
                ht_syntax_has_effect(parent->children[i]))
                return false;
    }
    return true;
}

bool ht_own_outputs_find(const ht_model *model, int axis, ht_own_outputs *out) {
    const ht_axis *of = &model->axes[axis];
    *out = (ht_own_outputs){0};
    if (!of->uses_global || of->uses_thread || of->uses_block || of->uses_grid_dim)
        return false;
    const ht_syntax_tree *tree = ht_syntax_of(model);
    ht_position at;
    bool good = !ht_syntax_unknown(tree, false, &at) &&
                !ht_source_has_conditional(model->facts->source, 0, model->definition.range) &&
                first_find(tree, axis, out) && loop_find(tree, out) && is_all_work(tree, out->loop);
    if (good)
        return true;
    free(out->name);
    *out = (ht_own_outputs){0};
    return false;
}

char *ht_own_outputs_threads(const ht_own_outputs *of, const char *count) {
    char *bound = of->bound ? ht_syntax_expression(of->bound) : NULL;
    char *text =
        bound ? ht_format(of->inclusive ? "ceil_div(%s + 1, %s)" : "ceil_div(%s, %s)", bound, count)
              : NULL;
    free(bound);
    return text;
}
