/* register-tile: the tiled form of a kernel (tiled.h), next to the form that the other
 * transformations made. A parameter chooses between them. docs/tiling.md says when this is done and
 * why it is right. */
#include "base/memory.h"
#include "refactor/kernel/reach.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/coverage.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_checks.h"
#include "refactor/transformations/coarsen/coarsen_prepare.h"
#include "refactor/transformations/coarsen/coarsen_share.h"
#include "refactor/transformations/coarsen/coarsen_write.h"
#include "refactor/transformations/register_tile/tiled_ahead.h"
#include "refactor/transformations/register_tile/tiled_front.h"
#include "refactor/transformations/register_tile/tiled_gain.h"
#include "refactor/transformations/register_tile/tiled_once.h"
#include "refactor/transformations/register_tile/tiled_parts.h"
#include "refactor/transformations/register_tile/tiled_plain.h"
#include "refactor/transformations/register_tile/tiled_share.h"
#include "refactor/transformations/register_tile/tiled_single.h"
#include "refactor/transformations/register_tile/tiled_stage.h"
#include "refactor/transformations/register_tile/tiled_write.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 32 }; /* outputs of a thread */

/* ---- reasons against it ---- */

static const struct {
    ht_feature feature;
    const char *what;
} obstacles[] = {{HT_FEATURE_BARRIER, "threads meet at a barrier"},
                 {HT_FEATURE_SHARED, "threads share memory"},
                 {HT_FEATURE_DYNAMIC_LDS, "threads share memory"},
                 {HT_FEATURE_WAVEFRONT, "the lanes of a wavefront exchange values"},
                 {HT_FEATURE_COOPERATIVE, "threads form cooperative groups"},
                 {HT_FEATURE_ATOMIC, "there is an atomic operation"},
                 {HT_FEATURE_ASM, "there is inline assembly"},
                 {HT_FEATURE_INDEX_ESCAPE, "thread or block indices are used as a whole"}};

enum { MEETING = 2, OBSTACLES = sizeof obstacles / sizeof *obstacles };

static void refuse_obstacles(ht_tiled *t, size_t begin, size_t end) {
    const ht_model *model = t->c.model;
    for (size_t i = begin; i < end; ++i)
        if (model->feature[obstacles[i].feature])
            ht_coarsen_refuse(&t->c, (ht_position){0}, "%s (line %d)", obstacles[i].what,
                              model->feature_line[obstacles[i].feature]);
}

/* Refuses what rules the form out. Where threads meet, blocks may be joined along a suitable
 * index. */
static bool is_ruled_out(ht_tiled *t) {
    const ht_model *model = t->c.model;
    refuse_obstacles(t, MEETING, OBSTACLES);
    if (!model->launch_known || model->facts->problem.text)
        ht_coarsen_refuse(&t->c, (ht_position){0}, "the block of its launch is not known");
    if (t->c.plan->launches.renumbered && !(t->c.meets && t->c.plan->stack.param))
        ht_coarsen_refuse(&t->c, (ht_position){0},
                          "threads already compute their places in the original's blocks");
    return t->c.refused;
}

/* Finds the variable that holds the global index along an axis, at the top of the kernel. */
static void find_axis(ht_tiled *t, int axis) {
    ht_coarsen *c = &t->c;
    const ht_axis *of = &c->model->axes[axis];
    size_t found = ht_syntax_index_variable(c->tree, axis);
    const ht_syntax *node = found == SIZE_MAX ? NULL : c->tree->variables[found].declaration;
    if (!node || !node->count || node->parent->parent != c->tree->body || node->range.end == 0 ||
        !ht_syntax_is_global(node->children[0], axis)) {
        ht_coarsen_refuse(c, (ht_position){0}, "no variable holds the global index over %c",
                          'x' + axis);
        return;
    }
    const ht_syntax_variable *variable = &c->tree->variables[found];
    char *type = ht_coarsen_index_type(c, found);
    if (node->type != HT_TYPE_INTEGER || node->bits < 32 || !type || variable->measured)
        ht_coarsen_refuse(c, node->at, "the type of the global index is not understood");
    if (of->uses_thread || of->uses_block || of->uses_grid_dim || !ht_plan_block(c->plan, axis))
        ht_coarsen_refuse(c, node->at, "%c of the block or grid serves more than `%s`", 'x' + axis,
                          variable->name);
    if (axis == 0 && c->model->facts->flat_uses > 0)
        ht_coarsen_refuse(c, node->at, "blocks are counted over two axes of the grid");
    if (variable->changed)
        ht_coarsen_refuse(c, variable->changed->at, "`%s` is changed, or its address is taken",
                          variable->name);
    size_t i = t->axis_count++;
    t->form.axis_count = t->axis_count;
    t->axes[i] = (ht_tile_axis){.form = &t->form.axes[i], .variable = found, .type = type};
    t->form.axes[i] = (ht_tiled_axis){.axis = axis, .variable = variable, .name = variable->name};
}

static bool is_axis(const ht_tiled *t, int axis) {
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->axes[i].form->axis == axis)
            return true;
    return false;
}

/* Checks that threadIdx, and blockIdx along the outputs' axes, are used for the indices only. */
static void check_indices(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    t->part = ht_alloc(c->tree->variable_count + 1, sizeof *t->part);
    for (size_t i = 0; i < c->tree->count && !c->refused; ++i) { /* in the order of the source */
        const ht_syntax *node = c->tree->nodes[i];
        bool index = node->kind == HT_SYNTAX_GLOBAL ||
                     (node->kind == HT_SYNTAX_INDEX &&
                      (node->op == HT_INDEX_THREAD ||
                       (is_axis(t, node->axis) &&
                        (node->op == HT_INDEX_BLOCK || node->op == HT_INDEX_GRID_DIM))));
        bool named = node->kind == HT_SYNTAX_NAME && t->part[node->variable];
        if (!index && !named)
            continue;
        const ht_syntax *up = node;
        while (up && up->kind != HT_SYNTAX_VARIABLE && up->kind > HT_SYNTAX_EMPTY)
            up = up->parent;
        bool declares = up && up->kind == HT_SYNTAX_VARIABLE;
        if (declares && ht_tiled_is_index(t, up->variable))
            continue;
        if (!declares)
            ht_coarsen_refuse(c, node->at,
                              "threadIdx or blockIdx is used outside of the global indices");
        else
            t->part[up->variable] = true;
    }
}

/* Returns true if there is a loop or several reads: otherwise outputs share nothing. */
static bool is_worth(const ht_tiled *t) {
    size_t reads = 0, loops = 0;
    for (size_t i = 0; i < t->c.tree->count; ++i) {
        const ht_syntax *node = t->c.tree->nodes[i];
        loops += ht_syntax_is_loop(node);
        reads += ht_syntax_is_element(node);
    }
    return loops > 0 || reads > 3;
}

/* ---- parameters ---- */

static bool has_param(const ht_plan *plan, const char *name) {
    for (size_t i = 0; i < plan->params.count; ++i)
        if (strcmp(plan->params.items[i].name, name) == 0)
            return true;
    return false;
}

/* Names the parameters of an axis: those of coarsening if there are such, else new ones. */
static void add_factor(ht_tiled *t, ht_tiled_axis *axis) {
    static const char *const values[] = {"1, 2, 4, 8", "1, 2, 4, 8", "1, 2, 4"};
    ht_plan *plan = t->c.plan;
    const char *existing = ht_plan_cover_param(plan, axis->axis);
    char *strided = existing ? ht_format("%s_STRIDED", existing) : NULL;
    if (existing && has_param(plan, strided)) {
        axis->factor = ht_strdup(existing);
        axis->strided = strided;
        return;
    }
    free(strided);
    char *wanted = ht_format("COARSEN_%c", 'X' + axis->axis);
    axis->factor = ht_strdup(ht_plan_name(plan, wanted));
    axis->strided = ht_strdup(ht_tiled_name_like(plan, "_STRIDED", axis->factor));
    ht_plan_param(plan, axis->factor, values[axis->axis], "1");
    ht_plan_call(plan, axis->factor, ht_outputs_words);
    ht_plan_param(plan, axis->strided, "false, true", "false");
    ht_plan_require(plan, "(%s > 1 && %s > 1) || !%s", axis->factor,
                    ht_plan_block(plan, axis->axis), axis->strided);
    ht_plan_require(plan, "%s || %s == 1", t->form.param, axis->factor);
    ht_plan_cover(plan, axis->axis, axis->factor);
    plan->running.failed |= existing != NULL;
    free(wanted);
}

static void add_params(ht_tiled *t) {
    ht_plan *plan = t->c.plan;
    t->form.param = ht_plan_name(plan, "TILED");
    t->names.edge = ht_plan_name(plan, "edge");
    t->names.whole = ht_plan_name(plan, "all_inside");
    t->names.tile = ht_plan_name(plan, "tile");
    t->form.apart = ht_plan_name(plan, "EDGE_APART");
    ht_plan_param(plan, t->form.param, "false, true", "false");
    ht_plan_param(plan, t->form.apart, "false, true", "false");
    ht_plan_form(plan, t->form.apart, "a lambda around the body");
    ht_plan_require(plan, "%s || !%s", t->form.param, t->form.apart);
    if (plan->forms.wide.jam)
        ht_plan_require(plan, "!%s || !%s", t->form.param, plan->forms.wide.jam);
    if (plan->forms.wide.rows)
        ht_plan_require(plan, "!%s || !%s", t->form.param, plan->forms.wide.rows);
    if (plan->stack.param) /* the form has the original's blocks, one by one */
        ht_plan_require(plan, "!%s || %s == 1", t->form.param, plan->stack.param);
    for (size_t i = 0; i < t->axis_count; ++i) {
        ht_tiled_axis *axis = t->axes[i].form;
        add_factor(t, axis);
        axis->extent = ht_plan_per_block(plan, axis->axis);
        ht_tiled_name_axis(t, i);
    }
}

static void limit_values(ht_tiled *t) {
    ht_text outputs = {0};
    for (size_t i = 0; i < t->axis_count; ++i)
        ht_text_printf(&outputs, i ? " * %s" : "%s", t->axes[i].form->factor);
    ht_plan_require(t->c.plan, "!%s || %s <= %d", t->form.param, outputs.data, VALUES_MAX);
    ht_text_free(&outputs);
}

/* ---- the form in the plan ---- */

static void list_loops(ht_tiled *t, const ht_syntax *node, size_t parent) {
    if (!node || t->c.marks[node->index].apart || !ht_node_any_apart(&t->c, node))
        return;
    if (ht_syntax_is_loop(node)) {
        HT_GROW(t->form.loops, t->form.loop_count);
        t->form.loops[t->form.loop_count] = (ht_tiled_loop){node, parent};
        parent = t->form.loop_count++;
    }
    for (size_t i = 0; i < node->count; ++i)
        list_loops(t, node->children[i], parent);
}

static void make_form(ht_tiled *t) {
    ht_plan *plan = t->c.plan;
    ht_tiled_cut(t);
    if (!t->c.refused)
        ht_tiled_settle(t);
    if (t->c.refused)
        return;
    t->along = ht_alloc(t->c.tree->count + 1, sizeof *t->along);
    ht_tiled_add_plain(t);
    if (t->axis_count == 0) {
        refuse_obstacles(t, 0, MEETING);
        return;
    }
    ht_tiled_note_idle(t);
    limit_values(t);
    for (size_t i = 0; i < t->body.work.count; ++i)
        list_loops(t, t->body.work.statements[i], SIZE_MAX);
    char *form = ht_tiled_text(t);
    if (!form) {
        ht_coarsen_refuse(&t->c, (ht_position){0}, "a macro or a declaration stands in the way");
        return;
    }
    if (!ht_tiled_put(t, form))
        plan->running.failed = true;
    free(form);
}

/* Finds the axes along which a thread computes several outputs. Where threads meet there are none;
 * several blocks' outputs may then be joined (tiled_plain.c). */
static void find_axes(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    for (int axis = 2; axis >= 0 && !c->refused && !c->meets; --axis)
        if (c->model->axes[axis].uses_global)
            find_axis(t, axis);
    if (c->meets)
        t->part = ht_alloc(c->tree->variable_count + 1, sizeof *t->part);
    else if (!c->refused)
        check_indices(t);
}

/* Refuses barriers and shared arrays in functions that the kernel calls. */
static void check_reached(ht_tiled *t) {
    ht_position at;
    if (ht_reach_meets(t->c.model, &at))
        ht_coarsen_refuse(&t->c, at, "threads meet in a function");
}

static void tile(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    c->carries = true;
    c->meets = c->model->feature[HT_FEATURE_BARRIER] || c->model->feature[HT_FEATURE_SHARED];
    bool any = c->meets;
    for (int axis = 0; axis < 3; ++axis)
        any |= c->model->axes[axis].uses_global;
    if (!any || is_ruled_out(t))
        return;
    if (ht_coarsen_has_directives(c->model))
        ht_coarsen_refuse(c, (ht_position){0}, "a preprocessor directive inside the kernel");
    if (!c->refused)
        ht_coarsen_tree(c);
    if (!c->refused)
        ht_coarsen_check_calls(c);
    if (c->meets && !c->refused)
        check_reached(t);
    if (c->refused || c->tree->body->count == 0 || !is_worth(t))
        return;
    ht_coarsen_check_jam(c, true);
    if (c->apart_reason) {
        ht_coarsen_refuse(c, c->apart_place, "%s", c->apart_reason);
        return;
    }
    c->x = SIZE_MAX;
    find_axes(t);
    if (c->refused)
        return;
    add_params(t);
    make_form(t);
}

/* For the plan. */
static void ht_tiled_free(ht_tiled_form *form) {
    if (!form)
        return;
    ht_tiled *t = form->inside;
    ht_tiled_uncut(t);
    for (size_t i = 0; i < t->axis_count; ++i) {
        free(t->axes[i].type);
        free(t->axes[i].form->extent);
        free((char *)t->axes[i].form->factor);
        free((char *)t->axes[i].form->strided);
    }
    ht_tiled_forget(t);
    ht_tile_onces_free(&t->once);
    ht_tile_onces_free(&t->ahead);
    ht_tiled_single_free(t);
    free(t->added.swaps);
    free(t->added.inserts);
    free(form->vectors);
    free(t->along);
    free(t->part);
    free(t->again);
    free(t->led);
    free(form->loops);
    ht_coarsen_free(&t->c);
    free(t);
}

static void apply(const ht_model *model, ht_plan *plan) {
    ht_tiled *t = ht_alloc(1, sizeof *t);
    t->c.model = model;
    t->c.plan = plan;
    t->form.inside = t;
    tile(t);
    bool done = t->form.loops || t->body.work.count;
    if (t->c.refused || !done || plan->running.failed) {
        plan->running.abandoned = true;
        ht_tiled_free(&t->form);
        return;
    }
    ht_text sizes = {0};
    for (size_t i = 0; i < t->axis_count; ++i)
        ht_text_printf(&sizes, i ? " x %s" : "%s", t->axes[i].form->factor);
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, t->axes[t->axis_count - 1].form->variable->at,
                         "%s: a thread keeps a tile of %s outputs in registers", t->form.param,
                         sizes.data);
    ht_text_free(&sizes);
    if (t->c.meets) { /* no other transformation can use it: it shares what it can by itself */
        ht_tiled_free(&t->form);
        return;
    }
    plan->forms.tiled = &t->form;
    plan->forms.tiled_free = ht_tiled_free;
}

const ht_transformation ht_transformation_tiled = {
    .name = "register-tile",
    .summary = "each thread computes a tile of outputs in registers",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_REPEATS | HT_PINNED_FORMS,
    .searched = {.exports = {"TILED", "COARSEN_X", "COARSEN_Y", "TILE_"},
                 .drops = {{60, "COARSEN_Y_STRIDED"}, {70, "COARSEN_Z"}, {190, "COARSEN_Y"}},
                 .steps = {{20,
                            {{.prefix = "TILED", .values = {1}},
                             {.prefix = "COARSEN_X", .values = {2}, .of_others = true},
                             {.prefix = "COARSEN_Y", .values = {2}},
                             {.prefix = "TILE_", .values = {4, 2}}}},
                           {30,
                            {{.prefix = "TILED", .values = {1}},
                             {.prefix = "COARSEN_X", .values = {8, 4, 2}, .of_others = true},
                             {.prefix = "EDGE_APART", .values = {1}},
                             {.prefix = "INNER_PATH", .values = {1}, .of_others = true},
                             {.prefix = "VECTOR_OUTPUTS", .values = {4}, .of_others = true},
                             {.prefix = "TILE_", .values = {2}},
                             {.prefix = "VECTOR_ALIGNED", .values = {1}, .of_others = true}}}}},
};
