/* loop-order: the loops of a nest that only sums up may be exchanged, and the outermost one cut
 * into strips over which the others go together. The order is a parameter, with the original's as
 * the default. Sums of floats are then rounded differently, so results of other orders are compared
 * within the tolerance. docs/loop-order.md explains it. */
#include "refactor/plan/plan.h"
#include "refactor/transformations/loop_order/loop_sum.h"

#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/loops.h"
#include "refactor/kernel/steady.h"
#include "refactor/kernel/syntax_tree.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/transformations/coarsen/coarsen_checks.h"
#include "refactor/transformations/register_tile/tiled.h"
#include "refactor/transformations/register_tile/tiled_each.h"
#include "refactor/transformations/register_tile/tiled_stage.h"

#include <stdlib.h>
#include <string.h>

enum {
    NESTS_MAX = 2,
    TRIPS_UNROLLED = 64
}; /* compilers write smaller nests out, which then have no order */

/* ---- headers ---- */

/* Finds the text between the parentheses of the header. */
static bool find_header(const ht_coarsen *c, const ht_syntax *loop, ht_range *out_header) {
    const ht_tokens *tokens = ht_source_tokens(c->model->facts->source, 0);
    size_t at = ht_tokens_at(tokens, loop->start);
    if (!loop->plain || !ht_tokens_is(tokens, at, "for") || !ht_tokens_is(tokens, at + 1, "("))
        return false;
    size_t close = ht_tokens_close(tokens, at + 1);
    out_header->begin = tokens->items[at + 1].end;
    out_header->end = tokens->items[close].begin;
    return out_header->begin <= loop->children[0]->range.begin &&
           loop->children[2]->range.end <= out_header->end;
}

static bool is_seen(const ht_syntax_variable *variable, const void *context) {
    const ht_nest *nest = context;
    for (size_t i = 0; i < nest->count; ++i)
        if (strcmp(variable->name, nest->loops[i].name) == 0)
            return false;
    return true;
}

/* Returns true if the header has the same values throughout the launch, in whatever order the
 * loops stand, except for the loop's own counter. */
static bool is_steady(const ht_nest *nest, const ht_nest_loop *loop) {
    const ht_syntax *step = loop->node->children[2];
    const ht_steady asked = {.anew = true,
                             .common = true,
                             .counter = &loop->node->tree->variables[loop->counter],
                             .keeps = is_seen,
                             .context = nest};
    bool steps = step->kind == HT_SYNTAX_STEP || step->kind == HT_SYNTAX_ASSIGN;
    return steps && ht_syntax_named(step->children[0]) == asked.counter &&
           (step->kind == HT_SYNTAX_STEP || ht_syntax_is_steady(step->children[1], &asked)) &&
           ht_syntax_is_steady(loop->first, &asked) &&
           ht_syntax_is_steady(loop->node->children[1], &asked);
}

/* Notes the bound of a loop that counts up by one. */
static void find_bound(ht_nest_loop *loop) {
    const ht_syntax_variable *counter = &loop->node->tree->variables[loop->counter];
    const ht_syntax *bound;
    ht_loop_step step;
    int op;
    if (!ht_loop_step_read(loop->node->children[2], counter, &step) || step.down || step.by ||
        !ht_loop_bound(loop->node->children[1], counter, &op, &bound) ||
        (op != HT_BINARY_LT && op != HT_BINARY_LE) || !bound->plain)
        return;
    loop->bound = bound;
    loop->compare = ht_operator_text(op);
}

/* Reads for (int c = FIRST; CONDITION; STEP), with a counter that only the header changes. Returns
 * why the loop has another form; NULL: it has not. */
static const char *read_loop(ht_coarsen *c, ht_nest *nest, ht_nest_loop *loop) {
    const ht_syntax_variable *counter = ht_loop_counter(loop->node);
    if (!counter || !loop->node->children[1] || !loop->node->children[2] ||
        !ht_syntax_initializer(counter))
        return "its header declares no counter, or lacks a part";
    loop->counter = counter->index;
    loop->name = c->tree->variables[loop->counter].name;
    loop->first = ht_syntax_initializer(counter);
    for (size_t i = 0; &nest->loops[i] != loop; ++i)
        if (strcmp(nest->loops[i].name, loop->name) == 0)
            return "two counters have one name";
    char *text = ht_syntax_canonical_type(counter);
    bool same = !nest->type || strcmp(nest->type, text) == 0;
    free(nest->type);
    nest->type = text;
    if (!same || counter->type != HT_TYPE_INTEGER)
        return "counters are of different types";
    if (!find_header(c, loop->node, &loop->header) || !loop->first->plain ||
        loop->first->kind == HT_SYNTAX_LIST || !loop->node->children[1]->plain ||
        !loop->node->children[2]->plain)
        return "a macro writes a part of its header";
    find_bound(loop);
    return NULL;
}

/* ---- nests ---- */

/* Returns the last statement of the body, if it is a loop with only declarations before it; else
 * NULL. */
static const ht_syntax *inner_of(const ht_syntax *loop) {
    const ht_syntax *body = loop->children[3];
    while (body && body->kind == HT_SYNTAX_COMPOUND && body->count > 0) {
        for (size_t i = 0; i + 1 < body->count; ++i)
            if (body->children[i]->kind != HT_SYNTAX_DECLARATION)
                return NULL;
        body = body->children[body->count - 1];
    }
    return body && body->kind == HT_SYNTAX_FOR ? body : NULL;
}

/* Returns a statement next to a loop in the body; NULL: there is none. */
static const ht_syntax *beside(const ht_syntax *loop) {
    const ht_syntax *body = loop->children[3];
    for (size_t i = 0; body && body->kind == HT_SYNTAX_COMPOUND && i < body->count; ++i)
        if (body->children[i]->kind == HT_SYNTAX_FOR)
            return body->children[i > 0 ? i - 1 : i + 1];
    return NULL;
}

/* Returns a declaration between the loops; NULL: there is none. Those that the tiled form computes
 * again where they are needed do not count; others would be at a place where their counters do not
 * have values yet. */
static const ht_syntax *find_between(const ht_coarsen *c, ht_nest *nest) {
    const ht_tiled_form *form = ht_tiled_of(c->plan);
    const ht_syntax *last = nest->loops[nest->count - 1].node;
    for (size_t i = 0; i < c->tree->count; ++i) {
        const ht_syntax *node = c->tree->nodes[i];
        if (node->kind != HT_SYNTAX_DECLARATION || !ht_syntax_within(node, nest->loops[0].node) ||
            ht_syntax_within(node, last) || node->parent->kind == HT_SYNTAX_FOR)
            continue;
        nest->between = true;
        for (size_t k = 0; k < node->count; ++k)
            if (!form || !ht_tiled_computes_again(form, node->children[k]->variable))
                return node;
    }
    for (size_t i = 0; nest->between && i < nest->count; ++i)
        if (ht_tiled_loop_of(form, nest->loops[i].node) == SIZE_MAX)
            return nest->loops[i].node;
    return NULL;
}

static bool is_inner(const ht_coarsen *c, const ht_syntax *loop) {
    for (size_t i = 0; i < c->tree->count; ++i)
        if (c->tree->nodes[i]->kind == HT_SYNTAX_FOR && inner_of(c->tree->nodes[i]) == loop)
            return true;
    return false;
}

/* Returns true if the whole nest is so small that compilers write it out. */
static bool is_written_out(const ht_nest *nest) {
    int64_t product = 1, trip;
    for (size_t i = 0; i < nest->count; ++i) {
        if (!ht_syntax_trip_count(nest->loops[i].node, &trip))
            return false;
        product *= trip;
    }
    return product <= TRIPS_UNROLLED;
}

static void refuse(ht_coarsen *c, ht_position at, const char *why) {
    ht_plan_remark_place(c->plan, HT_REMARK_MISSED, at, "the order of the loops is kept: %s", why);
}

/* Reads the innermost loops, up to three, of a chain that begins with `loop`. Returns false if they
 * are not a nest. */
static bool read_nest(ht_coarsen *c, const ht_syntax *loop, ht_nest *nest) {
    const ht_syntax *chain[16];
    size_t count = 0;
    for (const ht_syntax *at = loop; at && count < 16; at = inner_of(at))
        chain[count++] = at;
    const ht_syntax *stands = beside(chain[count - 1]);
    if (stands)
        refuse(c, stands->at, "another statement stands next to the inner loop");
    if (stands || count < 2 || count == 16)
        return false;
    nest->count = count < HT_NEST_LOOPS_MAX ? count : HT_NEST_LOOPS_MAX;
    for (size_t i = 0; i < nest->count; ++i) {
        nest->loops[i].node = chain[count - nest->count + i];
        const char *why = read_loop(c, nest, &nest->loops[i]);
        if (why) {
            refuse(c, nest->loops[i].node->at, why);
            return false;
        }
    }
    stands = find_between(c, nest);
    if (stands) {
        refuse(c, stands->at, "a declaration between the loops is not computed again inside");
        return false;
    }
    for (size_t i = 0; i < nest->count; ++i)
        if (!is_steady(nest, &nest->loops[i])) {
            refuse(c, nest->loops[i].node->children[1]->at,
                   "a loop's bound is not the same for the whole launch");
            return false;
        }
    return !is_written_out(nest);
}

/* ---- headers in any order: in the template the outermost loop declares all counters, and each
 * header is that of the loop which the parameter puts there; tuned sources have plain loops ---- */

/* Returns the number of orders of two or three loops: the parameter's values. */
static size_t orders_of(size_t loops) {
    return loops == 2 ? 2 : 6;
}

/* Returns the loop at a place: permutations are in lexicographic order. */
static size_t loop_at(const ht_nest *nest, size_t order, size_t place) {
    static const size_t three[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    return nest->count == 2 ? (order + place) % 2 : three[order][place];
}

static char *source(const ht_syntax *node) {
    return ht_format("$[%zu,%zu]", node->range.begin, node->range.end);
}

typedef enum part { PART_FIRST, PART_CONDITION, PART_STEP } part;

/* Writes a part of a loop's header. `may`: in the template, where a parameter decides about strips;
 * there are none if the first loop is outermost. */
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

/* Writes a choice between the loops that may be at the place: (ORDER == 0 || ORDER == 1 ? c < C :
 * ORDER == 2 ? ...). */
static void write_choice(const ht_nest *nest, size_t place, part which, ht_text *out) {
    bool seen[HT_NEST_LOOPS_MAX] = {0};
    size_t left = nest->count;
    for (size_t order = 0; order < orders_of(nest->count); ++order) {
        size_t index = loop_at(nest, order, place);
        if (seen[index])
            continue;
        seen[index] = true;
        bool last = --left == 0, first = true;
        for (size_t other = order; !last && other < orders_of(nest->count); ++other)
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

/* Edits the headers. */
static void write_headers(ht_plan *plan, const ht_nest *nest) {
    for (size_t place = 0; place < nest->count; ++place) {
        ht_text text = {0};
        ht_text_append(&text, "$?{0}{");
        write_template(nest, place, &text);
        ht_text_append(&text, "}{}");
        for (size_t order = 0; order < orders_of(nest->count); ++order) {
            ht_text_printf(&text, "$?{%s == %zu}{}{", nest->order, order);
            write_applied(nest, order, place, &text);
            ht_text_append(&text, "}");
        }
        ht_plan_edit(plan, nest->loops[place].header, nest->order, text.data);
        ht_text_free(&text);
    }
}

/* ---- parameters ---- */

/* Returns true if the loop may be cut into strips: a pragma in front of it would become that of the
 * strips. */
static bool may_strip(const ht_coarsen *c, const ht_nest *nest) {
    const ht_nest_loop *loop = &nest->loops[0];
    size_t begin = loop->node->start;
    for (size_t i = 0; i < c->plan->edits.count; ++i)
        if (c->plan->edits.items[i].range.begin == begin &&
            c->plan->edits.items[i].range.end == begin)
            return false;
    return loop->bound && loop->node->range.begin == begin;
}

static void add_params(ht_coarsen *c, ht_nest *nest) {
    ht_plan *plan = c->plan;
    const char *outer = nest->loops[0].name;
    nest->order = ht_plan_name_upper(plan, "ORDER_", outer);
    ht_plan_param(plan, nest->order, nest->count == 2 ? "0, 1" : "0, 1, 2, 3, 4, 5", "0");
    if (plan->running.failed)
        return;
    ht_planned_param *param = &plan->params.items[plan->params.count - 1];
    param->rounds = nest->rounds;
    for (size_t i = 0; i < nest->count; ++i)
        param->nest[i] = nest->loops[i].node;
    param->nest_count = nest->count;
    if (nest->between)
        ht_plan_require(plan, "%s == 0 || %s", nest->order, ht_tiled_of(plan)->param);
    nest->has_strip = may_strip(c, nest);
    if (!nest->has_strip || nest->count == 0)
        return;
    nest->strip = ht_plan_name_upper(plan, "STRIP_", outer);
    char *wanted = ht_format("%s_strip", outer);
    nest->counter = ht_plan_name(plan, wanted);
    free(wanted);
    if (ht_plan_param(plan, nest->strip, "0, 4, 8, 16, 32", "0"))
        plan->params.items[plan->params.count - 1].rounds = nest->rounds;
    char *words = ht_format("strip of %s", outer);
    ht_plan_call(plan, nest->strip, words);
    free(words);
    /* with the loop outermost again, strips would run in the order of its iterations */
    ht_plan_require(plan, "%s == 0 || %s >= %zu", nest->strip, nest->order,
                    orders_of(nest->count) / nest->count);
}

static void remark(const ht_coarsen *c, const ht_nest *nest) {
    ht_text names = {0};
    for (size_t i = 0; i < nest->count; ++i)
        ht_text_printf(&names, i ? ", `%s`" : "`%s`", nest->loops[i].name);
    ht_plan_remark_place(
        c->plan, HT_REMARK_APPLIED, nest->loops[0].node->at,
        "the order of the loops over %s became %s%s%s%s", names.data, nest->order,
        nest->has_strip ? ", strips of the first " : "", nest->has_strip ? nest->strip : "",
        nest->rounds ? "; a sum in another order is rounded otherwise, so all but the "
                       "original's are compared within the tolerance"
                     : "");
    ht_text_free(&names);
}

static bool is_exact(const ht_model *model) {
    return model->entry && model->entry->has_tolerance && model->entry->exact;
}

static bool exchange(ht_coarsen *c, const ht_syntax *loop) {
    ht_nest nest = {0};
    ht_position place;
    bool done = read_nest(c, loop, &nest);
    if (done) {
        const char *why = ht_nest_why_not(c, &nest, &place);
        if (!why && nest.rounds && is_exact(c->model)) {
            why = "it adds up floats, and results are to be exact";
            place = nest.loops[0].node->at;
        }
        done = !why;
        if (why)
            refuse(c, place, why);
    }
    if (done) {
        add_params(c, &nest);
        if (!c->plan->running.failed)
            write_headers(c->plan, &nest);
        if (!c->plan->running.failed)
            remark(c, &nest);
    }
    free(nest.type);
    return done;
}

/* Returns true if a `for` stands in the body of another. */
static bool has_nest(const ht_syntax_tree *tree) {
    for (size_t i = 0; i < tree->count; ++i)
        if (tree->nodes[i]->kind == HT_SYNTAX_FOR)
            for (const ht_syntax *node = tree->nodes[i]->parent; node; node = node->parent)
                if (node->kind == HT_SYNTAX_FOR)
                    return true;
    return false;
}

static void apply(const ht_model *model, ht_plan *plan) {
    ht_coarsen c = {.model = model, .plan = plan, .x = SIZE_MAX};
    bool lanes = model->feature[HT_FEATURE_WAVEFRONT] || model->feature[HT_FEATURE_COOPERATIVE] ||
                 model->feature[HT_FEATURE_ASM] || model->feature[HT_FEATURE_GOTO];
    size_t done = 0;
    if (lanes || !has_nest(ht_syntax_of(model)))
        return;
    if (ht_coarsen_has_directives(model))
        ht_coarsen_refuse(&c, (ht_position){0}, "a preprocessor directive inside the kernel");
    if (!c.refused)
        ht_coarsen_tree(&c);
    if (!c.refused)
        ht_coarsen_check_calls(&c);
    for (size_t i = 0; !c.refused && !plan->running.failed && done < NESTS_MAX && i < c.tree->count;
         ++i)
        if (c.tree->nodes[i]->kind == HT_SYNTAX_FOR && !is_inner(&c, c.tree->nodes[i]))
            done += exchange(&c, c.tree->nodes[i]);
    plan->running.abandoned = c.refused;
    ht_coarsen_free(&c);
}

const ht_transformation ht_transformation_loop_order = {
    .name = "loop-order",
    .summary = "the order of loops that add up",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_FORMS,
    .searched = {.drops = {{170, "STRIP_"}, {180, NULL}}},
};
