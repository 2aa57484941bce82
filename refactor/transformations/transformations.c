/* The list of transformations, and running them over a kernel. To add one: a file with an
 * ht_transformation, a declaration in transform.h, a line here. */
#include "base/memory.h"
#include "refactor/kernel/pins.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/recipe_plan.h"

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
    &ht_transformation_loop_order,    /* of all forms */
    &ht_transformation_inner_path,    /* another way through it */
    &ht_transformation_stage,         /* into that form */
    &ht_transformation_vector,        /* accesses that those wrote */
    &ht_transformation_stream,        /* and around it */
    &ht_transformation_thread_order,  /* around everything */
    NULL,
};

const ht_searched *ht_searched_at(size_t index, const char **out_transformation) {
    if (index >= ht_transformation_count())
        return NULL;
    *out_transformation = ht_transformations[index]->name;
    return &ht_transformations[index]->searched;
}

const ht_searched *ht_searched_of(const char *transformation) {
    const char *name;
    const ht_searched *searched;
    for (size_t i = 0; transformation && (searched = ht_searched_at(i, &name)) != NULL; ++i)
        if (strcmp(name, transformation) == 0)
            return searched;
    return NULL;
}

bool ht_searched_exports(const ht_searched *searched, const char *prefix) {
    for (size_t i = 0; i < HT_EXPORTS && searched->exports[i]; ++i)
        if (strcmp(searched->exports[i], prefix) == 0)
            return true;
    return false;
}

size_t ht_transformation_count(void) {
    return sizeof ht_transformations / sizeof *ht_transformations - 1;
}

static void leave_out(ht_plan *plan) {
    const ht_effort *effort = &plan->model->facts->effort;
    ht_plan_remark_left_out(
        plan,
        "left out: too complex to prove: it would take isl more than %llu of the "
        "%llu operations that a kernel may take (--analysis-operations)",
        (unsigned long long)ht_effort_share(effort), (unsigned long long)effort->most);
}

/* With a remark, one for all that the same pin keeps from the kernel unless a recipe asks. */
static bool is_pinned(ht_plan *plan, const ht_transformation *of) {
    const ht_pin *pin = ht_pin_find(plan->model, of->stopped_by);
    bool told = false;
    for (size_t i = 0; pin && i < plan->remarks.count; ++i)
        told = told || strcmp(plan->remarks.items[i].message, pin->words) == 0;
    if (!pin || (told && !plan->recipe))
        return pin != NULL;
    const ht_source *source = plan->model->facts->source;
    plan->transformation = of->name;
    ht_plan_remark_at(plan, HT_REMARK_MISSED, pin->line, "%s", pin->words);
    ht_remark *remark = &plan->remarks.items[plan->remarks.count - 1];
    free(remark->file);
    remark->file = ht_strdup(source->files[pin->file].path);
    return true;
}

void ht_plan_run(ht_plan *plan) {
    size_t count = ht_transformation_count();
    ht_effort *effort = &plan->model->facts->effort;
    for (size_t i = 0; i < count && !plan->unfinished; ++i) {
        const ht_transformation *const *each = &ht_transformations[i];
        const ht_recipe_step *step =
            plan->recipe ? ht_recipe_step_find(plan->recipe, (*each)->name) : NULL;
        if ((plan->recipe && !step) || plan->without >> i & 1)
            continue;
        if (is_pinned(plan, *each)) {
            if (step && !plan->unmet)
                plan->unmet = ht_recipe_restrict(plan, step, plan->param_count);
            continue;
        }
        plan->transformation = (*each)->name;
        plan->failed = plan->torn = plan->abandoned = false;
        if (!ht_effort_begin(effort, i)) {
            leave_out(plan);
            continue;
        }
        ht_plan_state before = ht_plan_save(plan);
        (*each)->apply(plan->model, plan);
        plan->unfinished = ht_effort_end(effort, i);
        const char *orphan =
            plan->failed || plan->abandoned ? NULL : ht_plan_orphan(plan, before.requires);
        if (plan->failed || plan->abandoned || orphan)
            ht_plan_restore(plan, &before);
        if (orphan)
            ht_plan_remark(plan, HT_REMARK_MISSED, clang_getNullCursor(),
                           "it builds on %s, which is not a parameter of the kernel", orphan);
        else if (plan->failed) {
            ht_plan_remark(
                plan, HT_REMARK_MISSED, clang_getNullCursor(), "%s",
                plan->torn
                    ? "a preprocessor conditional stands in what it would rewrite, and other "
                      "builds would lose their branch"
                    : "its changes meet those of another transformation, or a name is taken");
        } else if (plan->param_count > before.params) {
            HT_GROW(plan->applied, plan->applied_count);
            plan->applied[plan->applied_count++] = (*each)->name;
        }
        if (step && !plan->unmet)
            plan->unmet = ht_recipe_restrict(plan, step, before.params);
        ht_plan_state_free(&before);
    }
    plan->transformation = NULL;
    plan->failed = false;
    ht_plan_limit_growth(plan);
}
