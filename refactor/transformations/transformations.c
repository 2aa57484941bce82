/* The list of transformations, and running them over a kernel. To add one: a file with an
 * ht_transformation, a declaration in transform.h, a line here. */
#include "base/memory.h"
#include "refactor/plan.h"
#include "refactor/recipe_plan.h"

#include <stdlib.h>
#include <string.h>

const ht_transformation *const ht_transformations[] = {
    &ht_transformation_block_size,
    &ht_transformation_launch_bounds,
    &ht_transformation_waves,
    &ht_transformation_restrict,
    &ht_transformation_fixed_sizes,
    &ht_transformation_unroll,
    &ht_transformation_coarsen_x,     /* wraps statements */
    &ht_transformation_coarsen_outer, /* wraps the whole: last of those that change this form */
    &ht_transformation_grid_order,    /* around everything, the forms that follow too */
    &ht_transformation_tiled,         /* another form beside it */
    &ht_transformation_stage,         /* into that form */
    &ht_transformation_vector,        /* accesses that those wrote */
    &ht_transformation_stream,        /* and around it */
    NULL,
};

bool ht_transformation_is_hint(const char *name) {
    const char *hints[] = {ht_transformation_launch_bounds.name, ht_transformation_waves.name,
                           ht_transformation_restrict.name, ht_transformation_grid_order.name};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; ++i)
        if (strcmp(name, hints[i]) == 0)
            return true;
    return false;
}

size_t ht_transformation_count(void) {
    return sizeof ht_transformations / sizeof *ht_transformations - 1;
}

typedef struct snapshot {
    size_t edits, params, requires, covers, followed, help;
    char *block[3], *bound[3];
    bool changed[3], exact[3], free_[3], keep[3];
} snapshot;

static snapshot snapshot_take(const ht_plan *plan) {
    snapshot taken = {.edits = plan->edit_count,
                      .params = plan->param_count,
                      .requires = plan->require_count,
                      .covers = plan->cover_count,
                      .followed = plan->followed_count,
                      .help = plan->helpers ? strlen(plan->helpers) : 0};
    for (int axis = 0; axis < 3; ++axis) {
        taken.block[axis] = plan->block[axis] ? ht_strdup(plan->block[axis]) : NULL;
        taken.bound[axis] = plan->bound[axis] ? ht_strdup(plan->bound[axis]) : NULL;
        taken.changed[axis] = plan->block_changed[axis];
        taken.exact[axis] = plan->exact_cover[axis];
        taken.free_[axis] = plan->free_cover[axis];
        taken.keep[axis] = plan->keep_cover[axis];
    }
    return taken;
}

static void roll_back(ht_plan *plan, snapshot *to) {
    while (plan->edit_count > to->edits) {
        ht_edit *edit = &plan->edits[--plan->edit_count];
        free(edit->param);
        free(edit->text);
    }
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
    for (int axis = 0; axis < 3; ++axis) {
        free(plan->block[axis]);
        free(plan->bound[axis]);
        plan->bound[axis] = to->bound[axis];
        plan->block[axis] = to->block[axis];
        to->bound[axis] = to->block[axis] = NULL;
        plan->block_changed[axis] = to->changed[axis];
        plan->exact_cover[axis] = to->exact[axis];
        plan->free_cover[axis] = to->free_[axis];
        plan->keep_cover[axis] = to->keep[axis];
    }
}

void ht_plan_run(ht_plan *plan) {
    size_t count = ht_transformation_count();
    for (size_t i = 0; i + plan->left_out < count; ++i) {
        const ht_transformation *const *each = &ht_transformations[i];
        const ht_recipe_step *step =
            plan->recipe ? ht_recipe_step_find(plan->recipe, (*each)->name) : NULL;
        if (plan->recipe && !step)
            continue;
        snapshot before = snapshot_take(plan);
        plan->transformation = (*each)->name;
        plan->failed = plan->abandoned = false;
        (*each)->apply(plan->model, plan);
        if (plan->failed || plan->abandoned)
            roll_back(plan, &before);
        if (plan->failed) {
            ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                           "its changes meet those of another transformation, or a name is taken");
        } else if (plan->param_count > before.params) {
            HT_GROW(plan->applied, plan->applied_count);
            plan->applied[plan->applied_count++] = (*each)->name;
        }
        if (step && !plan->unmet)
            plan->unmet = ht_recipe_restrict(plan, step, before.params);
        for (int axis = 0; axis < 3; ++axis) {
            free(before.block[axis]);
            free(before.bound[axis]);
        }
    }
    plan->transformation = NULL;
    plan->failed = false;
    ht_plan_limit_growth(plan);
}
