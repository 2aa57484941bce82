#include "refactor/transformations/register_tile/tiled_thread.h"
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/register_tile/tiled_front.h"
#include "refactor/transformations/register_tile/tiled_nearest.h"
#include "refactor/transformations/register_tile/tiled_plain.h"
#include "refactor/transformations/register_tile/tiled_segment.h"
#include "refactor/transformations/register_tile/tiled_single.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- indices ---- */

/* Returns true for names of the kernel's own: constants of the file stand where the index does. */
static bool is_own_name(const ht_syntax *node, const void *context) {
    (void)context;
    const ht_syntax_variable *named = node->kind == HT_SYNTAX_NAME ? ht_syntax_named(node) : NULL;
    return node->kind == HT_SYNTAX_NAME && (!named || named->is_local || named->is_parameter);
}

/* Writes the first global index of a thread that has one output, as the author has it where it is
 * in one expression. */
static void write_global(const ht_tiled *t, size_t axis, ht_writer *writer) {
    const ht_syntax *init = t->c.tree->variables[t->axes[axis].variable].declaration->children[0];
    char letter = (char)('x' + t->axes[axis].form->axis);
    if (ht_syntax_first(init, is_own_name, NULL) || init->range.begin >= init->range.end)
        ht_writer_printf(writer, "blockIdx.%c * blockDim.%c + threadIdx.%c", letter, letter,
                         letter);
    else
        ht_writer_source(writer, init->range.begin, init->range.end);
}

/* Writes the place up to which an index reaches, or from which on, where a guard's bound has no
 * name of its own. */
static void write_reach(const ht_tiled *t, size_t axis, ht_writer *writer, size_t like) {
    const ht_tiled_axis *of = t->axes[axis].form;
    if (ht_tiled_limit(t, axis))
        return;
    if (t->axes[axis].has_high || of->low) {
        ht_writer_put(writer, like, "%s%s = %s + ${%s - 1}$?{%s}{}{ * blockDim.%c};",
                      t->axes[axis].type, of->high ? of->high : t->axes[axis].high, of->first,
                      of->factor, of->strided, (char)('x' + of->axis));
    }
    if (of->low) {
        ht_writer_put(writer, like, "%s%s = %s;", t->axes[axis].type, of->low, of->first);
    }
}

/* Writes the first index of a thread whose outputs are a block apart. */
static void write_apart(const ht_tiled *t, size_t axis, ht_writer *writer) {
    const ht_tiled_axis *of = t->axes[axis].form;
    char letter = (char)('x' + of->axis);
    const char *block = ht_plan_block(t->c.plan, of->axis);
    const char *type = t->axes[axis].type;
    size_t length = strlen(block);
    bool counted =
        strncmp(of->extent, block, length) == 0 && strncmp(of->extent + length, " * ", 3) == 0;
    if (t->c.tree->variables[t->axes[axis].variable].declaration->bits > 32)
        ht_writer_printf(writer, "(%.*s)", (int)strlen(type) - 1, type);
    if (counted)
        ht_writer_printf(writer, "blockIdx.%c * (blockDim.%c * ${%s}) + threadIdx.%c", letter,
                         letter, of->extent + length + 3, letter);
    else
        ht_writer_printf(writer, "blockIdx.%c * ${%s} + threadIdx.%c", letter, of->extent, letter);
}

static void write_axis(ht_tiled *t, size_t axis, ht_writer *writer) {
    const ht_tiled_axis *of = t->axes[axis].form;
    const ht_syntax *node = t->c.tree->variables[t->axes[axis].variable].declaration;
    const ht_syntax *statement = ht_statement_of(node);
    const char *constant = ht_coarsen_index_const(&t->c, t->axes[axis].variable);
    size_t like = statement->range.begin;
    ht_writer_printf(writer, "$?{%s == 1}{}{", of->factor);
    bool names = ht_syntax_first(node->children[0], is_own_name, NULL) != NULL;
    if (statement->count == 1 && statement->plain && !names)
        ht_writer_statement(writer, statement);
    else {
        ht_writer_put(writer, like, "%s%s%s = ", constant, t->axes[axis].type, of->name);
        write_global(t, axis, writer);
        ht_writer_printf(writer, ";");
    }
    ht_writer_printf(writer, "}$?{%s > 1}{}{", of->factor);
    if (statement->children[0] == node)
        ht_writer_lead(writer, node);
    else
        ht_writer_line(writer, like);
    ht_writer_printf(writer, "%s%s%s = $?{%s}{}{", constant, t->axes[axis].type, of->first,
                     of->strided);
    write_apart(t, axis, writer);
    ht_writer_printf(writer, "}$?{!%s}{}{(", of->strided);
    write_global(t, axis, writer);
    ht_writer_printf(writer, ") * ${%s}};", of->factor);
    write_reach(t, axis, writer, like);
    ht_writer_printf(writer, "}");
}

/* Writes the indices that the author declares before a place. */
static void write_axes_before(ht_tiled *t, size_t place, bool *written, ht_writer *writer) {
    for (;;) {
        size_t next = SIZE_MAX, least = place;
        for (size_t i = 0; i < t->axis_count; ++i) {
            size_t at = t->c.tree->variables[t->axes[i].variable].declaration->range.begin;
            if (!written[i] && t->axes[i].form != &t->form.plain && at < least) {
                next = i;
                least = at;
            }
        }
        if (next == SIZE_MAX)
            return;
        written[next] = true;
        write_axis(t, next, writer);
    }
}

/* ---- guards ---- */

/* Puts the thread's first output, or its last, in place of the index in a guard. */
static void swap_index(ht_tiled *t, const ht_tile_bound *bound, ht_writer *writer) {
    if (bound->axis == SIZE_MAX)
        return;
    const ht_tiled_axis *of = t->axes[bound->axis].form;
    bool upper = bound->op == HT_BINARY_LT || bound->op == HT_BINARY_LE;
    const ht_syntax *name = ht_syntax_strip(bound->index);
    writer->failed |= !name->plain;
    ht_writer_swap(writer, name->range,
                   ht_format("$?{%s > 1}{}{%s}$?{%s == 1}{}{%s}", of->factor,
                             upper ? of->first : of->high, of->factor, of->name));
}

/* Writes what a guard says of the first and last index inside. */
static void write_limits(ht_tiled *t, const ht_tile_item *item, ht_writer *writer, size_t like) {
    for (size_t k = 0; k < item->bound_count; ++k) {
        const ht_tile_bound *bound = &item->bounds[k];
        if (bound->axis == SIZE_MAX || ht_tiled_limit(t, bound->axis))
            continue;
        ht_writer_printf(writer, "$?{%s > 1}{}{", t->axes[bound->axis].form->factor);
        ht_tiled_write_limit(t, bound, writer, like);
        ht_writer_printf(writer, "}");
    }
}

static void write_guard(ht_tiled *t, const ht_tile_item *item, ht_writer *writer) {
    const ht_syntax *node = item->node, *body = node->children[1];
    size_t like = node->range.begin;
    for (size_t k = 0; k < item->bound_count; ++k)
        swap_index(t, &item->bounds[k], writer);
    writer->failed |= !node->plain || !body->plain;
    if (!t->c.marks[node->index].entered) {
        ht_writer_statement(writer, node);
        write_limits(t, item, writer, like);
        return;
    }
    ht_writer_lead(writer, node);
    if (body->kind == HT_SYNTAX_COMPOUND) { /* braces in pairs, which are not the source's pieces */
        ht_writer_source(writer, node->range.begin, body->range.begin);
        ht_writer_printf(writer, "{");
    } else {
        size_t end = body->range.begin;
        while (end > node->range.begin && isspace((unsigned char)t->c.model->text[end - 1]))
            --end;
        ht_writer_source(writer, node->range.begin, end);
        ht_writer_printf(writer, " {");
    }
    ++writer->depth;
    write_limits(t, item, writer, like);
    --writer->depth;
    ++t->entered;
}

/* Returns when the guard is no more than the first test of the loop over a thread's outputs, which
 * leaves it: a template expression; NULL: never. free(). */
static char *when_repeated(ht_tiled *t, size_t item) {
    const ht_tile_item *of = &t->body.items[item];
    size_t axis = of->bound_count == 1 ? of->bounds[0].axis : SIZE_MAX;
    if (t->c.marks[of->node->index].entered || axis == SIZE_MAX ||
        ht_tiled_limit(t, axis) != &of->bounds[0] || !ht_tiled_begins_with_test(t))
        return NULL;
    for (size_t i = item + 1; i < t->body.item_count; ++i)
        if (t->body.items[i].guard || t->body.items[i].front)
            return NULL;
    ht_text text = {0};
    for (size_t i = 0; i < t->axis_count; ++i)
        ht_text_printf(&text, "%s%s %s 1", i ? " && " : "", t->axes[i].form->factor,
                       i == axis ? ">" : "==");
    return ht_text_take(&text);
}

static void write_needed_guard(ht_tiled *t, size_t item, ht_writer *writer) {
    char *repeated = when_repeated(t, item);
    if (repeated)
        ht_writer_printf(writer, "$?{!(%s)}{}{", repeated);
    write_guard(t, &t->body.items[item], writer);
    ht_writer_printf(writer, repeated ? "}" : "");
    free(repeated);
}

void ht_tiled_thread_end(ht_tiled *t, ht_writer *writer) {
    for (size_t i = t->body.item_count; i-- > 0;) {
        const ht_tile_item *item = &t->body.items[i];
        if (!item->guard || !t->c.marks[item->node->index].entered)
            continue;
        ht_writer_put(writer, item->node->range.begin, "}");
    }
}

/* ---- the whole front ---- */

/* Returns true if all variables of the declaration stand in front as they are. */
static bool is_whole(const ht_tiled *t, const ht_syntax *statement) {
    size_t count = 0;
    for (size_t i = 0; i < t->body.item_count; ++i)
        count += t->body.items[i].front && t->body.items[i].node->parent == statement;
    return count == statement->count;
}

static void write_item(ht_tiled *t, const ht_syntax *node, ht_writer *writer) {
    const ht_syntax *statement = ht_statement_of(node);
    if (node->kind != HT_SYNTAX_VARIABLE || statement->count == 1)
        ht_writer_statement(writer, statement);
    else if (!is_whole(t, statement)) {
        ht_tiled_write_comments(t, node, writer, statement->range.begin);
        ht_writer_line(writer, statement->range.begin);
        ht_writer_variable(writer, node);
    } else if (statement->children[0] == node)
        ht_writer_statement(writer, statement);
}

static bool is_plain(const ht_tiled *t, const ht_syntax *node) {
    return t->form.has_plain && node->kind == HT_SYNTAX_VARIABLE &&
           node->variable == t->axes[0].variable;
}

void ht_tiled_thread_front(ht_tiled *t, ht_writer *writer, size_t like) {
    bool written[HT_TILED_AXES_MAX] = {false};
    t->entered = 0;
    for (size_t i = 0; i < t->body.item_count; ++i) {
        const ht_tile_item *item = &t->body.items[i];
        write_axes_before(t, item->node->range.begin, written, writer);
        if (item->guard)
            write_needed_guard(t, i, writer);
        else if (is_plain(t, item->node))
            ht_tiled_write_plain(t, item->node, writer, like);
        else if (item->front)
            write_item(t, item->node, writer);
    }
    write_axes_before(t, SIZE_MAX, written, writer);
    writer->depth += t->entered;
    ht_tiled_nearest_write(t, writer, like);
    writer->depth -= t->entered;
}

/* ---- names ---- */

bool ht_tiled_hides(const ht_tiled *t) {
    const ht_syntax_tree *tree = t->c.tree;
    bool entered = false, hides = false;
    for (size_t i = 0; i < t->body.item_count; ++i)
        entered = entered || t->c.marks[t->body.items[i].node->index].entered;
    for (size_t i = 0; i < tree->variable_count && entered; ++i)
        hides = hides || !ht_syntax_is_only(&tree->variables[i]);
    return hides;
}
