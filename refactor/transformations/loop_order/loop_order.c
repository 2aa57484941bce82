/* loop-order: the loops of a nest that only adds up may be exchanged, and the outermost cut into
 * strips that the others go over together. In which order they are run is a parameter; that of the
 * original is its default. Sums of floats are then rounded otherwise, so that all but the default
 * are compared within the tolerance. docs/loop-order.md explains it. */
#include "refactor/transformations/loop_order/loop_order.h"

#include "base/memory.h"
#include "refactor/transformations/register_tile/tiled.h"

#include <stdlib.h>
#include <string.h>

enum { NESTS_MAX = 2, TRIPS_UNROLLED = 64 }; /* loops that compilers write out have no order */

/* ---- headers
 * ------------------------------------------------------------------------------------------- */

/* Between the parentheses of the header. */
static bool find_header(const ht_coarsen *c, const ht_node *loop, ht_range *out_header) {
    const ht_tokens *tokens = &c->model->facts->source->tokens;
    unsigned offset;
    clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(loop->cursor)), NULL, NULL,
                               NULL, &offset);
    size_t at = ht_tokens_at(tokens, offset);
    if (!loop->plain || !ht_tokens_is(tokens, at, "for") || !ht_tokens_is(tokens, at + 1, "("))
        return false;
    size_t close = ht_tokens_close(tokens, at + 1);
    out_header->begin = tokens->items[at + 1].end;
    out_header->end = tokens->items[close].begin;
    return out_header->begin <= loop->children[0]->range.begin &&
           loop->children[2]->range.end <= out_header->end;
}

typedef struct steady_walk {
    ht_coarsen *c;
    size_t counter;
    const ht_nest *nest;
    bool steady;
} steady_walk;

/* Is it the same throughout the launch, but for the loop's own counter? */
static bool on_steady(ht_node *node, void *context) {
    steady_walk *walk = context;
    ht_coarsen *c = walk->c;
    const ht_variable *variable;
    switch (node->kind) {
    case HT_NODE_CONSTANT:
    case HT_NODE_BINARY:
    case HT_NODE_UNARY:
    case HT_NODE_PAREN:
    case HT_NODE_CAST:
    case HT_NODE_CONDITIONAL:
    case HT_NODE_VARIABLE:
        break;
    case HT_NODE_ASSIGN:
    case HT_NODE_STEP: {
        ht_node *target = ht_node_strip(node->children[0]);
        walk->steady &= target->kind == HT_NODE_NAME && target->variable == walk->counter;
        break;
    }
    case HT_NODE_NAME:
        if (node->variable == walk->counter)
            break;
        variable = &c->variables[node->variable];
        for (size_t i = 0; i < walk->nest->count; ++i) /* which would hide it */
            walk->steady &= strcmp(variable->name, walk->nest->loops[i].name) != 0;
        walk->steady &= (variable->is_local || variable->is_parameter) && !variable->is_array &&
                        !variable->is_reference && ht_variable_is_constant(c, node->variable);
        if (walk->steady && variable->is_local) {
            walk->steady = variable->declaration && variable->declaration->count;
            if (walk->steady)
                ht_node_walk(variable->declaration->children[0], on_steady, walk);
        }
        break;
    default:
        walk->steady = false;
    }
    return walk->steady;
}

static bool is_steady(ht_coarsen *c, const ht_nest *nest, const ht_nest_loop *loop) {
    steady_walk walk = {c, loop->counter, nest, true};
    ht_node_walk(loop->first, on_steady, &walk);
    ht_node_walk(loop->node->children[1], on_steady, &walk);
    ht_node_walk(loop->node->children[2], on_steady, &walk);
    return walk.steady;
}

/* Counts it up by one, below (or up to) something? */
static void find_bound(ht_nest_loop *loop) {
    ht_node *condition = ht_node_strip(loop->node->children[1]), *step = loop->node->children[2];
    bool up = step->kind == HT_NODE_STEP &&
              (step->op == CXUnaryOperator_PreInc || step->op == CXUnaryOperator_PostInc);
    if (!up || condition->kind != HT_NODE_BINARY ||
        (condition->op != CXBinaryOperator_LT && condition->op != CXBinaryOperator_LE))
        return;
    ht_node *left = ht_node_strip(condition->children[0]);
    if (left->kind != HT_NODE_NAME || left->variable != loop->counter ||
        !condition->children[1]->plain)
        return;
    loop->bound = condition->children[1];
    loop->compare = condition->op == CXBinaryOperator_LT ? "<" : "<=";
}

/* for (int c = FIRST; CONDITION; STEP), with a counter that only the header changes. */
static const char *read_loop(ht_coarsen *c, ht_nest *nest, ht_nest_loop *loop) {
    ht_node *init = loop->node->children[0];
    if (!init || !loop->node->children[1] || !loop->node->children[2] ||
        init->kind != HT_NODE_DECLARATION || init->count != 1 || !init->children[0]->count)
        return "its header declares no counter, or lacks a part";
    ht_node *variable = init->children[0];
    loop->counter = variable->variable;
    loop->name = c->variables[loop->counter].name;
    loop->first = variable->children[0];
    for (size_t i = 0; &nest->loops[i] != loop; ++i)
        if (strcmp(nest->loops[i].name, loop->name) == 0)
            return "two counters have one name";
    CXType type = clang_getCanonicalType(clang_getCursorType(variable->cursor));
    CXString spelling = clang_getTypeSpelling(ht_type_unqualified(type));
    char *text = ht_format("%s ", clang_getCString(spelling));
    clang_disposeString(spelling);
    bool same = !nest->type || strcmp(nest->type, text) == 0;
    free(nest->type);
    nest->type = text;
    if (!same || variable->type != HT_TYPE_INTEGER)
        return "counters are of different types";
    if (!find_header(c, loop->node, &loop->header) || !loop->first->plain ||
        loop->first->kind == HT_NODE_LIST || !loop->node->children[1]->plain ||
        !loop->node->children[2]->plain)
        return "a macro writes a part of its header";
    find_bound(loop);
    return NULL;
}

/* ---- nests
 * ------------------------------------------------------------------------------------------- */

/* The last statement of the body, when it is a loop and declarations are all that stands ahead. */
static ht_node *inner_of(const ht_node *loop) {
    ht_node *body = loop->children[3];
    while (body && body->kind == HT_NODE_COMPOUND && body->count > 0) {
        for (size_t i = 0; i + 1 < body->count; ++i)
            if (body->children[i]->kind != HT_NODE_DECLARATION)
                return NULL;
        body = body->children[body->count - 1];
    }
    return body && body->kind == HT_NODE_FOR ? body : NULL;
}

/* Stands a loop in the body beside something else? */
static ht_node *beside(const ht_node *loop) {
    const ht_node *body = loop->children[3];
    for (size_t i = 0; body && body->kind == HT_NODE_COMPOUND && i < body->count; ++i)
        if (body->children[i]->kind == HT_NODE_FOR)
            return body->children[i > 0 ? i - 1 : i + 1];
    return NULL;
}

/* A declaration between the loops that is not computed again where it is needed, in the tiled form:
 * elsewhere it would stand where the counters that it asks for have no values yet. */
static ht_node *find_between(const ht_coarsen *c, ht_nest *nest) {
    const ht_tiled_form *form = ht_tiled_of(c->plan);
    const ht_node *last = nest->loops[nest->count - 1].node;
    for (size_t i = 0; i < c->node_count; ++i) {
        ht_node *node = c->nodes[i];
        if (node->kind != HT_NODE_DECLARATION || !ht_node_within(node, nest->loops[0].node) ||
            ht_node_within(node, last) || node->parent->kind == HT_NODE_FOR)
            continue;
        nest->between = true;
        for (size_t k = 0; k < node->count; ++k)
            if (!form || !ht_tiled_computes_again(form, node->children[k]->cursor))
                return node;
    }
    for (size_t i = 0; nest->between && i < nest->count; ++i)
        if (ht_tiled_loop_of(form, nest->loops[i].node->cursor) == SIZE_MAX)
            return nest->loops[i].node;
    return NULL;
}

static bool is_inner(const ht_coarsen *c, const ht_node *loop) {
    for (size_t i = 0; i < c->node_count; ++i)
        if (c->nodes[i]->kind == HT_NODE_FOR && inner_of(c->nodes[i]) == loop)
            return true;
    return false;
}

/* Is the whole nest so small that compilers write it out? */
static bool is_written_out(const ht_coarsen *c, const ht_nest *nest) {
    int64_t product = 1, trip;
    for (size_t i = 0; i < nest->count; ++i) {
        if (!ht_ast_trip_count(c->model, nest->loops[i].node->cursor, &trip))
            return false;
        product *= trip;
    }
    return product <= TRIPS_UNROLLED;
}

static void refuse(ht_coarsen *c, CXCursor at, const char *why) {
    ht_plan_remark(c->plan, HT_REMARK_MISSED, at, "the order of the loops is kept: %s", why);
}

/* The innermost loops, up to three, of a chain that begins with `loop`. False: there is no nest. */
static bool read_nest(ht_coarsen *c, ht_node *loop, ht_nest *nest) {
    ht_node *chain[16];
    size_t count = 0;
    for (ht_node *at = loop; at && count < 16; at = inner_of(at))
        chain[count++] = at;
    ht_node *stands = beside(chain[count - 1]);
    if (stands)
        refuse(c, stands->cursor, "another statement stands next to the inner loop");
    if (stands || count < 2 || count == 16)
        return false;
    nest->count = count < HT_NEST_LOOPS_MAX ? count : HT_NEST_LOOPS_MAX;
    for (size_t i = 0; i < nest->count; ++i) {
        nest->loops[i].node = chain[count - nest->count + i];
        const char *why = read_loop(c, nest, &nest->loops[i]);
        if (why) {
            refuse(c, nest->loops[i].node->cursor, why);
            return false;
        }
    }
    stands = find_between(c, nest);
    if (stands) {
        refuse(c, stands->cursor, "what stands between the loops is not the tiled form's own");
        return false;
    }
    for (size_t i = 0; i < nest->count; ++i)
        if (!is_steady(c, nest, &nest->loops[i])) {
            refuse(c, nest->loops[i].node->children[1]->cursor,
                   "how far a loop goes is not the same for the whole launch");
            return false;
        }
    return !is_written_out(c, nest);
}

/* ---- parameters
 * ------------------------------------------------------------------------------------------- */

/* A pragma in front of the loop would be that of the strips. */
static bool may_strip(const ht_coarsen *c, const ht_nest *nest) {
    const ht_nest_loop *loop = &nest->loops[0];
    unsigned begin;
    clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(loop->node->cursor)), NULL,
                               NULL, NULL, &begin);
    for (size_t i = 0; i < c->plan->edit_count; ++i)
        if (c->plan->edits[i].range.begin == begin && c->plan->edits[i].range.end == begin)
            return false;
    return loop->bound && loop->node->range.begin == begin;
}

static void add_params(ht_coarsen *c, ht_nest *nest) {
    ht_plan *plan = c->plan;
    const char *outer = nest->loops[0].name;
    nest->order = ht_plan_name_upper(plan, "ORDER_", outer);
    ht_plan_param(plan, nest->order, nest->count == 2 ? "0, 1" : "0, 1, 2, 3, 4, 5", "0");
    if (plan->failed)
        return;
    ht_planned_param *param = &plan->params[plan->param_count - 1];
    param->rounds = nest->rounds;
    for (size_t i = 0; i < nest->count; ++i)
        param->nest[i] = nest->loops[i].node->cursor;
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
        plan->params[plan->param_count - 1].rounds = nest->rounds;
    /* with the loop outermost again, strips would follow each other as its iterations do */
    ht_plan_require(plan, "%s == 0 || %s >= %zu", nest->strip, nest->order,
                    ht_nest_orders(nest->count) / nest->count);
}

static void remark(const ht_coarsen *c, const ht_nest *nest) {
    ht_text names = {0};
    for (size_t i = 0; i < nest->count; ++i)
        ht_text_printf(&names, i ? ", `%s`" : "`%s`", nest->loops[i].name);
    ht_plan_remark(c->plan, HT_REMARK_APPLIED, nest->loops[0].node->cursor,
                   "the order of the loops over %s became %s%s%s%s", names.data, nest->order,
                   nest->has_strip ? ", strips of the first " : "",
                   nest->has_strip ? nest->strip : "",
                   nest->rounds ? "; a sum in another order is rounded otherwise, so all but the "
                                  "original's are compared within the tolerance"
                                : "");
    ht_text_free(&names);
}

static bool is_exact(const ht_model *model) {
    return model->entry && model->entry->has_tolerance && model->entry->exact;
}

static bool exchange(ht_coarsen *c, ht_node *loop) {
    ht_nest nest = {0};
    CXCursor place;
    bool done = read_nest(c, loop, &nest);
    if (done) {
        const char *why = ht_nest_why_not(c, &nest, &place);
        if (!why && nest.rounds && is_exact(c->model)) {
            why = "it adds up floats, and results are to be exact";
            place = nest.loops[0].node->cursor;
        }
        done = !why;
        if (why)
            refuse(c, place, why);
    }
    if (done) {
        add_params(c, &nest);
        if (!c->plan->failed)
            ht_nest_write(c->plan, &nest);
        if (!c->plan->failed)
            remark(c, &nest);
    }
    free(nest.type);
    return done;
}

static bool on_inner_loop(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    *(bool *)context |= clang_getCursorKind(cursor) == CXCursor_ForStmt;
    return !*(bool *)context;
}

static bool on_loop(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    CXCursor init, condition, increment, body;
    if (clang_getCursorKind(cursor) != CXCursor_ForStmt)
        return true;
    if (!ht_ast_for(cursor, &init, &condition, &increment, &body))
        return true;
    on_inner_loop(body, cursor, context);
    ht_ast_walk(body, on_inner_loop, context);
    return !*(bool *)context;
}

static void apply(const ht_model *model, ht_plan *plan) {
    ht_coarsen c = {.model = model, .plan = plan, .x = SIZE_MAX};
    bool lanes = model->feature[HT_FEATURE_WAVEFRONT] || model->feature[HT_FEATURE_COOPERATIVE] ||
                 model->feature[HT_FEATURE_ASM] || model->feature[HT_FEATURE_GOTO];
    size_t done = 0;
    bool nested = false;
    ht_ast_walk(model->body, on_loop, &nested);
    if (lanes || !nested)
        return;
    if (ht_coarsen_has_directives(model))
        ht_coarsen_refuse(&c, model->kernel, "a preprocessor directive inside the kernel");
    if (!c.refused)
        ht_coarsen_tree(&c);
    if (!c.refused)
        ht_coarsen_check_calls(&c);
    for (size_t i = 0; i < c.node_count && !c.refused && !plan->failed && done < NESTS_MAX; ++i)
        if (c.nodes[i]->kind == HT_NODE_FOR && !is_inner(&c, c.nodes[i]))
            done += exchange(&c, c.nodes[i]);
    plan->abandoned = c.refused;
    ht_coarsen_free(&c);
}

void ht_loop_order_keep(ht_plan *plan, CXCursor loop, const char *where) {
    for (size_t i = 0; i < plan->param_count; ++i) {
        const ht_planned_param *param = &plan->params[i];
        size_t rest = ht_nest_orders(param->nest_count); /* that keep those outside of it */
        for (size_t d = 0; d < param->nest_count; ++d) {
            rest /= param->nest_count - d;
            if (clang_equalCursors(param->nest[d], loop))
                ht_plan_require(plan, "!(%s) || %s < %zu", where, param->name, rest);
        }
    }
}

const ht_transformation ht_transformation_loop_order = {
    .name = "loop-order",
    .summary = "the order of loops that add up",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_FORMS,
    .searched = {.drops = {{170, "STRIP_"}, {180, NULL}}},
};
