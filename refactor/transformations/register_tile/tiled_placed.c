#include "refactor/transformations/register_tile/tiled_placed.h"
#include "refactor/transformations/coarsen/coarsen_carry.h"
#include "refactor/transformations/coarsen/coarsen_place.h"
#include "refactor/transformations/register_tile/tiled_share.h"

#include <stdlib.h>

static void on_test(const ht_syntax *test, bool skips, void *context) {
    (void)test;
    (void)skips;
    *(bool *)context = true;
}

typedef struct placed_walk {
    const ht_tiled *t;
    bool *axes; /* by axis: the value is made of its index; owned by the caller */
    bool good;
} placed_walk;

static bool declaration_read(const ht_syntax *node, placed_walk *walk);

static bool on_name(const ht_syntax *node, void *context) {
    placed_walk *walk = context;
    const ht_tiled *t = walk->t;
    if (node->kind != HT_SYNTAX_NAME)
        return walk->good;
    for (size_t i = 0; i < t->axis_count; ++i)
        walk->axes[i] = walk->axes[i] || t->axes[i].variable == node->variable;
    if (t->again[node->variable])
        walk->good =
            walk->good && declaration_read(t->c.tree->variables[node->variable].declaration, walk);
    return walk->good;
}

/* Adds the axes that a declaration's value is made of. Returns false if it cannot stay. */
static bool declaration_read(const ht_syntax *node, placed_walk *walk) {
    const ht_syntax *statement = ht_statement_of(node);
    bool tested = false;
    if (node->kind != HT_SYNTAX_VARIABLE || !walk->t->again[node->variable] ||
        statement->count != 1 || !statement->plain)
        return false;
    ht_carried_visit(&walk->t->c, statement, on_test, &tested);
    if (tested) /* it would run where a test kept the original from it */
        return false;
    ht_syntax_walk(node->children[0], on_name, walk);
    return walk->good;
}

/* Returns when a thread has one output along each of the axes; free(). NULL: there are none. */
static char *when_one(const ht_tiled *t, const bool *axes) {
    ht_text text = {0};
    for (size_t i = 0; i < t->axis_count; ++i)
        if (axes[i])
            ht_text_printf(&text, text.length ? " && %s == 1" : "%s == 1", t->axes[i].form->factor);
    return text.length ? ht_text_take(&text) : NULL;
}

char *ht_tiled_placed(const ht_tiled *t, const ht_syntax *variable) {
    bool axes[HT_TILED_AXES_MAX] = {false};
    placed_walk walk = {t, axes, true};
    bool placed = t->text == HT_TILE_THREAD && declaration_read(variable, &walk);
    return placed ? when_one(t, axes) : NULL;
}

char *ht_tiled_placed_test(const ht_tiled *t, const ht_syntax *test) {
    bool axes[HT_TILED_AXES_MAX] = {false}, tested = false;
    placed_walk walk = {t, axes, true};
    if (t->text != HT_TILE_THREAD || test->kind != HT_SYNTAX_IF || !test->plain ||
        !t->c.marks[test->index].skips || ht_syntax_is_risky(test->children[0]))
        return NULL;
    ht_carried_visit(&t->c, test, on_test, &tested);
    if (!tested)
        ht_syntax_walk(test->children[0], on_name, &walk);
    return tested || !walk.good ? NULL : when_one(t, axes);
}

void ht_tiled_write_placed(const ht_tiled *t, ht_syntax_list list, size_t begin, size_t end,
                           ht_writer *writer) {
    for (size_t i = begin; i < end; ++i) {
        ht_syntax_list variables;
        size_t count = ht_syntax_variables(list[i], &variables);
        char *when = count == 1   ? ht_tiled_placed(t, variables[0])
                     : count == 0 ? ht_tiled_placed_test(t, list[i])
                                  : NULL;
        if (when) {
            ht_writer_printf(writer, "$?{%s}{}{", when);
            ht_writer_statement(writer, ht_statement_of(list[i]));
            ht_writer_printf(writer, "}");
        }
        free(when);
    }
}
