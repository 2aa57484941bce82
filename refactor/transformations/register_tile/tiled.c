/* register-tile: the tiled form of a kernel (tiled.h), beside the form that the other
 * transformations made of it. A parameter chooses. docs/tiling.md says when this is done and why it
 * is right. */
#include "base/memory.h"
#include "refactor/kernel/geometry.h"
#include "refactor/plan/coverage.h"
#include "refactor/transformations/register_tile/tiled_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 32 }; /* outputs of a thread */

/* ---- what rules it out ---- */

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
            ht_coarsen_refuse(&t->c, model->kernel, "%s (line %d)", obstacles[i].what,
                              model->feature_line[obstacles[i].feature]);
}

/* Where threads meet, blocks may be joined if an index is of the kind for that. */
static bool is_ruled_out(ht_tiled *t) {
    const ht_model *model = t->c.model;
    refuse_obstacles(t, MEETING, OBSTACLES);
    if (!model->launch_known || model->facts->problem)
        ht_coarsen_refuse(&t->c, model->kernel, "the block of its launch is not known");
    if (t->c.plan->renumbered && !(t->c.meets && t->c.plan->stacked))
        ht_coarsen_refuse(&t->c, model->kernel, "threads compute their places for another block");
    return t->c.refused;
}

static void on_change(ht_coarsen *c, ht_node *name, ht_node *change, void *context) {
    if (name->variable == *(const size_t *)context)
        ht_coarsen_refuse(c, change->cursor, "`%s` is changed, or its address is taken",
                          c->variables[name->variable].name);
}

/* The variable that holds the global index along an axis, at the top of the kernel. */
static void find_axis(ht_tiled *t, int axis) {
    ht_coarsen *c = &t->c;
    const ht_axis *of = &c->model->axes[axis];
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < c->variable_count; ++i)
        if (!clang_Cursor_isNull(of->index_variable) &&
            clang_equalCursors(c->variables[i].cursor, of->index_variable))
            found = i;
    const ht_node *node = found == SIZE_MAX ? NULL : c->variables[found].declaration;
    int written;
    CXCursor pitch;
    if (!node || !node->count || node->parent->parent != c->body || node->range.end == 0 ||
        !ht_index_global(c->model, ht_ast_strip(node->children[0]->cursor, true), &written,
                         &pitch) ||
        written != axis) {
        ht_coarsen_refuse(c, c->model->kernel, "no variable holds the global index over %c",
                          'x' + axis);
        return;
    }
    char *type = ht_variable_type(&c->variables[found], false);
    if (node->type != HT_TYPE_INTEGER || node->bits < 32 || !type || c->variables[found].measured)
        ht_coarsen_refuse(c, node->cursor, "the type of the global index is not understood");
    if (of->uses_thread || of->uses_block || of->uses_grid_dim || !ht_plan_block(c->plan, axis))
        ht_coarsen_refuse(c, node->cursor, "%c of the block or grid serves more than `%s`",
                          'x' + axis, c->variables[found].name);
    if (axis == 0 && c->model->facts->flat_uses > 0)
        ht_coarsen_refuse(c, node->cursor, "blocks are counted over two axes of the grid");
    ht_node_changes(c, c->body, on_change, &found);
    size_t i = t->axis_count++;
    t->form.axis_count = t->axis_count;
    t->tiled[i] = &t->form.axes[i];
    t->axes[i] = (ht_tile_axis){.variable = found, .type = type};
    t->form.axes[i] = (ht_tiled_axis){
        .axis = axis, .variable = c->variables[found].cursor, .name = c->variables[found].name};
}

static bool is_axis(const ht_tiled *t, int axis) {
    for (size_t i = 0; i < t->axis_count; ++i)
        if (t->tiled[i]->axis == axis)
            return true;
    return false;
}

/* threadIdx, and blockIdx along the outputs' axes, may serve nothing but the indices. */
static void check_indices(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    t->part = ht_alloc(c->variable_count + 1, sizeof *t->part);
    for (size_t i = 0; i < c->node_count && !c->refused; ++i) { /* in the order of the source */
        const ht_node *node = c->nodes[i];
        bool index = node->kind == HT_NODE_GLOBAL ||
                     (node->kind == HT_NODE_INDEX &&
                      (node->op == HT_INDEX_THREAD ||
                       (is_axis(t, node->axis) &&
                        (node->op == HT_INDEX_BLOCK || node->op == HT_INDEX_GRID_DIM))));
        bool named = node->kind == HT_NODE_NAME && t->part[node->variable];
        if (!index && !named)
            continue;
        const ht_node *up = node;
        while (up && up->kind != HT_NODE_VARIABLE && up->kind > HT_NODE_EMPTY)
            up = up->parent;
        bool declares = up && up->kind == HT_NODE_VARIABLE;
        if (declares && ht_tiled_is_index(t, up->variable))
            continue;
        if (!declares)
            ht_coarsen_refuse(c, node->cursor,
                              "threadIdx or blockIdx is used outside of the global indices");
        else
            t->part[up->variable] = true;
    }
}

/* Without a loop or several reads there is nothing to share between outputs. */
static bool is_worth(const ht_tiled *t) {
    size_t reads = 0, loops = 0;
    for (size_t i = 0; i < t->c.node_count; ++i) {
        const ht_node *node = t->c.nodes[i];
        loops += ht_node_is_loop(node);
        reads += node->kind == HT_NODE_SUBSCRIPT || node->kind == HT_NODE_DEREFERENCE;
    }
    return loops > 0 || reads > 3;
}

/* ---- parameters ---- */

static bool has_param(const ht_plan *plan, const char *name) {
    for (size_t i = 0; i < plan->param_count; ++i)
        if (strcmp(plan->params[i].name, name) == 0)
            return true;
    return false;
}

static const char *name_like(ht_plan *plan, const char *format, const char *name) {
    char *wanted = ht_format("%s%s", name, format);
    const char *result = ht_plan_name(plan, wanted);
    free(wanted);
    return result;
}

/* Factors and spacings of coarsening where there are such; else those of this form alone. */
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
    axis->strided = ht_strdup(name_like(plan, "_STRIDED", axis->factor));
    ht_plan_param(plan, axis->factor, values[axis->axis], "1");
    ht_plan_param(plan, axis->strided, "false, true", "false");
    ht_plan_require(plan, "(%s > 1 && %s > 1) || !%s", axis->factor,
                    ht_plan_block(plan, axis->axis), axis->strided);
    ht_plan_require(plan, "%s || %s == 1", t->form.param, axis->factor);
    ht_plan_cover(plan, axis->axis, axis->factor);
    plan->failed |= existing != NULL;
    free(wanted);
}

void ht_tiled_name_axis(ht_tiled *t, size_t i) {
    ht_plan *plan = t->c.plan;
    ht_tiled_axis *axis = t->tiled[i];
    axis->origin = name_like(plan, "_tile", axis->name);
    t->axes[i].low = name_like(plan, "_low", axis->name);
    t->axes[i].high = name_like(plan, "_high", axis->name);
    if (axis->strided) {
        axis->first = name_like(plan, "_first", axis->name);
        t->axes[i].step = name_like(plan, "_apart", axis->name);
    } else
        axis->first = axis->origin;
    char *counter =
        axis->strided ? ht_format("t%c", 'x' + axis->axis) : ht_format("t%s", axis->name);
    axis->counter = ht_plan_name(plan, counter);
    free(counter);
}

static void add_params(ht_tiled *t) {
    ht_plan *plan = t->c.plan;
    t->form.param = ht_plan_name(plan, "TILED");
    t->edge = ht_plan_name(plan, "edge");
    t->whole = ht_plan_name(plan, "all_inside");
    t->tile = ht_plan_name(plan, "tile");
    ht_plan_param(plan, t->form.param, "false, true", "false");
    if (plan->stacked) /* the form has the original's blocks, one by one */
        ht_plan_require(plan, "!%s || %s == 1", t->form.param, plan->stacked);
    for (size_t i = 0; i < t->axis_count; ++i) {
        ht_tiled_axis *axis = t->tiled[i];
        add_factor(t, axis);
        axis->extent = ht_plan_per_block(plan, axis->axis);
        ht_tiled_name_axis(t, i);
    }
}

static void limit_values(ht_tiled *t) {
    ht_text outputs = {0};
    for (size_t i = 0; i < t->axis_count; ++i)
        ht_text_printf(&outputs, i ? " * %s" : "%s", t->tiled[i]->factor);
    ht_plan_require(t->c.plan, "!%s || %s <= %d", t->form.param, outputs.data, VALUES_MAX);
    ht_text_free(&outputs);
}

/* ---- the form in the plan ---- */

static void list_loops(ht_tiled *t, ht_node *node, size_t parent) {
    if (!node || node->apart || !ht_tiled_any_apart(node))
        return;
    if (ht_node_is_loop(node)) {
        for (size_t up = parent; up != SIZE_MAX; up = t->form.loops[up].parent)
            t->form.loops[up].has_inner = true;
        HT_GROW(t->form.loops, t->form.loop_count);
        t->form.loops[t->form.loop_count] = (ht_tiled_loop){node->cursor, parent, false};
        parent = t->form.loop_count++;
    }
    for (size_t i = 0; i < node->count; ++i)
        list_loops(t, node->children[i], parent);
}

/* Beside the original, which an applied source leaves out. */
bool ht_tiled_put(ht_tiled *t, const char *form) {
    ht_range body = t->c.model->body_range;
    const char *param = t->form.param;
    char *text = ht_format("$?{%s}{{\nif (%s) %s else $[%zu,%zu]\n}}{%s}", param, param, form,
                           body.begin, body.end, form);
    bool done = ht_plan_wrap(t->c.plan, body, param, text);
    free(text);
    return done;
}

static void make_form(ht_tiled *t) {
    ht_plan *plan = t->c.plan;
    ht_tiled_cut(t);
    if (!t->c.refused)
        ht_tiled_settle(t);
    if (t->c.refused)
        return;
    t->along = ht_alloc(t->c.node_count + 1, sizeof *t->along);
    ht_tiled_add_plain(t);
    if (t->axis_count == 0) {
        refuse_obstacles(t, 0, MEETING);
        return;
    }
    limit_values(t);
    for (size_t i = 0; i < t->work.count; ++i)
        list_loops(t, t->work.statements[i], SIZE_MAX);
    char *form = ht_tiled_text(t);
    if (!form) {
        ht_coarsen_refuse(&t->c, t->c.model->kernel, "a macro or a declaration stands in the way");
        return;
    }
    if (!ht_tiled_put(t, form))
        plan->failed = true;
    free(form);
}

/* The axes whose outputs a thread computes several of: none where threads meet, which then do so
 * for several blocks' outputs (tiled_meet.c). */
static void find_axes(ht_tiled *t) {
    ht_coarsen *c = &t->c;
    for (int axis = 2; axis >= 0 && !c->refused && !c->meets; --axis)
        if (c->model->axes[axis].uses_global)
            find_axis(t, axis);
    if (c->meets)
        t->part = ht_alloc(c->variable_count + 1, sizeof *t->part);
    else if (!c->refused)
        check_indices(t);
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
        ht_coarsen_refuse(c, c->model->kernel, "a preprocessor directive inside the kernel");
    if (!c->refused)
        ht_coarsen_tree(c);
    if (!c->refused)
        ht_coarsen_check_calls(c);
    if (c->meets && !c->refused)
        ht_tiled_check_reached(t);
    if (c->refused || c->body->count == 0 || !is_worth(t))
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

void ht_tiled_free(ht_tiled_form *form) {
    if (!form)
        return;
    ht_tiled *t = form->inside;
    ht_tiled_uncut(t);
    for (size_t i = 0; i < t->axis_count; ++i) {
        free(t->axes[i].type);
        free(t->tiled[i]->extent);
        free((char *)t->tiled[i]->factor);
        free((char *)t->tiled[i]->strided);
    }
    ht_tiled_forget(t);
    ht_tiled_once_free(t);
    free(t->swaps);
    free(t->inserts);
    free(form->vectors);
    free(t->along);
    free(t->part);
    free(t->again);
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
    bool done = t->form.loops || t->work.count;
    if (t->c.refused || !done || plan->failed) {
        plan->abandoned = true;
        ht_tiled_free(&t->form);
        return;
    }
    ht_text sizes = {0};
    for (size_t i = 0; i < t->axis_count; ++i)
        ht_text_printf(&sizes, i ? " x %s" : "%s", t->tiled[i]->factor);
    ht_plan_remark(plan, HT_REMARK_APPLIED, t->tiled[t->axis_count - 1]->variable,
                   "%s: a thread keeps a tile of %s outputs in registers", t->form.param,
                   sizes.data);
    ht_text_free(&sizes);
    if (t->c.meets) { /* nobody else can work with it: what is shared has been chosen */
        ht_tiled_free(&t->form);
        return;
    }
    plan->tiled = &t->form;
    plan->tiled_free = ht_tiled_free;
}

const ht_transformation ht_transformation_tiled = {
    .name = "register-tile",
    .summary = "each thread computes a tile of outputs in registers",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_LAUNCH | HT_PINNED_REPEATS | HT_PINNED_FORMS,
    .searched = {.exports = {"TILED", "COARSEN_X", "COARSEN_Y", "TILE_"},
                 .steps = {{20,
                            {{.prefix = "TILED", .values = {1}},
                             {.prefix = "COARSEN_X", .values = {2}, .of_others = true},
                             {.prefix = "COARSEN_Y", .values = {2}, .of_others = true},
                             {.prefix = "TILE_", .values = {4, 2}}}},
                           {30,
                            {{.prefix = "TILED", .values = {1}},
                             {.prefix = "COARSEN_X", .values = {8, 4, 2}, .of_others = true},
                             {.prefix = "INNER_PATH", .values = {1}, .of_others = true},
                             {.prefix = "VECTOR_OUTPUTS", .values = {4}, .of_others = true},
                             {.prefix = "TILE_", .values = {2}}}}}},
};
