/* What a plan holds at some point, to come back to when a transformation gives up. */
#include "base/memory.h"
#include "refactor/plan/plan.h"

#include <stdlib.h>
#include <string.h>

ht_plan_state ht_plan_save(const ht_plan *plan) {
    ht_plan_state taken = {.edits = plan->edit_count,
                           .params = plan->param_count,
                           .requires = plan->require_count,
                           .covers = plan->cover_count,
                           .followed = plan->followed_count,
                           .help = plan->helpers ? strlen(plan->helpers) : 0,
                           .lds_times = plan->lds_times != NULL,
                           .renumbered = plan->renumbered,
                           .stacked = plan->stacked != NULL,
                           .wide = plan->wide.param != NULL,
                           .tiled = plan->tiled != NULL};
    for (int axis = 0; axis < 3; ++axis)
        taken.axis[axis] = (ht_axis_state){
            .block = plan->block[axis] ? ht_strdup(plan->block[axis]) : NULL,
            .bound = plan->bound[axis] ? ht_strdup(plan->bound[axis]) : NULL,
            .changed = plan->block_changed[axis],
            .exact = plan->exact_cover[axis],
            .free_ = plan->free_cover[axis],
            .keep = plan->keep_cover[axis],
            .keep_grid = plan->keep_grid[axis],
            .falls_back = plan->falls_back[axis],
        };
    return taken;
}

static void restore_axis(ht_plan *plan, int axis, ht_axis_state *to) {
    free(plan->block[axis]);
    free(plan->bound[axis]);
    plan->bound[axis] = to->bound;
    plan->block[axis] = to->block;
    to->bound = to->block = NULL;
    plan->block_changed[axis] = to->changed;
    plan->exact_cover[axis] = to->exact;
    plan->free_cover[axis] = to->free_;
    plan->keep_cover[axis] = to->keep;
    plan->keep_grid[axis] = to->keep_grid;
    plan->falls_back[axis] = to->falls_back;
}

/* What later transformations build on names parameters that are gone. */
static void restore_forms(ht_plan *plan, const ht_plan_state *to) {
    if (!to->wide) {
        free(plan->wide.text);
        plan->wide = (ht_wide_edit){0};
    }
    if (!to->tiled && plan->tiled) {
        plan->tiled_free(plan->tiled);
        plan->tiled = NULL;
    }
}

void ht_plan_restore(ht_plan *plan, ht_plan_state *to) {
    ht_plan_edits_drop(plan, to->edits);
    while (plan->param_count > to->params) {
        ht_planned_param *param = &plan->params[--plan->param_count];
        free(param->name);
        free(param->values);
        free(param->default_value);
        free(param->hidden_macro);
    }
    while (plan->require_count > to->requires)
        free(plan->requires[--plan->require_count]);
    while (plan->followed_count > to->followed)
        free(plan->followed[--plan->followed_count]);
    if (plan->helpers)
        plan->helpers[to->help] = 0;
    while (plan->cover_count > to->covers)
        free(plan->covers[--plan->cover_count].param);
    if (!to->lds_times) {
        free(plan->lds_times);
        plan->lds_times = NULL;
    }
    if (!to->stacked) {
        free(plan->stacked);
        plan->stacked = NULL;
    }
    plan->renumbered = to->renumbered;
    restore_forms(plan, to);
    for (int axis = 0; axis < 3; ++axis)
        restore_axis(plan, axis, &to->axis[axis]);
}

void ht_plan_state_free(ht_plan_state *state) {
    for (int axis = 0; axis < 3; ++axis) {
        free(state->axis[axis].block);
        free(state->axis[axis].bound);
    }
}
