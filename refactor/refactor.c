/* The pass over one file: parse, find kernels, model, transform, bind, emit, check. */
#include "base/memory.h"
#include "refactor/kernel/discover.h"
#include "refactor/kernel/model_build.h"
#include "refactor/kernel/specialised.h"
#include "refactor/one_kernel.h"
#include "refactor/plan/recipe.h"
#include "refactor/unit/annotated.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if the name is at clang's location of it. After a line continuation, that location
 * is the backslash. */
static bool is_named_plainly(const ht_source *source, CXCursor cursor, const char *name) {
    return strncmp(source->text + ht_ast_offset(cursor), name, strlen(name)) == 0;
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

/* Returns true if an earlier process crashed or reached a limit with this kernel. */
static bool is_lost(const ht_refactor_watch *watch, ht_kernel *kernel) {
    for (size_t i = 0; watch && i < watch->lost_count; ++i)
        if (watch->lost[i].line == kernel->line && watch->lost[i].column == kernel->column) {
            ht_kernel_settle(kernel, watch->lost[i].status, kernel->line,
                             ht_strdup(watch->lost[i].reason));
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
        ht_kernel_settle(kernel, HT_KERNEL_REFUSED, kernel->line, reason);
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

static void analyse(void *argument) {
    const analysis *in = argument;
    const ht_source *source = in->source;
    ht_kernel *kernel = in->kernel;
    ht_kernel_work *work = in->work;
    if (is_out_of_reach(source, in->cursor, in->file, kernel))
        return;
    ht_kernel_model(source, in->cursor, in->problems, in->tries, kernel, work);
    const ht_source_error *error = ht_kernel_error(&work->model);
    if (error) {
        ht_kernel_settle(kernel, HT_KERNEL_UNPARSED, error->line, ht_strdup(error->message));
        return;
    }
    int line = kernel->line;
    char *problem = ht_annotated_make(source, in->cursor, kernel->name, &kernel->template, &line);
    if (problem) {
        ht_kernel_settle(kernel, HT_KERNEL_REFUSED, line, problem);
        return;
    }
    if (kernel->template) {
        kernel->status = HT_KERNEL_ANNOTATED;
        kernel->problem = HT_PROBLEM_ANNOTATED;
        return;
    }
    work->recipe = in->recipe ? ht_recipe_find(in->recipe, kernel->name) : NULL;
    if (in->recipe && !work->recipe) {
        ht_kernel_settle(kernel, HT_KERNEL_REFUSED, 0, ht_strdup("the recipe does not name it"));
        return;
    }
    work->without = in->without;
    work->tries = in->tries;
    work->own_build = in->own_build;
    ht_kernel_transform(in->cursor, kernel, work);
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
        ht_kernel_settle(kernel, lost.status, kernel->line, lost.reason);
    else
        analyse(&in);
}

/* Returns true if the caller asked for the kernel. An explicit specialisation, which is refused,
 * gets its name with the reason. */
static bool is_wanted(const ht_refactor_options *options, CXCursor cursor) {
    if (!options || !options->wanted || ht_is_specialised(cursor))
        return true;
    char *name = ht_cursor_qualified_name(cursor);
    bool wanted = options->wanted(options->wanted_context, name);
    free(name);
    return wanted;
}

/* Settles a kernel that is not analysed. */
static void skip(const ht_source *source, CXCursor cursor, ht_kernel *kernel, const char *reason) {
    size_t file;
    if (!place(source, cursor, kernel, &file))
        return;
    free(kernel->name); /* in full, as kernels that are analysed get it */
    kernel->name = ht_cursor_qualified_name(cursor);
    ht_kernel_settle(kernel, HT_KERNEL_NOT_REACHED, 0, ht_strdup(reason));
}

/* Analyses a kernel, or skips it once the time is over. The first is always analysed: even if the
 * limit is short for one file, there is then something to measure. */
static void analyse_one(const ht_source *source, CXCursor cursor, const ht_problem_file *problems,
                        const ht_refactor_options *options, ht_kernel *kernel, ht_kernel_work *work,
                        bool first) {
    if (first || !options || !options->stopped || !*options->stopped)
        analyse_watched(source, cursor, problems, options, kernel, work);
    else
        skip(source, cursor, kernel,
             "not analysed: a third of the time (--max-time) was over before");
}

static void tell_repeated(const ht_source *source, CXCursor cursor, ht_kernel *kernel) {
    size_t file;
    if (place(source, cursor, kernel, &file))
        ht_kernel_settle(
            kernel, HT_KERNEL_REFUSED, kernel->line,
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
    bool first = true;
    for (size_t i = 0; i < list.count; ++i) { /* the list gets shorter */
        ht_kernel *kernel = &refactor->kernels[i];
        if (is_repeated(source, &list, i)) {
            tell_repeated(source, list.items[i], kernel);
        } else if (!is_wanted(options, list.items[i])) {
            skip(source, list.items[i], kernel, "not analysed: it was not asked for");
        } else {
            analyse_one(source, list.items[i], problems, options, kernel, &refactor->work[i],
                        first);
            first = false;
        }
    }
    if (options && options->watch && options->watch->begin)
        options->watch->begin(options->watch->context, 0, 0);
    refactor->count = list.count;
    free(list.items);
    *out_refactor = refactor;
    return HT_OK;
}

void ht_refactor_free(ht_refactor *refactor) {
    if (!refactor)
        return;
    for (size_t i = 0; i < refactor->count; ++i) {
        ht_kernel_work *work = &refactor->work[i];
        ht_kernel_forget_plan(work);
        free(work->elsewhere);
        if (work->model.facts)
            ht_model_free(&work->model);
        ht_kernel_clear(&refactor->kernels[i]);
    }
    free(refactor->kernels);
    free(refactor->work);
    ht_source_free(refactor->source);
    json_decref(refactor->recalled);
    free(refactor);
}

size_t ht_refactor_kernel_count(const ht_refactor *refactor) {
    return refactor->count;
}

const ht_kernel *ht_refactor_kernel(const ht_refactor *refactor, size_t index) {
    return index < refactor->count ? &refactor->kernels[index] : NULL;
}
