#include "refactor/transformations/register_tile/tiled_vector.h"
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_carry.h"
#include "refactor/transformations/coarsen/coarsen_inside.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_parts.h"
#include "refactor/transformations/register_tile/tiled_plain.h"
#include "refactor/transformations/register_tile/tiled_segment.h"
#include "refactor/transformations/register_tile/tiled_share.h"
#include "refactor/transformations/register_tile/tiled_stage.h"
#include "refactor/transformations/register_tile/tiled_write.h"

#include <stdlib.h>
#include <string.h>

/* Finds the accesses whose addresses step by one along x. Returns false if the innermost axis is
 * not x. */
static bool find_next(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    const ht_tiled_axis *last = t->axes[t->axis_count - 1].form;
    if (last->axis != 0 || last == &t->form.plain)
        return false;
    c->x = t->axes[t->axis_count - 1].variable;
    ht_share_reset(c);
    ht_region_share(c, &t->body.all);
    ht_vectors_note(c);
    c->x = SIZE_MAX;
    ht_tiled_cut_again(t);
    return !c->refused;
}

typedef struct segment {
    ht_tiled *t;
    ht_syntax_list list;
    size_t begin, end;
    ht_tiled_usual *usual;
    bool *front, *needed; /* by variable: needs of the accesses, needs of the statements; owned */
    const ht_syntax **tests;    /* owned */
    size_t test_count, carried; /* `carried` of the tests are not in the list */
    bool apart;                 /* one cannot be tested for several outputs at once */
} segment;

static bool is_declaration(const ht_syntax *node) {
    return node->kind == HT_SYNTAX_DECLARATION || node->kind == HT_SYNTAX_VARIABLE;
}

static bool is_asked_ahead(const segment *of, const ht_syntax *test) {
    return of->t->c.marks[test->index].convex &&
           ht_vectors_settled(&of->t->c, of->list + of->begin, of->end - of->begin, of->t->again,
                              test->children[0]);
}

static void on_carried(const ht_syntax *test, bool skips, void *context) {
    (void)skips;
    segment *of = context;
    of->apart = of->apart || !is_asked_ahead(of, test);
    HT_GROW(of->tests, of->test_count);
    of->tests[of->test_count++] = test;
}

/* Finds the conditions before the work, with only declarations before them; first those carried in
 * from the loops around (coarsen_carry.c). */
static void find_tests(segment *of) {
    ht_carried_visit(&of->t->c, ht_statement_of(of->list[of->begin]), on_carried, of);
    of->carried = of->test_count;
    for (size_t i = of->begin; i < of->end; ++i) {
        const ht_syntax *node = of->list[i];
        if (is_declaration(node) && of->test_count && ht_syntax_is_risky(node))
            return; /* a value of outputs that passed the tests before */
        if (is_declaration(node))
            continue;
        bool last = i + 1 == of->end;
        if (node->kind != HT_SYNTAX_IF || ht_test_skips(node) == last || !is_asked_ahead(of, node))
            return;
        HT_GROW(of->tests, of->test_count);
        of->tests[of->test_count++] = node;
    }
}

static bool is_test(const segment *of, const ht_syntax *node) {
    for (size_t i = 0; i < of->test_count; ++i)
        if (of->tests[i] == node)
            return true;
    return false;
}

/* Returns the statements as they run if all tests hold. free(). */
static const ht_syntax **untested(const segment *of, size_t *out_count) {
    const ht_syntax *last = of->list[of->end - 1];
    const ht_syntax *body = is_test(of, last) ? last->children[1] : NULL;
    bool block = body && body->kind == HT_SYNTAX_COMPOUND;
    const ht_syntax **items =
        ht_alloc(of->end - of->begin + (block ? body->count : 0) + 1, sizeof *items);
    *out_count = 0;
    for (size_t i = of->begin; i < of->end; ++i)
        if (!is_test(of, of->list[i]))
            items[(*out_count)++] = of->list[i];
    for (size_t i = 0; block && i < body->count; ++i)
        items[(*out_count)++] = body->children[i];
    if (body && !block)
        items[(*out_count)++] = body;
    return items;
}

/* Returns true unless the node is replaced, as a staged read is. */
static bool is_free(const void *context, const ht_syntax *node) {
    return !ht_tiled_is_replaced(context, node);
}

static void write_indices(ht_tiled *t, const bool *needed, ht_writer *writer, size_t like) {
    for (size_t i = 0; i < t->axis_count; ++i)
        if (needed[t->axes[i].variable])
            ht_tiled_write_index(t, i, false, writer, like);
}

static void write_front(const ht_vector_loop *loop, ht_writer *writer) {
    const segment *of = loop->context;
    write_indices(of->t, of->front, writer, loop->like);
    ht_tiled_write_again(of->t, NULL, 0, 0, of->front, writer, loop->like);
}

static void write_statements(const segment *of, const ht_vector_loop *loop, ht_writer *writer,
                             bool tested) {
    ht_tiled *t = of->t;
    ht_writer inner = {.c = &t->c, .depth = writer->depth};
    for (size_t i = of->begin; i < of->end; ++i)
        ht_tiled_collect_swaps(t, of->list[i], &inner, tested ? NULL : loop->vectors);
    for (size_t i = 0; i < of->carried && tested; ++i)
        ht_tiled_collect_swaps(t, of->tests[i]->children[0], &inner, NULL);
    write_indices(t, of->needed, &inner, loop->like);
    ht_tiled_write_again(t, of->list, of->begin, of->end, of->needed, &inner, loop->like);
    if (tested)
        ht_tiled_write_tests(t, of->list[of->begin], &inner, loop->like);
    for (size_t i = of->begin; i < of->end; ++i) {
        const ht_syntax *item = of->list[i];
        if (tested || !is_test(of, item))
            ht_tiled_write_items(t, of->list, i, i + 1, of->needed, &inner);
        else if (!ht_test_skips(item)) {
            ht_writer_line(&inner, loop->like);
            ht_writer_source(&inner, item->children[1]->range.begin,
                             ht_statement_end(&t->c, item->children[1]));
        }
    }
    ht_writer_join(writer, &inner);
}

static void write_body(const ht_vector_loop *loop, ht_writer *writer) {
    write_statements(loop->context, loop, writer, false);
}

static void write_tested(const ht_vector_loop *loop, ht_writer *writer) {
    write_statements(loop->context, loop, writer, true);
}

static void write_whole(const ht_vector_loop *loop, ht_writer *writer) {
    const segment *of = loop->context;
    ht_tiled_write_loops(of->t, NULL, 1, writer, loop->like);
    writer->depth += (int)of->t->axis_count - 1;
    ht_vectors_loop(loop, writer);
    writer->depth -= (int)of->t->axis_count - 1;
}

static void write_usual(const ht_vector_loop *loop, ht_writer *writer) {
    const segment *of = loop->context;
    of->usual(of->t, of->list, of->begin, of->end, writer);
}

static void note_needs(segment *of, const ht_vectors *vectors, ht_writer *writer) {
    ht_tiled *t = of->t;
    size_t count = vectors->count + of->test_count;
    const ht_syntax **nodes = ht_alloc(count + 1, sizeof *nodes);
    for (size_t i = 0; i < vectors->count; ++i)
        nodes[i] = vectors->items[i].node;
    for (size_t i = 0; i < of->test_count; ++i)
        nodes[vectors->count + i] = of->tests[i]->children[0];
    ht_tiled_needs_tests(t, of->list[of->begin], of->needed);
    writer->failed |= !ht_tiled_needs(t, of->list, of->begin, of->end, of->needed) ||
                      !ht_tiled_needs(t, nodes, 0, count, of->front);
    free(nodes);
}

static void write_segment(segment *of, ht_vectors *vectors, ht_writer *writer) {
    ht_tiled *t = of->t;
    const ht_tiled_axis *last = t->axes[t->axis_count - 1].form;
    ht_vectors_name(&t->c, vectors);
    note_needs(of, vectors, writer);
    char *inside = ht_format("!%s", t->names.edge);
    ht_vector_loop loop = {.vectors = vectors,
                           .counter = last->counter,
                           .factor = last->factor,
                           .width = t->vector.param,
                           .begin = t->vector.begin,
                           .each = t->vector.each,
                           .like = ht_statement_of(of->list[of->begin])->range.begin,
                           .tests = of->tests,
                           .test_count = of->test_count,
                           .inside = t->vector.inside,
                           .front = write_front,
                           .body = write_body,
                           .tested = write_tested,
                           .usual = write_usual,
                           .whole = write_whole,
                           .condition = inside,
                           .context = of};
    ht_vectors_write(&loop, writer);
    free(inside);
}

void ht_tiled_write_vectors(ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                            ht_tiled_usual *usual, ht_writer *writer) {
    segment of = {.t = t, .list = list, .begin = begin, .end = end, .usual = usual};
    ht_vectors vectors;
    size_t count;
    find_tests(&of);
    const ht_syntax **items = untested(&of, &count);
    ht_vectors_find(&t->c, items, count, is_free, t, t->again, &vectors);
    ht_vector_why_merge(&t->vector.why, &t->vector.at, vectors.why, vectors.at);
    if ((vectors.count || of.test_count > of.carried) && !of.apart) {
        of.front = ht_alloc(t->c.tree->variable_count + 1, sizeof(bool));
        of.needed = ht_alloc(t->c.tree->variable_count + 1, sizeof(bool));
        write_segment(&of, &vectors, writer);
        t->vector.count += vectors.count;
        free(of.front);
        free(of.needed);
    } else
        usual(t, list, begin, end, writer);
    ht_vectors_free(&vectors);
    free(of.tests);
    free(items);
}

bool ht_tiled_pack(ht_tiled_form *form, ht_tiled_packing *io_packing) {
    ht_tiled *t = form->inside;
    const ht_tiled_axis *last = t->axes[t->axis_count - 1].form;
    io_packing->why = NULL;
    if (!find_next(t))
        return false;
    char *begin = ht_format("%s_first", last->counter), *each = ht_format("%s_each", last->counter);
    t->vector.param = io_packing->param;
    t->c.vector.aligned = io_packing->aligned;
    t->vector.begin = ht_plan_name(t->c.plan, begin);
    t->vector.each = ht_plan_name(t->c.plan, each);
    t->vector.inside = ht_plan_name(t->c.plan, "inside");
    free(begin);
    free(each);
    free(ht_tiled_text(t)); /* counts them */
    io_packing->why = t->vector.why;
    io_packing->at = t->vector.at;
    io_packing->alignable = t->c.vector.alignable;
    if (!t->vector.count)
        t->vector.param = NULL;
    return t->vector.count > 0;
}
