/* The pass over one file: parse, find kernels, model, transform, bind, emit, check. */
#include "base/memory.h"
#include "refactor/infer/infer.h"
#include "refactor/kernel/discover.h"
#include "refactor/kernel/model_build.h"
#include "refactor/kernel/pins.h"
#include "refactor/kernel/specialised.h"
#include "refactor/plan/coverage.h"
#include "refactor/plan/launch_edit.h"
#include "refactor/plan/launch_limits.h"
#include "refactor/plan/recipe.h"
#include "refactor/result.h"
#include "refactor/transformations/transformations.h"
#include "refactor/unit/annotated.h"
#include "refactor/unit/annotations.h"
#include "refactor/unit/culprits.h"
#include "refactor/unit/existing.h"
#include "refactor/unit/make_template.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void settle(ht_kernel *kernel, ht_kernel_status status, int line, char *reason) {
    kernel->status = status;
    kernel->reason = reason;
    kernel->reason_line = line;
}

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
            settle(kernel, status, kernel->remarks[i].line, reason);
            return;
        }
    settle(kernel, status, 0, first);
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

/* Plans everything, and launches if all is `known`. Returns why launches cannot be rewritten,
 * free(); NULL: they can. */
static char *plan_all(ht_kernel_work *work, bool known, ht_transformation_set without, bool stay) {
    bool follow = false;
    do {
        ht_kernel_forget_plan(work);
        ht_plan_init(&work->plan, &work->model);
        work->plan.request =
            (ht_plan_request){without | work->without, work->recipe, stay, work->for_build};
        ht_grid_read(&work->model, &work->grid);
        work->modelled = true;
        ht_plan_run(&work->plan);
    } while (work->plan.running.unfinished && !ht_effort_spent(effort_of(work)));
    if (work->plan.record.unmet)
        return ht_strdup(work->plan.record.unmet);
    if (!known || (is_empty(&work->plan) && !work->recipe))
        return NULL;
    ht_grid_require(&work->plan, &work->grid);
    char *problem = ht_launches_edit(&work->plan, &work->grid, &follow);
    if (!problem)
        ht_launch_limits(&work->plan, &work->grid);
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
    settle(kernel, kernel->template ? HT_KERNEL_TEMPLATED : HT_KERNEL_REFUSED, 0,
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
    ht_infer_problem(model, slice, work->tries, &inferred);
    free(kernel->skeleton);
    kernel->skeleton = inferred.text;
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
        ht_infer_problem(model, slice, false, &inferred);
        kernel->skeleton = inferred.text;
        free(inferred.missing);
        model->entry = entry;
    }
    return problem;
}

static void transform(ht_kernel *kernel, ht_kernel_work *work, ht_slice *slice) {
    ht_model *model = &work->model;
    int line;
    char *problem = binding_problem(kernel, work, slice, &line);
    free(plan_all(work, false, 0, false));
    bool empty = is_empty(&work->plan) && !work->recipe;
    if (empty && work->own_build && ht_pin_find_of(model, HT_PIN_BUILDS, ~0U)) {
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
        settle(
            kernel, HT_KERNEL_REFUSED, 0,
            ht_format("parameterized already, by macros under #ifndef that -D sets: %s", existing));
        free(existing);
        free(problem);
        return;
    }
    publish(kernel, &work->plan,
            problem && !empty); /* with a problem, the kernel would have these */
    if (problem) {
        settle(kernel, HT_KERNEL_NEEDS_PROBLEM, line, problem);
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
    settle(kernel, HT_KERNEL_TOO_COMPLEX, kernel->line,
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

/* Returns true if the name is at clang's location of it. After a line continuation, that location
 * is the backslash. */
static bool is_named_plainly(const ht_source *source, CXCursor cursor, const char *name) {
    unsigned offset;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, NULL, NULL, &offset);
    return strncmp(source->text + offset, name, strlen(name)) == 0;
}

static bool same_place(const ht_source *source, CXCursor a, CXCursor b) {
    size_t first, second;
    ht_range m, n;
    return ht_source_range(source, a, &first, &m) && ht_source_range(source, b, &second, &n) &&
           first == second && m.begin == n.begin;
}

static bool same_name(CXCursor a, CXCursor b) {
    char *first = ht_cursor_name(a);
    bool same = ht_cursor_named(b, first);
    free(first);
    return same;
}

static bool place(const ht_source *source, CXCursor cursor, ht_kernel *kernel, size_t *out_file) {
    ht_range range;
    if (!ht_source_range(source, cursor, out_file, &range))
        return false;
    unsigned column;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, NULL, &column, NULL);
    kernel->name = ht_cursor_name(cursor);
    kernel->file = ht_strdup(source->files[*out_file].path);
    kernel->line = ht_ast_line(cursor);
    kernel->column = (int)column;
    return true;
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
        settle(kernel, HT_KERNEL_REFUSED, slice.reason_line, ht_strdup(slice.reason));
    ht_slice_free(&slice);
}

/* Returns true if an earlier process crashed or reached a limit with this kernel. */
static bool is_lost(const ht_refactor_watch *watch, ht_kernel *kernel) {
    for (size_t i = 0; watch && i < watch->lost_count; ++i)
        if (watch->lost[i].line == kernel->line && watch->lost[i].column == kernel->column) {
            settle(kernel, watch->lost[i].status, kernel->line, ht_strdup(watch->lost[i].reason));
            return true;
        }
    return false;
}

/* Refuses a kernel that the pass cannot handle at all, with the reason. */
static bool is_out_of_reach(const ht_source *source, CXCursor cursor, size_t file,
                            ht_kernel *kernel) {
    char *callee, *reason = NULL;
    if (ht_kernel_too_deep(source, cursor))
        reason = ht_strdup("its brackets are nested deeper than clang reads: put a part into a "
                           "variable or a function of its own");
    else if (ht_kernel_from_macro(source, cursor, &callee)) {
        reason = callee ? ht_format("the kernel is macro-generated, body in callee %s", callee)
                        : ht_strdup("the kernel is macro-generated");
        free(callee);
    } else if (!is_named_plainly(source, cursor, kernel->name) && file == 0)
        reason = ht_strdup("a line continuation stands right before the kernel's name");
    else if (file != 0)
        reason = ht_strdup("the kernel is defined in a header: name that file to rewrite it");
    else if (ht_is_specialised(cursor)) {
        free(kernel->name);
        kernel->name = ht_specialised_name(cursor);
        reason = ht_strdup("it is an explicit specialisation, which cannot have parameters: make "
                           "it a kernel with a name of its own, and launch that");
    }
    if (reason)
        settle(kernel, HT_KERNEL_REFUSED, kernel->line, reason);
    return reason != NULL;
}

/* The arguments of one kernel's analysis. */
typedef struct analysis {
    const ht_source *source;
    CXCursor cursor;
    const ht_problem_file *problems;
    const ht_recipe *recipe;
    unsigned without;
    bool tries, own_build;
    ht_kernel *kernel;
    ht_kernel_work *work;
    size_t file; /* that defines it */
} analysis;

static void model_build(const analysis *in) {
    ht_model *model = &in->work->model;
    ht_model_build_of(in->source, in->cursor, in->problems, in->tries, model);
    free(in->kernel->name);
    in->kernel->name = ht_strdup(model->qualified);
    note_launch(in->kernel, model);
}

static void analyse(void *argument) {
    const analysis *in = argument;
    const ht_source *source = in->source;
    ht_kernel *kernel = in->kernel;
    ht_kernel_work *work = in->work;
    if (is_out_of_reach(source, in->cursor, in->file, kernel))
        return;
    model_build(in);
    const ht_source_error *error = ht_kernel_error(&work->model);
    if (error) {
        settle(kernel, HT_KERNEL_UNPARSED, error->line, ht_strdup(error->message));
        return;
    }
    int line = kernel->line;
    char *problem = ht_annotated_make(source, in->cursor, kernel->name, &kernel->template, &line);
    if (problem) {
        settle(kernel, HT_KERNEL_REFUSED, line, problem);
        return;
    }
    if (kernel->template) {
        kernel->status = HT_KERNEL_ANNOTATED;
        kernel->problem = HT_PROBLEM_ANNOTATED;
        return;
    }
    work->recipe = in->recipe ? ht_recipe_find(in->recipe, kernel->name) : NULL;
    if (in->recipe && !work->recipe) {
        settle(kernel, HT_KERNEL_REFUSED, 0, ht_strdup("the recipe does not name it"));
        return;
    }
    work->without = in->without;
    work->tries = in->tries;
    work->own_build = in->own_build;
    cut_and_transform(in->cursor, kernel, work);
}

static void analyse_watched(const ht_source *source, CXCursor cursor,
                            const ht_problem_file *problems, const ht_refactor_options *options,
                            ht_kernel *kernel, ht_kernel_work *work) {
    const ht_refactor_watch *watch = options ? options->watch : NULL;
    analysis in = {.source = source,
                   .cursor = cursor,
                   .problems = problems,
                   .recipe = options ? options->recipe : NULL,
                   .without = options ? options->without : 0,
                   .tries = options && options->tries,
                   .own_build = options && options->own_build,
                   .kernel = kernel,
                   .work = work};
    ht_lost_kernel lost = {0};
    if (!place(source, cursor, kernel, &in.file) || is_lost(watch, kernel))
        return;
    if (watch && watch->begin)
        watch->begin(watch->context, kernel->line, kernel->column);
    if (watch && watch->rehearse && !watch->rehearse(watch->context, analyse, &in, &lost))
        settle(kernel, lost.status, kernel->line, lost.reason);
    else
        analyse(&in);
}

/* Analyses a kernel, or skips it once the time is over. The first is always analysed: even if the
 * limit is short for one file, there is then something to measure. */
static void analyse_one(const ht_source *source, CXCursor cursor, const ht_problem_file *problems,
                        const ht_refactor_options *options, ht_kernel *kernel, ht_kernel_work *work,
                        bool first) {
    size_t file;
    if (first || !options || !options->stopped || !*options->stopped)
        analyse_watched(source, cursor, problems, options, kernel, work);
    else if (place(source, cursor, kernel, &file))
        settle(kernel, HT_KERNEL_NOT_REACHED, 0,
               ht_strdup("not analysed: a third of the time (--max-time) was over before"));
}

static void tell_repeated(const ht_source *source, CXCursor cursor, ht_kernel *kernel) {
    size_t file;
    if (place(source, cursor, kernel, &file))
        settle(kernel, HT_KERNEL_REFUSED, kernel->line,
               ht_strdup("the kernel is defined more than once at this place: its file is included "
                         "repeatedly"));
}

/* Returns true if the kernel occurs again in the list, and removes those occurrences: a file that
 * is included twice may define the same kernel with other macros, and no single text stands for
 * both. */
static bool is_repeated(const ht_source *source, ht_cursors *list, size_t index) {
    bool found = false;
    for (size_t i = index + 1; i < list->count;)
        if (same_place(source, list->items[i], list->items[index]) &&
            same_name(list->items[i], list->items[index])) {
            found = true;
            memmove(&list->items[i], &list->items[i + 1],
                    (--list->count - i) * sizeof *list->items);
        } else
            ++i;
    return found;
}

/* Returns true for a definition, as opposed to a declaration of a kernel that another source
 * defines. */
static bool is_definition(const ht_tokens *tokens, size_t at) {
    while (at < tokens->count && !ht_tokens_is(tokens, at, "{") && !ht_tokens_is(tokens, at, ";"))
        at += 1;
    return ht_tokens_is(tokens, at, "{");
}

static bool mentions_kernels(const ht_source *source) {
    const ht_tokens *tokens = ht_source_tokens(source, 0);
    for (size_t i = 0; i < tokens->count; ++i)
        if (ht_tokens_is(tokens, i, "__global__") &&
            !ht_source_skipped(source, 0, tokens->items[i].begin) && is_definition(tokens, i))
            return true;
    return false;
}

ht_status ht_refactor_prepare(const ht_refactor_options *options, ht_error *error) {
    return ht_source_prepare(options, error);
}

ht_status ht_refactor_file(const char *path, const ht_problem_file *problems,
                           const ht_refactor_options *options, ht_refactor **out_refactor,
                           ht_error *error) {
    ht_source *source;
    *out_refactor = NULL;
    ht_status status = ht_source_open(path, options, &source, error);
    if (status != HT_OK)
        return status;
    ht_cursors list = ht_kernels_find(source);
    if (list.count == 0 && source->errors.count && mentions_kernels(source)) {
        const ht_source_error *first = &source->errors.items[0];
        status = ht_error_set_at(error, HT_ERROR_INPUT, path, first->line, first->column,
                                 "%s:%d:%d: %s", path, first->line, first->column, first->message);
        free(list.items);
        ht_source_free(source);
        return status;
    }
    ht_refactor *refactor = ht_alloc(1, sizeof *refactor);
    refactor->source = source;
    refactor->count = list.count;
    refactor->kernels = ht_alloc(list.count, sizeof *refactor->kernels);
    refactor->work = ht_alloc(list.count, sizeof *refactor->work);
    for (size_t i = 0; i < list.count; ++i) /* the list gets shorter */
        if (is_repeated(source, &list, i))
            tell_repeated(source, list.items[i], &refactor->kernels[i]);
        else
            analyse_one(source, list.items[i], problems, options, &refactor->kernels[i],
                        &refactor->work[i], i == 0);
    if (options && options->watch && options->watch->begin)
        options->watch->begin(options->watch->context, 0, 0);
    refactor->count = list.count;
    free(list.items);
    *out_refactor = refactor;
    return HT_OK;
}

static void kernel_free(ht_kernel *kernel) {
    free(kernel->name);
    free(kernel->file);
    free(kernel->reason);
    free(kernel->skeleton);
    ht_problem_file_free(kernel->inferred);
    free(kernel->launch_file);
    ht_kernel_forget_template(kernel);
    for (size_t i = 0; i < kernel->remark_count; ++i) {
        free(kernel->remarks[i].file);
        free(kernel->remarks[i].message);
    }
    free(kernel->remarks);
    free(kernel->omitted);
}

void ht_refactor_free(ht_refactor *refactor) {
    if (!refactor)
        return;
    for (size_t i = 0; i < refactor->count; ++i) {
        ht_kernel_work *work = &refactor->work[i];
        ht_kernel_forget_plan(work);
        if (work->model.facts)
            ht_model_free(&work->model);
        kernel_free(&refactor->kernels[i]);
    }
    free(refactor->kernels);
    free(refactor->work);
    ht_source_free(refactor->source);
    free(refactor);
}

size_t ht_refactor_kernel_count(const ht_refactor *refactor) {
    return refactor->count;
}

const ht_kernel *ht_refactor_kernel(const ht_refactor *refactor, size_t index) {
    return index < refactor->count ? &refactor->kernels[index] : NULL;
}
