#include "refactor/transformations/register_tile/tiled_once.h"
#include "base/memory.h"
#include "refactor/kernel/effects.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_carry.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"
#include "refactor/transformations/register_tile/tiled_segment.h"
#include "refactor/transformations/register_tile/tiled_share.h"
#include "refactor/transformations/register_tile/tiled_stage.h"
#include "refactor/transformations/register_tile/tiled_write.h"

#include <stdlib.h>

/* ---- the reads ---- */

bool ht_tiled_is_straight(ht_syntax_list list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        bool declares =
            list[i]->kind == HT_SYNTAX_DECLARATION || list[i]->kind == HT_SYNTAX_VARIABLE;
        if ((list[i]->kind <= HT_SYNTAX_EMPTY && !declares) || ht_syntax_has_effect(list[i]))
            return false;
    }
    return true;
}

/* Returns true if the element may be read before the tests, and is the same for all outputs that
 * differ only in the tests. */
static bool is_once(ht_tiled *t, const ht_syntax *node, const ht_syntax *root, const bool *asked) {
    ht_coarsen *c = &t->c;
    if (node->kind != HT_SYNTAX_SUBSCRIPT || node->is_array || !node->plain ||
        !ht_syntax_is_certain(node, root) || ht_tiled_is_replaced(t, node))
        return false;
    const ht_syntax *base = ht_syntax_strip(node->children[0]);
    if (base->kind != HT_SYNTAX_NAME || !c->tree->variables[base->variable].is_parameter)
        return false;
    bool *needed = ht_alloc(c->tree->variable_count + 1, sizeof *needed);
    bool alone = ht_tiled_is_known(t, node) && ht_tiled_needs(t, &node, 0, 1, needed);
    for (size_t i = 0; i < t->axis_count; ++i)
        alone = alone && !(needed[t->axes[i].variable] && asked[t->axes[i].variable]);
    free(needed);
    return alone;
}

typedef struct once_walk {
    ht_tiled *t;
    const ht_syntax *root;
    const bool *asked;
} once_walk;

/* Notes a read. It keeps its name, however often the form is written. */
static void note(ht_tiled *t, const ht_syntax *node) {
    for (size_t i = 0; i < t->once.count; ++i)
        if (t->once.items[i].node == node) {
            t->once.items[i].active = true;
            return;
        }
    char *type = ht_syntax_type(node);
    if (!type)
        return;
    const ht_syntax *base = ht_syntax_strip(node->children[0]);
    char *wanted = ht_format("%s_once", t->c.tree->variables[base->variable].name);
    HT_GROW(t->once.items, t->once.count);
    t->once.items[t->once.count++] = (ht_tile_once){
        .node = node, .name = ht_plan_name(t->c.plan, wanted), .type = type, .active = true};
    free(wanted);
}

static bool on_node(const ht_syntax *node, void *context) {
    once_walk *walk = context;
    bool once = is_once(walk->t, node, walk->root, walk->asked);
    if (once)
        note(walk->t, node);
    return !once;
}

/* ---- text ---- */

typedef struct any_writing {
    ht_writer *writer;
    size_t count;
} any_writing;

static void write_passes(const ht_syntax *test, bool skips, void *context) {
    any_writing *in = context;
    const ht_syntax *condition = test->children[0];
    ht_writer_printf(in->writer, in->count++ ? " && %s(" : "%s(", skips ? "!" : "");
    ht_writer_source(in->writer, condition->range.begin, condition->range.end);
    ht_writer_printf(in->writer, ")");
}

typedef struct collecting {
    ht_tiled *t;
    ht_writer *writer;
} collecting;

static void collect_test(const ht_syntax *test, bool skips, void *context) {
    (void)skips;
    const collecting *in = context;
    ht_tiled_collect_swaps(in->t, test->children[0], in->writer, NULL);
}

static void write_loops(ht_tiled *t, const bool *needed, const char *inside, ht_writer *writer,
                        size_t like) {
    int loops = ht_tiled_begin_loops(t, needed, writer, like);
    ht_writer_line(writer, like);
    ht_text_append(&writer->text, inside);
    ht_tiled_end_loops(t, needed, loops, writer, like);
}

static void write_any(ht_tiled *t, const ht_syntax *at, const bool *asked, ht_writer *writer,
                      size_t like) {
    if (!t->once.any)
        t->once.any = ht_plan_name(t->c.plan, "any");
    ht_writer_put(writer, like, "bool %s = false; // is any of them inside?", t->once.any);
    ht_writer inner = ht_writer_inner(writer);
    ht_writer_printf(&inner, "%s = %s || (", t->once.any, t->once.any);
    ht_carried_visit(&t->c, ht_statement_of(at), collect_test, &(collecting){t, &inner});
    any_writing in = {&inner, 0};
    ht_carried_visit(&t->c, ht_statement_of(at), write_passes, &in);
    ht_writer_printf(&inner, ");");
    writer->failed |= inner.failed;
    write_loops(t, asked, inner.text.data, writer, like);
    ht_writer_free(&inner);
}

static void write_read(ht_tiled *t, ht_tile_once *of, ht_writer *writer, size_t like) {
    bool *needed = ht_alloc(t->c.tree->variable_count + 1, sizeof *needed);
    ht_tiled_needs(t, &of->node, 0, 1, needed);
    ht_writer inner = ht_writer_inner(writer);
    char *dimensions, *place;
    ht_tiled_write_places(t, needed, &dimensions, &place);
    free(of->place);
    of->place = ht_format("%s%s", of->name, place);
    of->active = false; /* its own text */
    ht_tiled_collect_swaps(t, of->node, &inner, NULL);
    of->active = true;
    ht_writer_printf(&inner, "%s = ", of->place);
    ht_writer_source(&inner, of->node->range.begin, of->node->range.end);
    ht_writer_printf(&inner, ";");
    writer->failed |= inner.failed;
    ht_writer_put(writer, like, "%s %s%s;", of->type, of->name, dimensions);
    ht_writer_open(writer, like, "if (%s) {", t->once.any);
    write_loops(t, needed, inner.text.data, writer, like);
    ht_writer_close(writer, like, "}");
    ht_writer_free(&inner);
    free(dimensions);
    free(place);
    free(needed);
}

bool ht_tiled_once_begin(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                         ht_writer *writer, size_t like) {
    bool *asked = ht_alloc(t->c.tree->variable_count + 1, sizeof *asked), axes = false, any = false;
    ht_tiled_needs_tests(t, list[begin], asked);
    for (size_t i = 0; i < t->axis_count; ++i)
        axes = axes || asked[t->axes[i].variable];
    for (size_t i = begin; i < end && axes && ht_tiled_is_straight(list, begin, end); ++i) {
        once_walk walk = {t, list[i], asked};
        ht_syntax_walk(list[i], on_node, &walk);
    }
    for (size_t i = 0; i < t->once.count; ++i)
        any = any || t->once.items[i].active;
    if (any) { /* another segment uses their names as well */
        ht_writer_open(writer, like, "{");
        write_any(t, list[begin], asked, writer, like);
    }
    for (size_t i = 0; i < t->once.count; ++i)
        if (t->once.items[i].active)
            write_read(t, &t->once.items[i], writer, like);
    free(asked);
    return any;
}

void ht_tiled_once_end(ht_tiled *t, ht_writer *writer, size_t like) {
    ht_writer_close(writer, like, "}");
    ht_tile_onces_leave(&t->once);
}

/* ---- lists of them ---- */

const char *ht_tile_onces_text(const ht_tile_onces *of, const ht_syntax *node) {
    for (size_t i = 0; i < of->count; ++i)
        if (of->items[i].active && of->items[i].node == node)
            return of->items[i].place;
    return NULL;
}

void ht_tile_onces_leave(ht_tile_onces *of) {
    for (size_t i = 0; i < of->count; ++i)
        of->items[i].active = false;
}

void ht_tile_onces_free(ht_tile_onces *of) {
    for (size_t i = 0; i < of->count; ++i) {
        free(of->items[i].type);
        free(of->items[i].place);
    }
    free(of->items);
}
