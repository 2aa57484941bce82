#include "refactor/one_kernel.h"

#include "base/memory.h"
#include "refactor/infer/infer.h"
#include "refactor/infer/infer_record.h"
#include "refactor/kernel/geometry.h"
#include "refactor/kernel/model_build.h"
#include "refactor/kernel/pins.h"
#include "refactor/plan/coverage.h"
#include "refactor/plan/launch_edit.h"
#include "refactor/plan/launch_fallbacks.h"
#include "refactor/transformations/transformations.h"
#include "refactor/unit/annotations.h"
#include "refactor/unit/culprits.h"
#include "refactor/unit/existing.h"
#include "refactor/unit/make_template.h"
#include "refactor/unit/outputs_comment.h"
#include "refactor/unit/to_read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Moves the plan's remarks and applied transformations into the public record. */
static void publish(ht_kernel *kernel, ht_plan *plan, bool templated) {
    kernel->remarks = plan->remarks.items;
    kernel->remark_count = plan->remarks.count;
    plan->remarks = (ht_remark_list){0};
    kernel->omitted = plan->record.omitted;
    kernel->omitted_count = plan->record.omitted_count;
    plan->record.omitted = NULL;
    plan->record.omitted_count = 0;
    if (!templated)
        return;
    kernel->transformations = plan->record.applied;
    kernel->transformation_count = plan->record.applied_count;
    plan->record.applied = NULL;
    plan->record.applied_count = 0;
}

static void pass_remarks(ht_kernel *kernel, char *first, ht_kernel_status status) {
    /* the reason with most information is the first missed transformation */
    for (size_t i = 0; i < kernel->remark_count; ++i)
        if (kernel->remarks[i].kind == HT_REMARK_MISSED &&
            (status != HT_KERNEL_TOO_COMPLEX || kernel->remarks[i].left_out)) {
            char *reason = ht_format("%s: %s: %s", first, kernel->remarks[i].transformation,
                                     kernel->remarks[i].message);
            free(first);
            ht_kernel_settle(kernel, status, kernel->remarks[i].line, reason);
            return;
        }
    ht_kernel_settle(kernel, status, 0, first);
}

/* Returns true if the plan has no more than hints to the compiler, for which no template is
 * worthwhile. */
static bool is_empty(const ht_plan *plan) {
    for (size_t i = 0; i < plan->record.applied_count; ++i)
        if (!ht_searched_of(plan->record.applied[i])->is_hint)
            return false;
    return true;
}

static ht_effort *effort_of(const ht_kernel_work *work) {
    return &work->model.facts->effort;
}

/* Notes that there can be no tuned source if the kernel may be launched elsewhere. */
static void note_elsewhere(ht_kernel_work *work) {
    ht_plan *plan = &work->plan;
    if (!work->elsewhere || plan->launches.unapplied)
        return;
    plan->launches.unapplied = ht_strdup(work->elsewhere);
    ht_plan_remark_at(plan, HT_REMARK_NOTE, work->model.facts->launches.items[0].line,
                      "the template is for the launches that are seen, without a tuned source: %s",
                      work->elsewhere);
}

/* Plans everything, and launches if all is `known`. Returns why launches cannot be rewritten,
 * free(); NULL: they can. */
static char *plan_all(ht_kernel_work *work, bool known, ht_transformation_set without, bool stay) {
    bool follow = false;
    do {
        ht_kernel_forget_plan(work);
        ht_plan_init(&work->plan, &work->model);
        work->plan.request = (ht_plan_request){without | work->without, work->recipe, stay,
                                               work->for_build, work->leaves};
        ht_grid_read(&work->model, &work->grid);
        work->modelled = true;
        ht_plan_run(&work->plan);
        note_elsewhere(work);
        ht_to_read_remark(&work->plan);
    } while (work->plan.running.unfinished && !ht_effort_spent(effort_of(work)));
    if (work->plan.record.unmet)
        return ht_strdup(work->plan.record.unmet);
    if (!known || (is_empty(&work->plan) && !work->recipe))
        return NULL;
    ht_grid_require(&work->plan, &work->grid);
    char *problem = ht_launches_edit(&work->plan, &work->grid, &follow);
    if (!problem)
        ht_launch_fallbacks(&work->plan, &work->grid);
    if (!problem)
        ht_outputs_comment(&work->plan);
    if (!follow || stay)
        return problem;
    free(problem);
    return plan_all(work, known, without, true);
}

/* An attempt to make a template. */
typedef struct attempt {
    ht_kernel_work *work;
    ht_slice *slice;
    ht_template *template;
    char *problem; /* why it failed */
} attempt;

static bool attempt_make(attempt *in, ht_transformation_set without) {
    ht_kernel_work *work = in->work;
    if (in->template)
        ht_template_free(in->template, 1);
    free(in->problem);
    in->template = NULL;
    in->problem = plan_all(work, true, without, false);
    if (!in->problem && is_empty(&work->plan) && without)
        in->problem = ht_strdup("nothing else can be made a parameter");
    if (!in->problem)
        in->problem = ht_template_make(&work->plan, &work->grid, in->slice, &in->template);
    return in->template != NULL;
}

static bool attempt_without(void *context, ht_transformation_set without, size_t *out_kept) {
    attempt *in = context;
    bool made = attempt_make(in, without);
    *out_kept = in->work->plan.record.applied_count;
    return made;
}

static ht_transformation_set applied_set(const ht_plan *plan) {
    ht_transformation_set set = 0;
    for (size_t i = 0; i < ht_transformation_count(); ++i)
        for (size_t k = 0; k < plan->record.applied_count; ++k)
            if (strcmp(plan->record.applied[k], ht_transformations[i]->name) == 0)
                set |= 1U << i;
    return set;
}

/* Adds a remark for each transformation that was left out, with the problem that a template with it
 * would have. */
static void tell_culprits(attempt *in, ht_transformation_set culprits) {
    char *why[sizeof culprits * 8] = {NULL};
    size_t count = ht_transformation_count();
    for (size_t i = 0; i < count; ++i)
        if (culprits >> i & 1) {
            (void)attempt_make(in, culprits & ~(1U << i));
            why[i] = in->problem
                         ? ht_strdup(in->problem)
                         : ht_strdup("it cannot be combined with another one that is left out");
        }
    (void)attempt_make(in, culprits);
    ht_plan *plan = &in->work->plan;
    for (size_t i = 0; i < count; ++i)
        if (culprits >> i & 1) {
            plan->running.transformation = ht_transformations[i]->name;
            HT_GROW(plan->record.omitted, plan->record.omitted_count);
            plan->record.omitted[plan->record.omitted_count++] = plan->running.transformation;
            ht_plan_remark_left_out(plan, "left out, since with it there is no template: %s",
                                    why[i]);
            free(why[i]);
        }
    plan->running.transformation = NULL;
}

/* Makes the template with as many transformations as clang accepts: if one of them does not fit the
 * kernel, the others still apply. */
static void make_template(ht_kernel *kernel, ht_kernel_work *work, ht_slice *slice) {
    attempt in = {.work = work, .slice = slice};
    char *first = NULL;
    if (!attempt_make(&in, 0)) {
        first = ht_strdup(in.problem);
        ht_transformation_set culprits =
            work->recipe ? 0 : ht_culprits_find(attempt_without, &in, applied_set(&work->plan));
        if (culprits)
            tell_culprits(&in, culprits);
        else if (!work->recipe)
            (void)attempt_make(&in, 0);
    }
    if (!in.template && work->own_build && !work->leaves) {
        work->leaves = true;
        (void)attempt_make(&in, 0);
    }
    kernel->template = in.template;
    if (kernel->template) {
        kernel->against = ht_template_against(&work->plan, &work->grid, slice);
        kernel->reassociates = work->model.feature[HT_FEATURE_ATOMIC];
        kernel->origins = ht_alloc(work->plan.params.count + 1, sizeof(char *));
        for (size_t i = 0; i < work->plan.params.count; ++i)
            kernel->origins[i] = work->plan.params.items[i].transformation;
        kernel->rounds = ht_plan_rounds(&work->plan);
    }
    publish(kernel, &work->plan, kernel->template != NULL);
    ht_kernel_settle(kernel, kernel->template ? HT_KERNEL_TEMPLATED : HT_KERNEL_REFUSED, 0,
                     kernel->template ? NULL : ht_strdup(first));
    free(in.problem);
    free(first);
}

/* Infers a problem from the source. Returns NULL if it is complete; the model then has it. Else
 * returns the missing parts, free(). */
static char *infer(ht_kernel *kernel, ht_kernel_work *work, const ht_slice *slice, int *out_line) {
    ht_model *model = &work->model;
    ht_inferred inferred;
    ht_error error = {0};
    ht_infer_problem(model, slice, (ht_infer_manner){work->tries, work->own_grid}, &inferred);
    free(kernel->skeleton);
    kernel->skeleton = inferred.text;
    free(kernel->places);
    kernel->places = ht_infer_places(model);
    work->unlaunched = !inferred.launched;
    *out_line = inferred.line;
    if (!inferred.missing && ht_problem_file_parse(inferred.text, "the problem inferred",
                                                   &kernel->inferred, &error) != HT_OK) {
        kernel->inferred = NULL;
        inferred.missing = ht_strdup(error.message);
    }
    if (kernel->inferred) {
        model->entry = &kernel->inferred->entries[0];
        kernel->problem = HT_PROBLEM_INFERRED;
    }
    return inferred.missing;
}

/* Returns why there can be no template: the problem is neither given nor can be inferred; NULL: it
 * is known. free(). */
static char *binding_problem(ht_kernel *kernel, ht_kernel_work *work, const ht_slice *slice,
                             int *out_line) {
    ht_model *model = &work->model;
    bool given = model->entry != NULL;
    *out_line = 0;
    char *missing = given ? NULL : infer(kernel, work, slice, out_line);
    kernel->problem = given ? HT_PROBLEM_GIVEN : kernel->problem;
    if (missing) {
        char *words = ht_format("no problem is known for it: %s", missing);
        free(missing);
        return words;
    }
    ht_grid_read(model, &work->grid);
    char *problem = ht_binding_problem(model, &work->grid, slice, out_line);
    ht_grid_free(&work->grid);
    if (problem && given) {
        const ht_problem_entry *entry = model->entry;
        ht_inferred inferred;
        ht_infer_problem(model, slice, (ht_infer_manner){0}, &inferred);
        kernel->skeleton = inferred.text;
        free(inferred.missing);
        model->entry = entry;
    }
    return problem;
}

/* Counts only the launches that are seen: a template is for them, and others of the kernel, by its
 * address, change nothing in what it computes. There is no tuned source then, nor is there one
 * where a macro writes a launch. Returns false if neither is the case. */
static bool launches_forget(ht_kernel_work *work) {
    ht_kernel_facts *facts = work->model.facts;
    bool hidden = facts->launches.other_use_line != 0;
    for (size_t i = 0; i < facts->launches.count; ++i)
        hidden = hidden || facts->launches.items[i].in_macro; /* indirect ones, too */
    if (!facts->launches.count || !hidden)
        return false;
    work->elsewhere = facts->problem.text;
    facts->launches.other_use_line = 0;
    facts->launches.kept = true;
    facts->problem.text = ht_launch_problem(&work->model, &facts->problem.line);
    return true;
}

static void transform(ht_kernel *kernel, ht_kernel_work *work, ht_slice *slice) {
    ht_model *model = &work->model;
    int line;
    char *problem = binding_problem(kernel, work, slice, &line);
    free(plan_all(work, false, 0, false));
    bool empty = is_empty(&work->plan) && !work->recipe;
    bool elsewhere = empty && work->own_build && launches_forget(work);
    if (elsewhere || (empty && work->own_build && ht_pin_find_of(model, HT_PIN_BUILDS, ~0U))) {
        work->for_build = true;
        free(plan_all(work, false, 0, false));
        empty = is_empty(&work->plan);
    }
    if (!problem && !empty) {
        make_template(kernel, work, slice);
        return;
    }
    char *existing = ht_existing_parameters(model);
    if (existing) {
        publish(kernel, &work->plan, false);
        ht_kernel_settle(
            kernel, HT_KERNEL_REFUSED, 0,
            ht_format("parameterized already, by macros under #ifndef that -D sets: %s", existing));
        free(existing);
        free(problem);
        return;
    }
    publish(kernel, &work->plan,
            problem && !empty); /* with a problem, the kernel would have these */
    if (problem) {
        ht_kernel_settle(kernel, HT_KERNEL_NEEDS_PROBLEM, line, problem);
    } else
        pass_remarks(kernel, ht_strdup("nothing can be made a parameter"),
                     ht_effort_any_left_out(effort_of(work)) ? HT_KERNEL_TOO_COMPLEX
                                                             : HT_KERNEL_REFUSED);
}

/* Gives the kernel up once its limit is reached: later questions were not answered, so its results
 * are dropped. */
static void give_up(ht_kernel *kernel, uint64_t most) {
    ht_kernel_forget_template(kernel);
    free(kernel->reason);
    ht_kernel_settle(
        kernel, HT_KERNEL_TOO_COMPLEX, kernel->line,
        ht_format("its analysis was given up: it takes isl more than the %llu operations of "
                  "the limit; --analysis-operations raises it (a million take about 3 s)",
                  (unsigned long long)most));
}

static void note_launch(ht_kernel *kernel, const ht_model *model) {
    const ht_launches *launches = &model->facts->launches;
    if (launches->count == 0)
        return;
    kernel->launch_file = ht_strdup(model->facts->source->files[launches->items[0].file].path);
    kernel->launch_line = launches->items[0].line;
}

/* Cuts the kernel out with all that it reaches and the types that only its launch names, and
 * transforms it. */
static void cut_and_transform(CXCursor cursor, ht_kernel *kernel, ht_kernel_work *work) {
    ht_slice slice;
    bool whole = !ht_slice_build_launched(work->model.facts, cursor, &slice);
    if (whole)
        transform(kernel, work, &slice);
    if (whole && ht_effort_spent(effort_of(work)))
        give_up(kernel, effort_of(work)->most);
    else if (!whole)
        ht_kernel_settle(kernel, HT_KERNEL_REFUSED, slice.reason_line, ht_strdup(slice.reason));
    ht_slice_free(&slice);
}

/* Returns true if the kernel has launches, but none from which block and grid of a template can be
 * had. */
static bool is_unfollowed(const ht_kernel *kernel, const ht_kernel_work *work) {
    const ht_kernel_facts *facts = work->model.facts;
    if (kernel->problem == HT_PROBLEM_GIVEN ||
        !(facts->launches.count || facts->launches.other_use_line))
        return false;
    return (kernel->status == HT_KERNEL_NEEDS_PROBLEM && work->unlaunched) ||
           (kernel->status == HT_KERNEL_REFUSED && facts->problem.text);
}

static void work_free(ht_kernel_work *work) {
    ht_kernel_forget_plan(work);
    free(work->elsewhere);
    ht_model_free(&work->model);
}

/* How a kernel is tried once more. */
typedef enum another_way {
    WITH_ALIKE,   /* with the launches alone that have the first one's block */
    WITH_CHOSEN,  /* with a launch that is chosen */
    WITH_OWN_GRID /* with its own launch, whose grid is not followed */
} another_way;

static bool model_make(CXCursor cursor, another_way way, const ht_model *before, ht_model *model) {
    const ht_source *source = before->facts->source;
    if (way == WITH_ALIKE)
        return ht_model_build_alike(source, cursor, model);
    if (way == WITH_CHOSEN)
        return ht_model_build_alone(source, cursor, model);
    ht_model_build_of(source, cursor, NULL, true, model);
    return true;
}

/* Tries the kernel in another way, and keeps the result if that gives a template. Plan and trees
 * point to their model, so that each is only used at its place in `work`. */
static void try_again(CXCursor cursor, another_way way, ht_kernel *kernel, ht_kernel_work *work) {
    ht_kernel_work before = *work;
    ht_kernel again = {.name = ht_strdup(kernel->name),
                       .file = ht_strdup(kernel->file),
                       .line = kernel->line,
                       .column = kernel->column};
    *work = (ht_kernel_work){.recipe = before.recipe,
                             .without = before.without,
                             .tries = before.tries,
                             .own_build = before.own_build,
                             .own_grid = way == WITH_OWN_GRID,
                             .leaves = way == WITH_OWN_GRID};
    bool modelled = model_make(cursor, way, &before.model, &work->model);
    if (modelled && way == WITH_ALIKE)
        work->elsewhere = ht_strdup(before.model.facts->problem.text);
    if (modelled)
        cut_and_transform(cursor, &again, work);
    if (modelled && again.status == HT_KERNEL_TEMPLATED) {
        ht_kernel_work after = *work;
        *work = before;
        work_free(work);
        ht_kernel_clear(kernel);
        *work = after;
        *kernel = again;
        return;
    }
    if (modelled)
        work_free(work);
    ht_kernel_clear(&again);
    *work = before;
}

void ht_kernel_transform(CXCursor cursor, ht_kernel *kernel, ht_kernel_work *work) {
    cut_and_transform(cursor, kernel, work);
    if (work->own_build && kernel->status == HT_KERNEL_REFUSED &&
        kernel->problem != HT_PROBLEM_GIVEN && work->model.facts->problem.text)
        try_again(cursor, WITH_ALIKE, kernel, work);
    if (work->tries && is_unfollowed(kernel, work))
        try_again(cursor, WITH_CHOSEN, kernel, work);
    if (work->tries && kernel->status == HT_KERNEL_NEEDS_PROBLEM && is_unfollowed(kernel, work) &&
        work->model.launch_known)
        try_again(cursor, WITH_OWN_GRID, kernel, work);
}

void ht_kernel_model(const ht_source *source, CXCursor cursor, const ht_problem_file *problems,
                     bool tries, ht_kernel *kernel, ht_kernel_work *work) {
    ht_model_build_of(source, cursor, problems, tries, &work->model);
    free(kernel->name);
    kernel->name = ht_strdup(work->model.qualified);
    note_launch(kernel, &work->model);
}
