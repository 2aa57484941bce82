/* The kernel's body cut into guards, what stands in front of them, and the work; and the front of
 * the tiled form: where the block's outputs begin, and which of them the guards let through. */
#include "base/memory.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

#include <stdlib.h>

void ht_tiled_uncut(ht_tiled *t) {
    for (size_t i = 0; i < t->item_count; ++i)
        free(t->items[i].bounds);
    free(t->items);
    free(t->all.statements);
    free(t->work.statements);
    t->items = NULL;
    t->item_count = 0;
    t->all = t->work = (ht_region){0};
    t->leaves = false;
}

static bool is_plain(const ht_tiled *t, const ht_node *node) {
    return t->form.has_plain && node->kind == HT_NODE_VARIABLE &&
           node->variable == t->axes[0].variable;
}

/* ---- guards ---- */

/* The output axis that an expression is the index of, through conversions that keep its value. */
static size_t index_axis(const ht_tiled *t, ht_node *node) {
    ht_node *inner = ht_node_strip(node);
    if (inner->kind != HT_NODE_NAME || !inner->plain)
        return SIZE_MAX;
    for (; node != inner; node = node->children[0])
        if (!node->plain ||
            (node->kind == HT_NODE_CAST && (node->type != HT_TYPE_INTEGER || node->bits < 32)))
            return SIZE_MAX;
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].variable == inner->variable)
            return i;
    return SIZE_MAX;
}

static bool is_comparison(const ht_node *node) {
    return node->kind == HT_NODE_BINARY && node->op >= CXBinaryOperator_LT &&
           node->op <= CXBinaryOperator_NE;
}

/* What the term says of its left side, or of its right side when that is the index. */
static int relation(const ht_node *node, bool negated, bool mirrored) {
    enum CXBinaryOperatorKind op = (enum CXBinaryOperatorKind)node->op;
    if (op == CXBinaryOperator_EQ || op == CXBinaryOperator_NE)
        return (op == CXBinaryOperator_EQ) == negated ? CXBinaryOperator_NE : CXBinaryOperator_EQ;
    op = negated ? ht_ast_negated(op) : op;
    return mirrored ? ht_ast_mirrored(op) : op;
}

/* An index is never negative, so that one that is not 0 is above it. No other (in)equality is a
 * bound. */
static bool as_bound(ht_tiled *t, ht_tile_bound *bound) {
    int64_t value;
    if (bound->op == CXBinaryOperator_EQ)
        return false;
    if (bound->op != CXBinaryOperator_NE)
        return true;
    bound->op = CXBinaryOperator_GT;
    return ht_model_constant(t->c.model, bound->bound->cursor, &value) && value == 0;
}

/* A term of a guard as a bound of an index, or as the same for all outputs. False: neither. */
static bool read_bound(ht_tiled *t, const ht_guard_term *term, ht_tile_bound *out_bound) {
    ht_coarsen *c = &t->c;
    ht_node *node = term->node;
    *out_bound = (ht_tile_bound){.axis = SIZE_MAX, .node = node, .negated = term->negated};
    if (!node->plain || ht_node_has_change(c, node))
        return false;
    if (ht_node_share(c, node) == HT_SHARE_SAME)
        return true;
    node = ht_node_strip(node);
    if (!is_comparison(node))
        return false;
    size_t side = index_axis(t, node->children[0]) != SIZE_MAX ? 0 : 1;
    out_bound->axis = index_axis(t, node->children[side]);
    out_bound->index = node->children[side];
    out_bound->bound = node->children[1 - side];
    out_bound->op = relation(node, term->negated, side == 1);
    return as_bound(t, out_bound) && out_bound->axis != SIZE_MAX && out_bound->bound->plain &&
           out_bound->bound->type == HT_TYPE_INTEGER &&
           ht_node_share(c, out_bound->bound) == HT_SHARE_SAME;
}

static bool is_upper(const ht_tile_bound *bound) {
    return bound->op == CXBinaryOperator_LT || bound->op == CXBinaryOperator_LE;
}

/* if (outside) return; or if (inside) { all that is left }: all of it understood? */
static bool read_guard(ht_tiled *t, ht_node *statement, bool last, ht_tile_item *out_item,
                       bool *out_enters) {
    ht_guard guard = {0};
    *out_item = (ht_tile_item){.node = statement, .guard = true};
    *out_enters = !ht_statement_leaves(statement->children[1]);
    if (statement->children[2] || (*out_enters && !last))
        return false;
    ht_guard_collect(&t->c, statement->children[0], !*out_enters, &guard);
    bool known = true, index = false; /* of an index at all? */
    for (size_t i = 0; i < guard.term_count && known; ++i) {
        ht_tile_bound bound;
        known = read_bound(t, &guard.terms[i], &bound) &&
                ht_node_is_separate(bound.node, statement->children[0]);
        if (known) {
            HT_GROW(out_item->bounds, out_item->bound_count);
            out_item->bounds[out_item->bound_count++] = bound;
            index |= bound.axis != SIZE_MAX;
        }
    }
    ht_guard_free(&guard);
    if (known && index)
        return true;
    free(out_item->bounds);
    out_item->bounds = NULL;
    return false;
}

/* ---- cutting ---- */

static void add(ht_region *region, ht_node *node) {
    HT_GROW(region->statements, region->count);
    region->statements[region->count++] = node;
}

/* An output's index, or a variable that only serves one. */
static bool is_index(const ht_tiled *t, const ht_node *node) {
    return node->kind == HT_NODE_VARIABLE &&
           (ht_tiled_is_index(t, node->variable) || t->part[node->variable]);
}

static void add_item(ht_tiled *t, ht_node *node) {
    bool index = is_index(t, node);
    if (index && !is_plain(t, node))
        return;
    HT_GROW(t->items, t->item_count);
    t->items[t->item_count++] = (ht_tile_item){.node = node};
    if (!index)
        add(&t->all, node);
}

static void add_statement(ht_tiled *t, ht_node *node) {
    if (node->kind != HT_NODE_DECLARATION || node->count == 0) {
        add_item(t, node);
        return;
    }
    for (size_t i = 0; i < node->count; ++i)
        add_item(t, node->children[i]);
}

static bool is_idle(ht_node **list, size_t begin, size_t count) {
    for (size_t i = begin; i < count; ++i)
        if (list[i]->kind != HT_NODE_EMPTY && list[i]->kind != HT_NODE_RETURN)
            return false;
    return true;
}

static void scan(ht_tiled *t, ht_node **list, size_t count) {
    for (size_t i = 0; i < count && !t->c.refused; ++i) {
        ht_tile_item item;
        bool enters;
        if (list[i]->kind == HT_NODE_IF) {
            ht_tiled_share(t, &t->all);
            if (read_guard(t, list[i], is_idle(list, i + 1, count), &item, &enters)) {
                HT_GROW(t->items, t->item_count);
                t->items[t->item_count++] = item;
                ht_node *body = list[i]->children[1];
                list[i]->entered = enters;
                if (enters && body->kind == HT_NODE_COMPOUND)
                    scan(t, body->children, body->count);
                else if (enters)
                    scan(t, &list[i]->children[1], 1);
                if (enters)
                    return;
                continue;
            }
        }
        add_statement(t, list[i]);
    }
}

/* ---- what stays in front of the guards ---- */

typedef struct settled_walk {
    ht_tiled *t;
    const bool *behind; /* by variable: declared in what is written behind the guards */
    bool moved, settled;
} settled_walk;

static bool on_settled(ht_node *node, void *context) {
    settled_walk *walk = context;
    if (node->kind != HT_NODE_NAME)
        return true;
    bool steady = !walk->moved || ht_variable_is_constant(&walk->t->c, node->variable);
    walk->settled = walk->settled && steady && !walk->behind[node->variable];
    return true;
}

static bool on_declared(ht_node *node, void *context) {
    if (node->kind == HT_NODE_VARIABLE)
        ((bool *)context)[node->variable] = true;
    return true;
}

/* Can it be evaluated before what is written behind the guards, though it stands behind that? */
static bool is_settled(settled_walk *walk, ht_node *node) {
    walk->settled = true;
    ht_node_walk(node, on_settled, walk);
    return walk->settled;
}

static void check_guard(settled_walk *walk, const ht_tile_item *item) {
    ht_coarsen *c = &walk->t->c;
    for (size_t k = 0; k < item->bound_count; ++k) {
        const ht_tile_bound *bound = &item->bounds[k];
        ht_node *asked = bound->axis == SIZE_MAX ? bound->node : bound->bound;
        if (ht_node_share(c, asked) != HT_SHARE_SAME || !is_settled(walk, asked))
            ht_coarsen_refuse(c, asked->cursor, "what a guard asks for changes in front of it");
    }
}

/* What differs between outputs is written behind the guards, and so is what comes after it, but for
 * declarations that do not depend on it. Nothing in front of a guard may have an effect. */
static void settle_front(ht_tiled *t, size_t guards) {
    bool *behind = ht_alloc(t->c.variable_count + 1, sizeof *behind);
    settled_walk walk = {.t = t, .behind = behind};
    for (size_t i = 0; i < guards && !t->c.refused; ++i) {
        ht_tile_item *item = &t->items[i];
        ht_node *node = item->node;
        if (item->guard || is_plain(t, node)) {
            check_guard(&walk, item);
            if (!item->guard && walk.moved)
                ht_coarsen_refuse(&t->c, node->cursor, "the index stands after the work");
            continue;
        }
        bool declares = node->kind == HT_NODE_VARIABLE || node->kind == HT_NODE_DECLARATION;
        if (ht_node_has_effect(&t->c, node))
            ht_coarsen_refuse(&t->c, node->cursor, "memory is written in front of a guard");
        bool steady = declares && is_settled(&walk, node);
        item->front = !ht_tiled_any_apart(node) && (!walk.moved || steady);
        if (!item->front)
            ht_node_walk(node, on_declared, behind);
        walk.moved |= !item->front;
    }
    free(behind);
}

static void note_bounds(ht_tiled *t) {
    for (size_t a = 0; a < t->axis_count; ++a) {
        t->axes[a].has_low = false;
        t->axes[a].has_high = t->form.has_plain && a == 0;
    }
    for (size_t i = 0; i < t->item_count; ++i)
        for (size_t k = 0; k < t->items[i].bound_count; ++k) {
            const ht_tile_bound *bound = &t->items[i].bounds[k];
            if (bound->axis == SIZE_MAX)
                continue;
            if (is_upper(bound))
                t->axes[bound->axis].has_high = true;
            else
                t->axes[bound->axis].has_low = true;
        }
    for (size_t a = 0; a < t->axis_count; ++a) {
        bool bounded = t->axes[a].has_low || t->axes[a].has_high;
        t->tiled[a]->low = t->axes[a].has_low ? t->axes[a].low : NULL;
        t->tiled[a]->high = bounded ? t->axes[a].high : NULL;
        int axis = t->tiled[a]->axis;
        bool rounded = t->c.model->axes[axis].guard || t->c.plan->bound[axis];
        if (!t->axes[a].has_high && rounded)
            ht_coarsen_refuse(&t->c, t->tiled[a]->variable,
                              "the guard that keeps `%s` inside is not understood",
                              t->tiled[a]->name);
    }
}

void ht_tiled_cut(ht_tiled *t) {
    for (size_t i = 0; i < t->c.node_count; ++i)
        t->c.nodes[i]->entered = false;
    scan(t, t->c.body->children, t->c.body->count);
    if (t->c.refused)
        return;
    ht_tiled_share(t, &t->all);
    size_t guards = 0; /* items up to the last guard */
    for (size_t i = 0; i < t->item_count; ++i)
        if (t->items[i].guard || is_plain(t, t->items[i].node))
            guards = i + 1;
    settle_front(t, guards);
    note_bounds(t);
    for (size_t i = 0; i < t->item_count; ++i) {
        ht_node *node = t->items[i].node;
        if (!t->items[i].guard && !t->items[i].front && !is_plain(t, node))
            add(&t->work, node);
    }
    while (t->item_count > guards) /* what is left is written in front, but for what varies */
        free(t->items[--t->item_count].bounds);
}

/* ---- writing ---- */

/* The comparison's side with the index, of another variable. */
static char *index_text(const ht_tile_bound *bound, const char *name) {
    const ht_node *inner = ht_node_strip(bound->index);
    const ht_node *outer = ht_node_written(bound->index);
    ht_text text = {0};
    if (outer->range.begin < inner->range.begin)
        ht_text_printf(&text, "$[%zu,%zu]", outer->range.begin, inner->range.begin);
    ht_text_append(&text, name);
    if (inner->range.end < outer->range.end)
        ht_text_printf(&text, "$[%zu,%zu]", inner->range.end, outer->range.end);
    return ht_text_take(&text);
}

static char *bound_text(const ht_tile_bound *bound) {
    const ht_node *node = ht_node_written(bound->bound);
    bool simple = node->kind == HT_NODE_NAME || node->kind == HT_NODE_CONSTANT ||
                  node->kind == HT_NODE_PAREN || node->kind == HT_NODE_MEMBER;
    return ht_format(simple ? "$[%zu,%zu]" : "($[%zu,%zu])", node->range.begin, node->range.end);
}

static void write_bound(ht_tiled *t, const ht_tile_bound *bound, ht_writer *writer, size_t like) {
    ht_writer_line(writer, like);
    if (bound->axis == SIZE_MAX) {
        ht_writer_printf(writer, bound->negated ? "if (" : "if (!(");
        ht_writer_source(writer, bound->node->range.begin, bound->node->range.end);
        ht_writer_printf(writer, bound->negated ? ") return;" : ")) return;");
        return;
    }
    const ht_tiled_axis *axis = t->tiled[bound->axis];
    bool upper = is_upper(bound);
    const char *near = upper && axis->low ? axis->low : upper ? axis->origin : axis->high;
    const char *far = upper ? axis->high : axis->low;
    const char *fails = ht_ast_operator(ht_ast_negated((enum CXBinaryOperatorKind)bound->op));
    bool strict = bound->op == CXBinaryOperator_LT || bound->op == CXBinaryOperator_GT;
    char *first = index_text(bound, near), *last = index_text(bound, far);
    char *limit = bound_text(bound);
    ht_writer_printf(writer, "if (%s %s %s) return; // no output of the block", first, fails,
                     limit);
    ht_writer_line(writer, like);
    ht_writer_printf(writer, "if (%s %s %s) %s = %s%s;", last, fails, limit, far, limit,
                     !strict ? ""
                     : upper ? " - 1"
                             : " + 1");
    free(first);
    free(last);
    free(limit);
}

static void write_axes(ht_tiled *t, ht_writer *writer, size_t like) {
    static const char *const letters = "xyz";
    for (size_t i = 0; i < t->axis_count; ++i) {
        const ht_tiled_axis *axis = t->tiled[i];
        char letter = letters[axis->axis];
        if (axis == &t->form.plain)
            continue;
        ht_writer_line(writer, like);
        ht_writer_printf(writer, "const %s%s = blockIdx.%c * ${%s};", t->axes[i].type, axis->origin,
                         letter, axis->extent);
        if (axis->high) {
            ht_writer_line(writer, like);
            ht_writer_printf(writer, "%s%s = %s + ${%s - 1};", t->axes[i].type, axis->high,
                             axis->origin, axis->extent);
        }
        if (axis->low) {
            ht_writer_line(writer, like);
            ht_writer_printf(writer, "%s%s = %s;", t->axes[i].type, axis->low, axis->origin);
        }
    }
}

void ht_tiled_write_front(ht_tiled *t, ht_writer *writer, size_t like) {
    write_axes(t, writer, like);
    for (size_t i = 0; i < t->item_count; ++i) {
        const ht_tile_item *item = &t->items[i];
        for (size_t k = 0; k < item->bound_count; ++k)
            write_bound(t, &item->bounds[k], writer, like);
        if (is_plain(t, item->node))
            ht_tiled_write_plain(t, item->node, writer, like);
        if (!item->front)
            continue;
        ht_writer_line(writer, like);
        if (item->node->kind == HT_NODE_VARIABLE)
            ht_writer_variable(writer, item->node);
        else
            ht_writer_source(writer, item->node->range.begin, ht_statement_end(&t->c, item->node));
    }
}
