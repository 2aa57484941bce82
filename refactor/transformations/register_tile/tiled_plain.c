/* Outputs of a thread along an index that is blockIdx itself, or blockIdx % n beside blockIdx / n:
 * output channels, most often. The grid stays as it is: of F neighbouring blocks the first computes
 * what all of them would, and the others leave at once. So this needs no guard, and is right for
 * any grid. */
#include "base/memory.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- candidates ---- */

typedef struct candidate {
    ht_node *declaration;
    ht_node *count; /* n; NULL: none */
    int axis;
} candidate;

/* The axis whose blockIdx the expression is, through variables that hold it; -1: none. */
static int block_axis(ht_tiled *t, ht_node *node, int depth) {
    node = ht_node_strip(node);
    if (node->kind == HT_NODE_INDEX && node->op == HT_INDEX_BLOCK)
        return node->axis;
    if (node->kind != HT_NODE_NAME || depth > 4)
        return -1;
    const ht_variable *variable = &t->c.variables[node->variable];
    const ht_node *declaration = variable->declaration;
    if (!declaration || declaration->count != 1 || declaration->type != HT_TYPE_INTEGER ||
        declaration->bits < 32 || !ht_variable_is_constant(&t->c, node->variable))
        return -1;
    return block_axis(t, declaration->children[0], depth + 1);
}

typedef struct count_walk {
    ht_tiled *t;
    bool steady;
} count_walk;

static bool on_count(ht_node *node, void *context) {
    count_walk *walk = context;
    bool known = node->kind == HT_NODE_NAME || node->kind == HT_NODE_CONSTANT ||
                 node->kind == HT_NODE_PAREN || node->kind == HT_NODE_CAST ||
                 node->kind == HT_NODE_BINARY || (node->kind == HT_NODE_MEMBER && !node->arrow);
    walk->steady = walk->steady && known && node->plain;
    if (node->kind == HT_NODE_NAME)
        walk->steady = walk->steady && ht_variable_is_constant(&walk->t->c, node->variable) &&
                       !walk->t->c.variables[node->variable].is_array;
    return walk->steady;
}

static bool same_text(const ht_tiled *t, const ht_node *a, const ht_node *b) {
    const char *text = t->c.model->text;
    size_t length = a->range.end - a->range.begin;
    return b->plain && length == b->range.end - b->range.begin &&
           memcmp(text + a->range.begin, text + b->range.begin, length) == 0;
}

/* Is everything else that depends on this blockIdx the same for the blocks that are joined? */
static bool serves_alone(ht_tiled *t, const candidate *of) {
    ht_coarsen *c = &t->c;
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        bool leaf = (node->kind == HT_NODE_INDEX && node->op == HT_INDEX_BLOCK) ||
                    node->kind == HT_NODE_NAME;
        if (!leaf || block_axis(t, node, 0) != of->axis || ht_node_within(node, of->declaration))
            continue;
        const ht_node *up = node;
        while (up->parent->kind == HT_NODE_PAREN || up->parent->kind == HT_NODE_CAST)
            up = up->parent;
        bool renames = up->parent->kind == HT_NODE_VARIABLE &&
                       ht_variable_is_constant(c, up->parent->variable) &&
                       up->parent->type == HT_TYPE_INTEGER && up->parent->bits >= 32;
        bool named =
            !of->count && node->kind == HT_NODE_NAME && node->variable == of->declaration->variable;
        bool divides = of->count && up->parent->kind == HT_NODE_BINARY &&
                       up->parent->op == CXBinaryOperator_Div && up->parent->children[0] == up &&
                       same_text(t, of->count, up->parent->children[1]);
        if (!renames && !named && !divides)
            return false;
    }
    return true;
}

typedef struct reach_walk {
    const ht_model *model;
    bool found;
} reach_walk;

static bool on_reached(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    reach_walk *walk = context;
    int axis;
    if (clang_isExpression(clang_getCursorKind(cursor)))
        walk->found |= ht_ast_index(walk->model, cursor, &axis) != HT_INDEX_NONE;
    return !walk->found;
}

static bool functions_use_indices(const ht_model *model) {
    reach_walk walk = {.model = model};
    for (size_t i = 1; i < model->facts->reached_count; ++i)
        ht_ast_walk(model->facts->reached[i], on_reached, &walk);
    return walk.found;
}

static bool read_candidate(ht_tiled *t, ht_node *node, candidate *out) {
    ht_coarsen *c = &t->c;
    *out = (candidate){.declaration = node, .axis = -1};
    if (node->kind != HT_NODE_VARIABLE || node->count != 1 || !node->plain ||
        node->parent->parent != c->body || node->type != HT_TYPE_INTEGER || node->bits < 32 ||
        t->part[node->variable] || !ht_variable_is_constant(c, node->variable) ||
        c->variables[node->variable].measured)
        return false;
    ht_node *init = ht_node_strip(node->children[0]);
    if (init->kind == HT_NODE_BINARY && init->op == CXBinaryOperator_Rem) {
        count_walk walk = {t, true};
        out->count = init->children[1];
        ht_node_walk(out->count, on_count, &walk);
        if (!walk.steady)
            return false;
        init = init->children[0];
    }
    out->axis = block_axis(t, init, 0);
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->tiled[i]->axis == out->axis)
            return false;
    return out->axis >= 0 && !c->model->axes[out->axis].uses_thread && serves_alone(t, out);
}

/* ---- is it worth it? ---- */

static size_t loops_inside(const ht_tiled *t) {
    size_t count = 0;
    for (size_t i = 0; i < t->c.node_count; ++i)
        count += ht_node_is_loop(t->c.nodes[i]) && ht_node_apart_root(t->c.nodes[i]);
    return count;
}

/* Is it a sum with the plain index (`counter`: with what changes in a loop) as one of its terms? */
static bool has_term(const ht_tiled *t, ht_node *node, bool counter, int depth) {
    node = ht_node_strip(node);
    if (node->kind == HT_NODE_BINARY && node->op == CXBinaryOperator_Mul)
        return ht_node_strip(node->children[1])->kind == HT_NODE_CONSTANT &&
               has_term(t, node->children[0], counter, depth);
    if (node->kind == HT_NODE_BINARY &&
        (node->op == CXBinaryOperator_Add || node->op == CXBinaryOperator_Sub))
        return has_term(t, node->children[0], counter, depth) ||
               has_term(t, node->children[1], counter, depth);
    if (node->kind != HT_NODE_NAME || depth > 4)
        return false;
    const ht_variable *variable = &t->c.variables[node->variable];
    if (!ht_variable_is_constant((ht_coarsen *)&t->c, node->variable))
        return counter;
    if (node->variable == t->axes[0].variable)
        return !counter;
    return variable->declaration && variable->declaration->count == 1 &&
           has_term(t, variable->declaration->children[0], counter, depth + 1);
}

/* y + r: outputs that lie side by side along the index read the same in other iterations. */
static bool is_window(const ht_tiled *t, const ht_node *node) {
    if (node->kind != HT_NODE_BINARY || node->type != HT_TYPE_INTEGER ||
        (node->op != CXBinaryOperator_Add && node->op != CXBinaryOperator_Sub))
        return false;
    ht_node *left = node->children[0], *right = node->children[1];
    return (has_term(t, left, false, 0) && has_term(t, right, true, 0)) ||
           (has_term(t, right, false, 0) && has_term(t, left, true, 0));
}

static bool is_read(const ht_node *node) {
    const ht_node *parent = node->parent;
    bool target = parent && parent->kind == HT_NODE_ASSIGN && parent->children[0] == node &&
                  parent->op == CXBinaryOperator_Assign;
    return node->kind == HT_NODE_SUBSCRIPT && !node->is_array && !target;
}

/* Notes in `along` what depends on the plain index; true when a read inside of a loop that differs
 * between the other outputs (where threads meet: any) does not, or when the loop's counter is added
 * to the index. */
static bool find_shared(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    bool *varies = ht_alloc(c->node_count + 1, sizeof *varies), shared = false;
    for (size_t i = 0; i < c->node_count; ++i)
        varies[i] = c->nodes[i]->kind == HT_NODE_SUBSCRIPT &&
                    ht_node_share(c, c->nodes[i]) != HT_SHARE_SAME;
    ht_share_reset(c);
    c->variables[t->axes[0].variable].own = true;
    c->variables[t->axes[0].variable].share = HT_SHARE_OWN;
    ht_region_share(c, &t->all);
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        bool expression = node->kind > HT_NODE_VARIABLE, loop = false;
        t->along[i] = expression && ht_node_share(c, node) != HT_SHARE_SAME;
        for (const ht_node *up = node->parent; up; up = up->parent)
            loop |= ht_node_is_loop(up);
        bool read = varies[i] || (c->meets && is_read(node));
        shared |= loop && ((read && !t->along[i]) || is_window(t, node));
    }
    free(varies);
    return shared;
}

static void shift(ht_tiled *t) {
    memmove(&t->tiled[1], &t->tiled[0], t->axis_count * sizeof *t->tiled);
    memmove(&t->axes[1], &t->axes[0], t->axis_count * sizeof *t->axes);
    ++t->axis_count;
}

static void unshift(ht_tiled *t) {
    --t->axis_count;
    memmove(&t->tiled[0], &t->tiled[1], t->axis_count * sizeof *t->tiled);
    memmove(&t->axes[0], &t->axes[1], t->axis_count * sizeof *t->axes);
}

void ht_tiled_cut_again(ht_tiled *t) {
    ht_tiled_uncut(t);
    free(t->again);
    t->again = NULL;
    ht_tiled_cut(t);
    if (!t->c.refused)
        ht_tiled_settle(t);
}

/* Remarks of an attempt that came to nothing are nobody's concern. */
static void forget_remarks(ht_plan *plan, size_t count) {
    while (plan->remarks.count > count) {
        ht_remark *remark = &plan->remarks.items[--plan->remarks.count];
        free(remark->file);
        free(remark->message);
    }
}

static bool attempt(ht_tiled *t, const candidate *of) {
    ht_coarsen *c = &t->c;
    size_t remarks = c->plan->remarks.count, loops = loops_inside(t);
    char *type = ht_variable_type(&c->variables[of->declaration->variable], false);
    if (!type)
        return false;
    shift(t);
    t->tiled[0] = &t->form.plain;
    t->axes[0] =
        (ht_tile_axis){.variable = of->declaration->variable, .type = type, .count = of->count};
    t->form.plain = (ht_tiled_axis){.axis = of->axis,
                                    .variable = of->declaration->cursor,
                                    .name = c->variables[of->declaration->variable].name};
    t->form.has_plain = true;
    ht_tiled_cut_again(t);
    bool done = !c->refused && loops_inside(t) == loops && find_shared(t);
    if (!done) {
        c->refused = false;
        forget_remarks(c->plan, remarks);
        free(type);
        t->form.has_plain = false;
        memset(t->along, 0, c->node_count);
        unshift(t);
    }
    ht_tiled_cut_again(t);
    return done;
}

static void add_param(ht_tiled *t) {
    ht_plan *plan = t->c.plan;
    ht_tiled_axis *axis = &t->form.plain;
    axis->factor = ht_strdup(ht_plan_name_upper(plan, "TILE_", axis->name));
    axis->extent = ht_strdup(axis->factor);
    ht_plan_param(plan, axis->factor, "1, 2, 4, 8", "1");
    ht_plan_require(plan, "%s || %s == 1", t->form.param, axis->factor);
    ht_tiled_name_axis(t, 0);
    axis->low = t->axes[0].has_low ? t->axes[0].low : NULL;
    axis->high = t->axes[0].high;
}

void ht_tiled_add_plain(ht_tiled *t) {
    if (t->axis_count >= HT_TILED_AXES_MAX || functions_use_indices(t->c.model))
        return;
    for (int counted = 1; counted >= 0; --counted) /* blockIdx % n before blockIdx */
        for (size_t i = 0; i < t->c.node_count; ++i) {
            candidate of;
            if (!read_candidate(t, t->c.nodes[i], &of) || (of.count != NULL) != counted ||
                !attempt(t, &of))
                continue;
            add_param(t);
            return;
        }
}

/* ---- writing ---- */

void ht_tiled_write_plain(ht_tiled *t, const ht_node *declaration, ht_writer *writer, size_t like) {
    const ht_tiled_axis *axis = &t->form.plain;
    const ht_tile_axis *of = &t->axes[0];
    char letter = (char)('x' + axis->axis);
    const ht_node *init = declaration->children[0];
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "const %s%s = ", of->type, axis->origin);
    ht_writer_source(writer, init->range.begin, init->range.end);
    ht_writer_printf(writer, ";");
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "if (%s %% ${%s} != 0) return; // another block computes it",
                     axis->origin, axis->factor);
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "%s%s = %s + ${%s - 1};", of->type, axis->high, axis->origin,
                     axis->factor);
    if (axis->low) {
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "%s%s = %s;", of->type, axis->low, axis->origin);
    }
    ht_writer_line(writer, like);
    ht_writer_printf(writer,
                     "if (gridDim.%c - blockIdx.%c < ${%s}) %s = %s + (gridDim.%c - 1 - "
                     "blockIdx.%c);",
                     letter, letter, axis->factor, axis->high, axis->origin, letter, letter);
    if (of->count) {
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "if (%s >= $[%zu,%zu]) %s = $[%zu,%zu] - 1;", axis->high,
                         of->count->range.begin, of->count->range.end, axis->high,
                         of->count->range.begin, of->count->range.end);
    }
}
