#include "refactor/transformations/register_tile/tiled_front.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_guard.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"
#include "refactor/transformations/register_tile/tiled_plain.h"
#include "refactor/transformations/register_tile/tiled_share.h"

#include <stdlib.h>
#include <string.h>

void ht_tiled_uncut(ht_tiled *t) {
    for (size_t i = 0; i < t->body.item_count; ++i)
        free(t->body.items[i].bounds);
    free(t->body.items);
    free(t->body.all.statements);
    free(t->body.work.statements);
    t->body.items = NULL;
    t->body.item_count = 0;
    t->body.all = t->body.work = (ht_region){0};
    t->body.leaves = false;
}

static bool is_plain(const ht_tiled *t, const ht_syntax *node) {
    return t->form.has_plain && node->kind == HT_SYNTAX_VARIABLE &&
           node->variable == t->axes[0].variable;
}

/* ---- guards ---- */

/* Returns the output axis whose index the expression is, through conversions that keep its value;
 * SIZE_MAX: none. */
static size_t index_axis(const ht_tiled *t, const ht_syntax *node) {
    const ht_syntax *inner = ht_syntax_strip(node);
    if (inner->kind != HT_SYNTAX_NAME || !inner->plain)
        return SIZE_MAX;
    for (; node != inner; node = node->children[0])
        if (!node->plain ||
            (node->kind == HT_SYNTAX_CAST && (node->type != HT_TYPE_INTEGER || node->bits < 32)))
            return SIZE_MAX;
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].variable == inner->variable)
            return i;
    return SIZE_MAX;
}

/* Returns the relation that must hold for the term's left side (`mirrored`: right side), which is
 * the index. */
static int relation(const ht_syntax *node, bool negated, bool mirrored) {
    int op = node->op;
    if (op == HT_BINARY_EQ || op == HT_BINARY_NE)
        return (op == HT_BINARY_EQ) == negated ? HT_BINARY_NE : HT_BINARY_EQ;
    op = negated ? ht_operator_negated(op) : op;
    return mirrored ? ht_operator_mirrored(op) : op;
}

/* Makes a bound of the relation. An index is never negative, so one that is not 0 is above it.
 * Other equalities and inequalities are not bounds: returns false. */
static bool as_bound(ht_tile_bound *bound) {
    int64_t value;
    if (bound->op == HT_BINARY_EQ)
        return false;
    if (bound->op != HT_BINARY_NE)
        return true;
    bound->op = HT_BINARY_GT;
    return ht_syntax_constant(bound->bound, &value) && value == 0;
}

/* Reads a term of a guard as a bound of an index, or as the same for all outputs. Returns false if
 * it is neither. */
static bool read_bound(ht_tiled *t, const ht_guard_term *term, ht_tile_bound *out_bound) {
    ht_coarsen *c = &t->c;
    const ht_syntax *node = term->node;
    *out_bound = (ht_tile_bound){.axis = SIZE_MAX, .node = node, .negated = term->negated};
    if (!node->plain || ht_syntax_has_change(node))
        return false;
    if (ht_node_share(c, node) == HT_SHARE_SAME)
        return true;
    node = ht_syntax_strip(node);
    if (node->kind != HT_SYNTAX_BINARY || !ht_operator_compares(node->op))
        return false;
    size_t side = index_axis(t, node->children[0]) != SIZE_MAX ? 0 : 1;
    out_bound->axis = index_axis(t, node->children[side]);
    out_bound->index = node->children[side];
    out_bound->bound = node->children[1 - side];
    out_bound->op = relation(node, term->negated, side == 1);
    return as_bound(out_bound) && out_bound->axis != SIZE_MAX && out_bound->bound->plain &&
           out_bound->bound->type == HT_TYPE_INTEGER &&
           ht_node_share(c, out_bound->bound) == HT_SHARE_SAME;
}

static bool is_upper(const ht_tile_bound *bound) {
    return bound->op == HT_BINARY_LT || bound->op == HT_BINARY_LE;
}

/* Reads if (outside) return; or if (inside) { the rest }. Returns false if a part is not
 * understood. */
static bool read_guard(ht_tiled *t, const ht_syntax *statement, bool last, ht_tile_item *out_item,
                       bool *out_enters) {
    ht_guard guard = {0};
    *out_item = (ht_tile_item){.node = statement, .guard = true};
    *out_enters = !ht_syntax_is_return(statement->children[1]);
    if (statement->children[2] || (*out_enters && !last))
        return false;
    ht_guard_collect(&t->c, statement->children[0], !*out_enters, &guard);
    bool known = true, index = false; /* `index`: a term bounds an index */
    for (size_t i = 0; i < guard.term_count && known; ++i) {
        ht_tile_bound bound;
        known = read_bound(t, &guard.terms[i], &bound) &&
                ht_syntax_is_separate(bound.node, statement->children[0]);
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

/* ---- division ---- */

static void add(ht_region *region, const ht_syntax *node) {
    HT_GROW(region->statements, region->count);
    region->statements[region->count++] = node;
}

/* Returns true for an output's index, or a variable that is used for one only. */
static bool is_index(const ht_tiled *t, const ht_syntax *node) {
    return node->kind == HT_SYNTAX_VARIABLE &&
           (ht_tiled_is_index(t, node->variable) || t->part[node->variable]);
}

static void add_item(ht_tiled *t, const ht_syntax *node) {
    bool index = is_index(t, node);
    if (index && !is_plain(t, node))
        return;
    HT_GROW(t->body.items, t->body.item_count);
    t->body.items[t->body.item_count++] = (ht_tile_item){.node = node};
    if (!index)
        add(&t->body.all, node);
}

static void add_statement(ht_tiled *t, const ht_syntax *node) {
    if (node->kind != HT_SYNTAX_DECLARATION || node->count == 0) {
        add_item(t, node);
        return;
    }
    for (size_t i = 0; i < node->count; ++i)
        add_item(t, node->children[i]);
}

static bool is_idle(ht_syntax_list list, size_t begin, size_t count) {
    for (size_t i = begin; i < count; ++i)
        if (list[i]->kind != HT_SYNTAX_EMPTY && list[i]->kind != HT_SYNTAX_RETURN)
            return false;
    return true;
}

static void scan(ht_tiled *t, ht_syntax_list list, size_t count) {
    for (size_t i = 0; i < count && !t->c.refused; ++i) {
        ht_tile_item item;
        bool enters;
        if (list[i]->kind == HT_SYNTAX_IF) {
            ht_tiled_share(t, &t->body.all);
            if (read_guard(t, list[i], is_idle(list, i + 1, count), &item, &enters)) {
                HT_GROW(t->body.items, t->body.item_count);
                t->body.items[t->body.item_count++] = item;
                const ht_syntax *body = list[i]->children[1];
                t->c.marks[list[i]->index].entered = enters;
                if (enters && body->kind == HT_SYNTAX_COMPOUND)
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

/* ---- statements in front of the guards ---- */

typedef struct settled_walk {
    ht_tiled *t;
    const bool *behind; /* by variable: declared in a part that is written after the guards */
    bool moved, settled;
} settled_walk;

static bool on_settled(const ht_syntax *node, void *context) {
    settled_walk *walk = context;
    if (node->kind != HT_SYNTAX_NAME)
        return true;
    bool steady = !walk->moved || !walk->t->c.tree->variables[node->variable].changed;
    walk->settled = walk->settled && steady && !walk->behind[node->variable];
    return true;
}

static bool on_declared(const ht_syntax *node, void *context) {
    if (node->kind == HT_SYNTAX_VARIABLE)
        ((bool *)context)[node->variable] = true;
    return true;
}

/* Returns true if it can be evaluated before the part that is written after the guards, although it
 * comes after that in the source. */
static bool is_settled(settled_walk *walk, const ht_syntax *node) {
    walk->settled = true;
    ht_syntax_walk(node, on_settled, walk);
    return walk->settled;
}

static void check_guard(settled_walk *walk, const ht_tile_item *item) {
    ht_coarsen *c = &walk->t->c;
    for (size_t k = 0; k < item->bound_count; ++k) {
        const ht_tile_bound *bound = &item->bounds[k];
        const ht_syntax *asked = bound->axis == SIZE_MAX ? bound->node : bound->bound;
        if (ht_node_share(c, asked) != HT_SHARE_SAME || !is_settled(walk, asked))
            ht_coarsen_refuse(c, asked->at, "a value that a guard tests changes before the guard");
    }
}

/* Decides what stays in front. Statements that differ between outputs are written after the guards,
 * and so are those after them, except for declarations that do not depend on them. Nothing in front
 * of a guard may have an effect. */
static void settle_front(ht_tiled *t, size_t guards) {
    bool *behind = ht_alloc(t->c.tree->variable_count + 1, sizeof *behind);
    settled_walk walk = {.t = t, .behind = behind};
    for (size_t i = 0; i < guards && !t->c.refused; ++i) {
        ht_tile_item *item = &t->body.items[i];
        const ht_syntax *node = item->node;
        if (item->guard || is_plain(t, node)) {
            check_guard(&walk, item);
            if (!item->guard && walk.moved)
                ht_coarsen_refuse(&t->c, node->at, "the index stands after the work");
            continue;
        }
        bool declares = node->kind == HT_SYNTAX_VARIABLE || node->kind == HT_SYNTAX_DECLARATION;
        if (ht_syntax_has_effect(node))
            ht_coarsen_refuse(&t->c, node->at, "memory is written in front of a guard");
        bool steady = declares && is_settled(&walk, node);
        item->front = !ht_node_any_apart(&t->c, node) && (!walk.moved || steady);
        if (!item->front)
            ht_syntax_walk(node, on_declared, behind);
        walk.moved |= !item->front;
    }
    free(behind);
}

static void note_bounds(ht_tiled *t) {
    for (size_t a = 0; a < t->axis_count; ++a) {
        t->axes[a].has_low = false;
        t->axes[a].has_high = t->form.has_plain && a == 0;
    }
    for (size_t i = 0; i < t->body.item_count; ++i)
        for (size_t k = 0; k < t->body.items[i].bound_count; ++k) {
            const ht_tile_bound *bound = &t->body.items[i].bounds[k];
            if (bound->axis == SIZE_MAX)
                continue;
            if (is_upper(bound))
                t->axes[bound->axis].has_high = true;
            else
                t->axes[bound->axis].has_low = true;
        }
    for (size_t a = 0; a < t->axis_count; ++a) {
        bool bounded = t->axes[a].has_low || t->axes[a].has_high;
        t->axes[a].form->low = t->axes[a].has_low ? t->axes[a].low : NULL;
        t->axes[a].form->high = bounded ? t->axes[a].high : NULL;
        int axis = t->axes[a].form->axis;
        bool rounded = t->c.model->axes[axis].guard || t->c.plan->axes[axis].bound;
        if (!t->axes[a].has_high && rounded)
            ht_coarsen_refuse(&t->c, t->c.tree->variables[t->axes[a].variable].at,
                              "the guard that keeps `%s` inside is not understood",
                              t->axes[a].form->name);
    }
}

void ht_tiled_cut(ht_tiled *t) {
    for (size_t i = 0; i < t->c.tree->count; ++i)
        t->c.marks[i].entered = false;
    scan(t, t->c.tree->body->children, t->c.tree->body->count);
    if (t->c.refused)
        return;
    ht_tiled_share(t, &t->body.all);
    size_t guards = 0; /* items up to the last guard */
    for (size_t i = 0; i < t->body.item_count; ++i)
        if (t->body.items[i].guard || is_plain(t, t->body.items[i].node))
            guards = i + 1;
    settle_front(t, guards);
    note_bounds(t);
    for (size_t i = 0; i < t->body.item_count; ++i) {
        const ht_syntax *node = t->body.items[i].node;
        if (!t->body.items[i].guard && !t->body.items[i].front && !is_plain(t, node))
            add(&t->body.work, node);
    }
    while (t->body.item_count > guards) /* the rest is written in front, except what differs */
        free(t->body.items[--t->body.item_count].bounds);
}

/* ---- writing ---- */

/* Returns the comparison's side with the index, with another variable in its place; free(). */
static char *index_text(const ht_tile_bound *bound, const char *name) {
    const ht_syntax *inner = ht_syntax_strip(bound->index);
    const ht_syntax *outer = ht_syntax_written(bound->index);
    ht_text text = {0};
    if (outer->range.begin < inner->range.begin)
        ht_text_printf(&text, "$[%zu,%zu]", outer->range.begin, inner->range.begin);
    ht_text_append(&text, name);
    if (inner->range.end < outer->range.end)
        ht_text_printf(&text, "$[%zu,%zu]", inner->range.end, outer->range.end);
    return ht_text_take(&text);
}

char *ht_tiled_bound_text(const ht_tile_bound *bound) {
    const ht_syntax *node = ht_syntax_written(bound->bound);
    bool arithmetic = node->kind == HT_SYNTAX_BINARY && node->op >= HT_BINARY_MUL &&
                      node->op <= HT_BINARY_SUB; /* binds at least like the subtraction after it */
    bool simple = node->kind == HT_SYNTAX_NAME || node->kind == HT_SYNTAX_CONSTANT ||
                  node->kind == HT_SYNTAX_PAREN || node->kind == HT_SYNTAX_MEMBER || arithmetic;
    return ht_format(simple ? "$[%zu,%zu]" : "($[%zu,%zu])", node->range.begin, node->range.end);
}

void ht_tiled_write_limit(const ht_tiled *t, const ht_tile_bound *bound, ht_writer *writer,
                          size_t like) {
    const ht_tiled_axis *axis = t->axes[bound->axis].form;
    bool upper = is_upper(bound), strict = bound->op == HT_BINARY_LT || bound->op == HT_BINARY_GT;
    const char *far = upper ? axis->high : axis->low;
    char *last = index_text(bound, far), *limit = ht_tiled_bound_text(bound);
    ht_writer_put(writer, like, "if (%s %s %s) %s = %s%s;", last,
                  ht_operator_text(ht_operator_negated(bound->op)), limit, far, limit,
                  !strict ? ""
                  : upper ? " - 1"
                          : " + 1");
    free(last);
    free(limit);
}

static void write_bound(ht_tiled *t, const ht_tile_bound *bound, ht_writer *writer, size_t like) {
    ht_writer_line(writer, like);
    if (bound->axis == SIZE_MAX) {
        ht_writer_printf(writer, bound->negated ? "if (" : "if (!(");
        ht_writer_source(writer, bound->node->range.begin, bound->node->range.end);
        ht_writer_printf(writer, bound->negated ? ") return;" : ")) return;");
        return;
    }
    const ht_tiled_axis *axis = t->axes[bound->axis].form;
    bool upper = is_upper(bound);
    const char *near = upper && axis->low ? axis->low : upper ? axis->origin : axis->high;
    const char *fails = ht_operator_text(ht_operator_negated(bound->op));
    char *first = index_text(bound, near), *limit = ht_tiled_bound_text(bound);
    ht_writer_printf(writer, "if (%s %s %s) return; // no output of the block", first, fails,
                     limit);
    ht_tiled_write_limit(t, bound, writer, like);
    free(first);
    free(limit);
}

static void write_axes(ht_tiled *t, ht_writer *writer, size_t like) {
    static const char *const letters = "xyz";
    for (size_t i = 0; i < t->axis_count; ++i) {
        const ht_tiled_axis *axis = t->axes[i].form;
        char letter = letters[axis->axis];
        if (axis == &t->form.plain)
            continue;
        ht_writer_put(writer, like, "const %s%s = blockIdx.%c * ${%s};", t->axes[i].type,
                      axis->origin, letter, axis->extent);
        if (axis->high) {
            ht_writer_put(writer, like, "%s%s = %s + ${%s - 1};", t->axes[i].type, axis->high,
                          axis->origin, axis->extent);
        }
        if (axis->low) {
            ht_writer_put(writer, like, "%s%s = %s;", t->axes[i].type, axis->low, axis->origin);
        }
    }
}

void ht_tiled_write_front(ht_tiled *t, ht_writer *writer, size_t like) {
    write_axes(t, writer, like);
    for (size_t i = 0; i < t->body.item_count; ++i) {
        const ht_tile_item *item = &t->body.items[i];
        for (size_t k = 0; k < item->bound_count; ++k)
            write_bound(t, &item->bounds[k], writer, like);
        if (is_plain(t, item->node))
            ht_tiled_write_plain(t, item->node, writer, like);
        if (!item->front)
            continue;
        ht_writer_line(writer, like);
        if (item->node->kind == HT_SYNTAX_VARIABLE)
            ht_writer_variable(writer, item->node);
        else
            ht_writer_source(writer, item->node->range.begin, ht_statement_end(&t->c, item->node));
    }
}

/* ---- names ---- */

const char *ht_tiled_name_like(ht_plan *plan, const char *suffix, const char *name) {
    char *wanted = ht_format("%s%s", name, suffix);
    const char *result = ht_plan_name(plan, wanted);
    free(wanted);
    return result;
}

void ht_tiled_name_axis(ht_tiled *t, size_t i) {
    ht_plan *plan = t->c.plan;
    ht_tiled_axis *axis = t->axes[i].form;
    bool plain = axis == &t->form.plain; /* all threads of the block begin there */
    axis->origin = ht_tiled_name_like(plan, plain ? "_first" : "_tile", axis->name);
    t->axes[i].low = ht_tiled_name_like(plan, "_low", axis->name);
    t->axes[i].high = ht_tiled_name_like(plan, "_high", axis->name);
    if (axis->strided) {
        axis->first = ht_tiled_name_like(plan, "_first", axis->name);
        t->axes[i].step = ht_tiled_name_like(plan, "_apart", axis->name);
    } else
        axis->first = axis->origin;
    bool lettered = axis->strided && strlen(axis->name) > 1; /* tow says less than tx */
    char *counter = lettered ? ht_format("t%c", 'x' + axis->axis) : ht_format("t%s", axis->name);
    axis->counter = ht_plan_name(plan, counter);
    free(counter);
}

void ht_tiled_axis_loop(const ht_tiled_axis *axis, ht_writer *writer, size_t like) {
    ht_writer_unrolled(writer, like, axis->counter, axis->factor, NULL, "");
}
