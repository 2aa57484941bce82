/* Headers of loops in any order. In the template all counters are declared by the outermost loop,
 * and each header is that of the loop which the parameter puts there; tuned sources have plain
 * loops. */
#include "base/memory.h"
#include "refactor/transformations/loop_order/loop_order.h"

#include <stdlib.h>
#include <string.h>

size_t ht_nest_orders(size_t loops) {
    return loops == 2 ? 2 : 6;
}

/* The loop at a place: permutations in the order of a dictionary. */
static size_t loop_at(const ht_nest *nest, size_t order, size_t place) {
    static const size_t three[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    return nest->count == 2 ? (order + place) % 2 : three[order][place];
}

static char *source(const ht_node *node) {
    return ht_format("$[%zu,%zu]", node->range.begin, node->range.end);
}

typedef enum part { PART_FIRST, PART_CONDITION, PART_STEP } part;

/* A part of a loop's header. `may`: in the template, where a parameter says whether there are
 * strips, of which there are none with the first loop outermost. */
static void write_part(const ht_nest *nest, size_t index, size_t place, part which, bool may,
                       ht_text *out) {
    const ht_nest_loop *loop = &nest->loops[index];
    bool strips = nest->has_strip && index == 0 && (place > 0 || which != PART_CONDITION);
    char *condition = source(loop->node->children[1]), *step = source(loop->node->children[2]);
    char *first = source(loop->first);
    if (which == PART_FIRST && may && strips)
        ht_text_printf(out, "%s = %s", loop->name, nest->counter);
    else if (which == PART_FIRST && strips)
        ht_text_printf(out, "%s = $?{%s > 0}{}{%s}$?{%s == 0}{}{%s}", loop->name, nest->strip,
                       nest->counter, nest->strip, first);
    else if (which == PART_FIRST)
        ht_text_printf(out, "%s = %s", loop->name, first);
    else if (which == PART_STEP)
        ht_text_append(out, step);
    else if (may && strips)
        ht_text_printf(out, "%s && (%s == 0 || %s < %s + %s)", condition, nest->strip, loop->name,
                       nest->counter, nest->strip);
    else if (strips)
        ht_text_printf(out, "%s$?{%s > 0}{}{ && %s < %s + ${%s}}", condition, nest->strip,
                       loop->name, nest->counter, nest->strip);
    else
        ht_text_append(out, condition);
    free(condition);
    free(step);
    free(first);
}

/* (ORDER == 0 || ORDER == 1 ? c < C : ORDER == 2 ? ...): of the loop that is at the place. */
static void write_choice(const ht_nest *nest, size_t place, part which, ht_text *out) {
    bool seen[HT_NEST_LOOPS_MAX] = {0};
    size_t left = nest->count;
    for (size_t order = 0; order < ht_nest_orders(nest->count); ++order) {
        size_t index = loop_at(nest, order, place);
        if (seen[index])
            continue;
        seen[index] = true;
        bool last = --left == 0, first = true;
        for (size_t other = order; !last && other < ht_nest_orders(nest->count); ++other)
            if (loop_at(nest, other, place) == index) {
                ht_text_printf(out, "%s%s == %zu", first ? "" : " || ", nest->order, other);
                first = false;
            }
        ht_text_append(out, last ? "" : " ? ");
        ht_text_append(out, which == PART_CONDITION ? "(" : "(void)(");
        write_part(nest, index, place, which, true, out);
        ht_text_append(out, last ? ")" : ") : ");
    }
}

static void write_strips(const ht_nest *nest, bool may, ht_text *out) {
    const ht_nest_loop *loop = &nest->loops[0];
    char *first = source(loop->first), *bound = source(loop->bound);
    const char *counter = nest->counter;
    ht_text_printf(out, "%s%s = %s; ", nest->type, counter, first);
    if (may)
        ht_text_printf(out, "%s > 0 ? %s %s %s : %s == %s; %s += %s > 0 ? %s : 1", nest->strip,
                       counter, loop->compare, bound, counter, first, counter, nest->strip,
                       nest->strip);
    else
        ht_text_printf(out, "%s %s %s; %s += ${%s}", counter, loop->compare, bound, counter,
                       nest->strip);
    ht_text_append(out, ") for (");
    free(first);
    free(bound);
}

static void write_template(const ht_nest *nest, size_t place, ht_text *out) {
    if (place == 0 && nest->has_strip)
        write_strips(nest, true, out);
    for (size_t i = 0; place == 0 && i < nest->count; ++i) {
        ht_text_append(out, i ? ", " : nest->type);
        write_part(nest, i, place, PART_FIRST, true, out);
    }
    if (place > 0)
        write_choice(nest, place, PART_FIRST, out);
    ht_text_append(out, "; ");
    write_choice(nest, place, PART_CONDITION, out);
    ht_text_append(out, "; ");
    write_choice(nest, place, PART_STEP, out);
}

static void write_applied(const ht_nest *nest, size_t order, size_t place, ht_text *out) {
    size_t index = loop_at(nest, order, place);
    if (place == 0 && nest->has_strip) {
        ht_text_printf(out, "$?{%s > 0}{}{", nest->strip);
        write_strips(nest, false, out);
        ht_text_append(out, "}");
    }
    ht_text_append(out, nest->type);
    write_part(nest, index, place, PART_FIRST, false, out);
    ht_text_append(out, "; ");
    write_part(nest, index, place, PART_CONDITION, false, out);
    ht_text_append(out, "; ");
    write_part(nest, index, place, PART_STEP, false, out);
}

void ht_nest_write(ht_plan *plan, const ht_nest *nest) {
    for (size_t place = 0; place < nest->count; ++place) {
        ht_text text = {0};
        ht_text_append(&text, "$?{0}{");
        write_template(nest, place, &text);
        ht_text_append(&text, "}{}");
        for (size_t order = 0; order < ht_nest_orders(nest->count); ++order) {
            ht_text_printf(&text, "$?{%s == %zu}{}{", nest->order, order);
            write_applied(nest, order, place, &text);
            ht_text_append(&text, "}");
        }
        ht_plan_edit(plan, nest->loops[place].header, nest->order, text.data);
        ht_text_free(&text);
    }
}
