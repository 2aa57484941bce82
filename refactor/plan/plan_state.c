#include "refactor/plan/plan_state.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

ht_plan_state ht_plan_save(const ht_plan *plan) {
    ht_plan_state taken = {.edits = plan->edits.count,
                           .params = plan->params.count,
                           .requires = plan->requires.count,
                           .covers = plan->covers.count,
                           .followed = plan->unit.followed_count,
                           .functions = plan->unit.function_count,
                           .help = plan->unit.helpers ? strlen(plan->unit.helpers) : 0,
                           .lds_times = plan->launches.lds_times != NULL,
                           .row_blocks = plan->launches.row_blocks,
                           .tiles = plan->launches.tiles.param != NULL,
                           .block_rows = plan->launches.block_rows,
                           .renumbered = plan->launches.renumbered,
                           .stacked = plan->stack.param != NULL,
                           .wide = plan->forms.wide.param != NULL,
                           .tiled = plan->forms.tiled != NULL};
    for (int axis = 0; axis < 3; ++axis) {
        ht_planned_axis *kept = &taken.axes[axis];
        *kept = plan->axes[axis];
        kept->block = kept->block ? ht_strdup(kept->block) : NULL;
        kept->bound = kept->bound ? ht_strdup(kept->bound) : NULL;
    }
    return taken;
}

static void restore_axis(ht_planned_axis *axis, ht_planned_axis *to) {
    free(axis->block);
    free(axis->bound);
    *axis = *to;
    to->bound = to->block = NULL;
}

/* Drops what later transformations would build on, if it names parameters that are gone. */
static void restore_forms(ht_plan *plan, const ht_plan_state *to) {
    if (!to->wide) {
        free(plan->forms.wide.text);
        plan->forms.wide = (ht_wide_edit){0};
    }
    if (!to->tiled && plan->forms.tiled) {
        plan->forms.tiled_free(plan->forms.tiled);
        plan->forms.tiled = NULL;
    }
}

void ht_plan_restore(ht_plan *plan, ht_plan_state *to) {
    ht_plan_edits_drop(plan, to->edits);
    while (plan->params.count > to->params) {
        ht_planned_param *param = &plan->params.items[--plan->params.count];
        free(param->name);
        free(param->values);
        free(param->default_value);
        free(param->hidden_macro);
        free(param->called);
    }
    while (plan->requires.count > to->requires)
        free(plan->requires.items[--plan->requires.count]);
    while (plan->unit.followed_count > to->followed)
        free(plan->unit.followed[--plan->unit.followed_count]);
    while (plan->unit.function_count > to->functions) {
        ht_planned_function *function = &plan->unit.functions[--plan->unit.function_count];
        free(function->where);
        free(function->text);
    }
    if (plan->unit.helpers)
        plan->unit.helpers[to->help] = 0;
    while (plan->covers.count > to->covers)
        free(plan->covers.items[--plan->covers.count].param);
    plan->launches.row_blocks = to->row_blocks;
    if (!to->tiles) {
        free(plan->launches.tiles.param);
        free(plan->launches.tiles.grid);
        plan->launches.tiles = (ht_planned_tiles){0};
    }
    plan->launches.block_rows = to->block_rows;
    if (!to->lds_times) {
        free(plan->launches.lds_times);
        plan->launches.lds_times = NULL;
    }
    if (!to->stacked) {
        free(plan->stack.param);
        plan->stack.param = NULL;
    }
    plan->launches.renumbered = to->renumbered;
    restore_forms(plan, to);
    for (int axis = 0; axis < 3; ++axis)
        restore_axis(&plan->axes[axis], &to->axes[axis]);
}

void ht_plan_state_free(ht_plan_state *state) {
    for (int axis = 0; axis < 3; ++axis) {
        free(state->axes[axis].block);
        free(state->axes[axis].bound);
    }
}
