#include "refactor/transformations/register_tile/tiled_ahead.h"
#include "base/memory.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_carry.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/register_tile/tiled_once.h"
#include "refactor/transformations/register_tile/tiled_placed.h"
#include "refactor/transformations/register_tile/tiled_share.h"
#include "refactor/transformations/register_tile/tiled_write.h"

#include <stdlib.h>

typedef struct ahead_walk {
    ht_tiled *t;
    ht_syntax_list list;
    size_t begin, end;
    const ht_syntax *root;
    bool good;
} ahead_walk;

/* ---- the reads ---- */

/* A test that stays in the loops keeps outputs from reading. */
static void on_test(const ht_syntax *test, bool skips, void *context) {
    ahead_walk *walk = context;
    char *placed = skips ? ht_tiled_placed_test(walk->t, test) : NULL;
    walk->good = walk->good && placed;
    free(placed);
}

/* Returns true if all that a read is made of stands ahead of the loops as well, where a thread has
 * one output along the axes that it needs. */
static bool stands_ahead(ahead_walk *walk, const bool *needed) {
    const ht_tiled *t = walk->t;
    bool good = true;
    for (size_t v = 0; v < t->c.tree->variable_count && good; ++v) {
        if (!needed[v] || ht_tiled_is_index(t, v))
            continue;
        char *placed = ht_tiled_placed(t, t->c.tree->variables[v].declaration);
        good = placed != NULL;
        free(placed);
    }
    return good;
}

/* Returns when the read is ahead, as a template expression; NULL: never. free(). */
static char *ahead_when(const ht_tiled *t, const bool *needed) {
    ht_text one = {0}, several = {0};
    for (size_t i = 0; i < t->axis_count; ++i) {
        const char *factor = t->axes[i].form->factor;
        if (needed[t->axes[i].variable])
            ht_text_printf(&one, "%s == 1 && ", factor);
        else
            ht_text_printf(&several, "%s%s > 1", several.length ? " || " : "", factor);
    }
    char *when =
        several.length ? ht_format("%s(%s)", one.length ? one.data : "", several.data) : NULL;
    ht_text_free(&one);
    ht_text_free(&several);
    return when;
}

/* Returns true for an element of a pointer's whose value is a number that nothing else is asked
 * of. */
static bool is_number(const ht_syntax *node) {
    const ht_syntax *up = node->parent;
    while (up && up->kind == HT_SYNTAX_PAREN)
        up = up->parent;
    return node->kind == HT_SYNTAX_SUBSCRIPT && !node->is_array && node->plain &&
           (node->type == HT_TYPE_REAL || node->type == HT_TYPE_INTEGER) &&
           !(up && up->kind == HT_SYNTAX_ADDRESS);
}

static char *when_ahead(ahead_walk *walk, const ht_syntax *node) {
    ht_tiled *t = walk->t;
    if (!is_number(node) || !ht_syntax_is_certain(node, walk->root) || !ht_tiled_is_known(t, node))
        return NULL;
    const ht_syntax *base = ht_syntax_strip(node->children[0]);
    if (base->kind != HT_SYNTAX_NAME || !t->c.tree->variables[base->variable].is_parameter)
        return NULL;
    bool *needed = ht_alloc(t->c.tree->variable_count + 1, sizeof *needed);
    walk->good = ht_tiled_needs(t, &node, 0, 1, needed);
    ht_tiled_needs_tests(t, walk->list[walk->begin], needed);
    ht_carried_visit(&t->c, ht_statement_of(walk->list[walk->begin]), on_test, walk);
    char *when = walk->good && stands_ahead(walk, needed) ? ahead_when(t, needed) : NULL;
    free(needed);
    return when;
}

/* Returns the name of an active read of the same element; NULL: there is none. */
static const char *name_of_same(const ht_tiled *t, const ht_syntax *node) {
    for (size_t i = 0; i < t->ahead.count; ++i)
        if (t->ahead.items[i].active && ht_syntax_is_same_text(t->ahead.items[i].node, node))
            return t->ahead.items[i].name;
    return NULL;
}

static ht_tile_once *item_of(ht_tiled *t, const ht_syntax *node) {
    for (size_t i = 0; i < t->ahead.count; ++i)
        if (t->ahead.items[i].node == node)
            return &t->ahead.items[i];
    char *type = ht_syntax_type(node);
    if (!type)
        return NULL;
    HT_GROW(t->ahead.items, t->ahead.count);
    t->ahead.items[t->ahead.count] = (ht_tile_once){.node = node, .type = type};
    return &t->ahead.items[t->ahead.count++];
}

/* Returns the read as it stands in the text; free(). */
static char *text_of(ht_tiled *t, const ht_syntax *node, ht_writer *writer) {
    ht_writer inner = ht_writer_inner(writer);
    ht_tiled_collect_swaps(t, node, &inner, NULL);
    ht_writer_source(&inner, node->range.begin, node->range.end);
    writer->failed |= inner.failed;
    char *text = ht_strdup(inner.text.data ? inner.text.data : "");
    ht_writer_free(&inner);
    return text;
}

/* Names a read, and writes it unless that was done. It keeps its name, however often the form is
 * written. */
static void write_read(ht_tiled *t, const ht_syntax *node, const char *when, ht_writer *writer,
                       size_t like) {
    const char *same = name_of_same(t, node);
    ht_tile_once *item = item_of(t, node);
    if (!item)
        return;
    if (!item->name && same)
        item->name = same;
    else if (!item->name) {
        const ht_syntax *base = ht_syntax_strip(node->children[0]);
        char *wanted = ht_format("%s_value", t->c.tree->variables[base->variable].name);
        item->name = ht_plan_name(t->c.plan, wanted);
        free(wanted);
    }
    char *text = text_of(t, node, writer);
    if (!same) {
        ht_writer_printf(writer, "$?{%s}{}{", when);
        ht_writer_put(writer, like, "%s%s %s = %s;",
                      ht_coarsen_index_const(&t->c, t->axes[0].variable), item->type, item->name,
                      text);
        ht_writer_printf(writer, "}");
    }
    free(item->place);
    item->place = ht_format("$?{%s}{}{%s}$?{!(%s)}{}{%s}", when, item->name, when, text);
    free(text);
    item->active = true;
}

/* ---- segments ---- */

typedef struct writing {
    ahead_walk walk;
    ht_writer *writer;
    size_t like;
    bool any;
} writing;

static bool on_node(const ht_syntax *node, void *context) {
    writing *in = context;
    char *when = when_ahead(&in->walk, node);
    if (when)
        write_read(in->walk.t, node, when, in->writer, in->like);
    bool found = when != NULL;
    in->any = in->any || found;
    free(when);
    return !found;
}

/* Returns true if a loop of the author's that stays is around the statement. */
static bool is_repeated(const ht_tiled *t, const ht_syntax *statement) {
    for (size_t i = 0; i < t->form.loop_count; ++i)
        if (ht_syntax_within(statement, t->form.loops[i].loop))
            return true;
    return false;
}

bool ht_tiled_ahead_begin(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                          ht_writer *writer, size_t like) {
    if (t->text != HT_TILE_THREAD || !is_repeated(t, list[begin]) ||
        !ht_tiled_is_straight(list, begin, end))
        return false;
    writing in = {{t, list, begin, end, NULL, true}, writer, like, false};
    for (size_t i = begin; i < end; ++i) {
        in.walk.root = list[i];
        ht_syntax_walk(list[i], on_node, &in);
    }
    return in.any;
}
