#include "refactor/transformations/transformations.h"
#include "base/memory.h"
#include "refactor/kernel/pins.h"
#include "refactor/plan/growth.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/plan_state.h"
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
    &ht_transformation_row_blocks,
    &ht_transformation_stride_vector, /* rewrites loops that others only edit */
    &ht_transformation_coarsen_x,     /* wraps statements: last of those that change this form */
    &ht_transformation_grid_order,    /* around everything, the later forms too */
    &ht_transformation_tiled,         /* a second form of the body */
    &ht_transformation_loop_order,    /* of all forms */
    &ht_transformation_inner_path,    /* a second path through it */
    &ht_transformation_stage,         /* into the tiled form */
    &ht_transformation_vector,        /* accesses that earlier ones wrote */
    &ht_transformation_stream,        /* around the tiled form */
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

ht_status ht_transformations_without(const char *const *names, size_t count, unsigned *out_without,
                                     ht_error *error) {
    *out_without = 0;
    for (size_t i = 0; i < count; ++i) {
        size_t found = 0;
        while (ht_transformations[found] && strcmp(ht_transformations[found]->name, names[i]) != 0)
            ++found;
        if (ht_transformations[found]) {
            *out_without |= 1U << found;
            continue;
        }
        ht_text known = {0};
        for (size_t k = 0; ht_transformations[k]; ++k)
            ht_text_printf(&known, "%s%s", k ? ", " : "", ht_transformations[k]->name);
        ht_error_set(error, HT_ERROR_INPUT, "no transformation is named '%s'; there are: %s",
                     names[i], known.data);
        ht_text_free(&known);
        return HT_ERROR_INPUT;
    }
    return HT_OK;
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

/* Returns the pin that stops a transformation; NULL: none does. */
static const ht_pin *pin_of(const ht_plan *plan, const ht_transformation *of) {
    return plan->request.own_build ? ht_pin_find_of(plan->model, HT_PIN_KERNEL, of->stopped_by)
                                   : ht_pin_find(plan->model, of->stopped_by);
}

/* Notes that a transformation was applied which other builds would stop: there can be no source
 * that serves them, too. */
static void note_builds(ht_plan *plan, const ht_transformation *of) {
    const ht_pin *pin = ht_pin_find_of(plan->model, HT_PIN_BUILDS, of->stopped_by);
    if (!pin || plan->launches.unapplied)
        return;
    plan->launches.unapplied = ht_strdup(pin->words);
    ht_plan_remark_at(plan, HT_REMARK_NOTE, pin->line,
                      "the template is for this build alone, without a tuned source: %s",
                      pin->words);
    ht_remark *remark = &plan->remarks.items[plan->remarks.count - 1];
    free(remark->file);
    remark->file = ht_strdup(plan->model->facts->source->files[pin->file].path);
}

/* Returns true if a pin stops a transformation. Adds a remark, one for each pin; if a recipe names
 * transformations, one for each. */
static bool is_pinned(ht_plan *plan, const ht_transformation *of) {
    const ht_pin *pin = pin_of(plan, of);
    bool told = false;
    for (size_t i = 0; pin && i < plan->remarks.count; ++i)
        told = told || strcmp(plan->remarks.items[i].message, pin->words) == 0;
    if (!pin || (told && !plan->request.recipe))
        return pin != NULL;
    const ht_source *source = plan->model->facts->source;
    plan->running.transformation = of->name;
    ht_plan_remark_at(plan, HT_REMARK_MISSED, pin->line, "%s", pin->words);
    ht_remark *remark = &plan->remarks.items[plan->remarks.count - 1];
    free(remark->file);
    remark->file = ht_strdup(source->files[pin->file].path);
    return true;
}

void ht_plan_run(ht_plan *plan) {
    size_t count = ht_transformation_count();
    ht_effort *effort = &plan->model->facts->effort;
    for (size_t i = 0; i < count && !plan->running.unfinished; ++i) {
        const ht_transformation *const *each = &ht_transformations[i];
        const ht_recipe_step *step =
            plan->request.recipe ? ht_recipe_step_find(plan->request.recipe, (*each)->name) : NULL;
        if ((plan->request.recipe && !step) || plan->request.without >> i & 1)
            continue;
        if (is_pinned(plan, *each)) {
            if (step && !plan->record.unmet)
                plan->record.unmet = ht_recipe_restrict(plan, step, plan->params.count);
            continue;
        }
        plan->running.transformation = (*each)->name;
        plan->running.failed = plan->running.torn = plan->running.abandoned = false;
        if (!ht_effort_begin(effort, i)) {
            leave_out(plan);
            continue;
        }
        ht_plan_state before = ht_plan_save(plan);
        (*each)->apply(plan->model, plan);
        plan->running.unfinished = ht_effort_end(effort, i);
        const char *orphan = plan->running.failed || plan->running.abandoned
                                 ? NULL
                                 : ht_plan_orphan(plan, before.requires);
        if (plan->running.failed || plan->running.abandoned || orphan)
            ht_plan_restore(plan, &before);
        if (orphan)
            ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                                 "it builds on %s, which is not a parameter of the kernel", orphan);
        else if (plan->running.failed) {
            ht_plan_remark_place(
                plan, HT_REMARK_MISSED, HT_AT_KERNEL, "%s",
                plan->running.torn
                    ? "a preprocessor conditional stands in what it would rewrite, and other "
                      "builds would lose their branch"
                    : "its changes meet those of another transformation, or a name is taken");
        } else if (plan->params.count > before.params) {
            HT_GROW(plan->record.applied, plan->record.applied_count);
            plan->record.applied[plan->record.applied_count++] = (*each)->name;
            note_builds(plan, *each);
        }
        if (step && !plan->record.unmet)
            plan->record.unmet = ht_recipe_restrict(plan, step, before.params);
        ht_plan_state_free(&before);
    }
    plan->running.transformation = NULL;
    plan->running.failed = false;
    ht_plan_limit_growth(plan);
}
