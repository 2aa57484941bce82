/* Takes a kernel and its launches out of a tuned file's text. */
#include "refactor/rewrite/written.h"
#include "refactor/unit/slice_print.h"

#include "base/memory.h"
#include "refactor/kernel/discover.h"
#include "refactor/kernel/model_build.h"
#include "refactor/result.h"
#include "refactor/rewrite/launcher.h"
#include "refactor/rewrite/written_constants.h"
#include "refactor/rewrite/written_launch.h"

#include <stdlib.h>
#include <string.h>

struct ht_written {
    const ht_refactor *refactor;
    ht_source *source; /* of the changed files */
    ht_cursors kernels;
};

static bool is_known(const ht_source *source, const ht_source_error *error) {
    for (size_t i = 0; i < source->errors.count; ++i)
        if (strcmp(source->errors.items[i].message, error->message) == 0)
            return true;
    return false;
}

ht_status ht_written_open(const ht_refactor *refactor, const ht_applied *applied,
                          ht_written **out_written, ht_error *error) {
    ht_file_text *files = ht_alloc(applied->count + 1, sizeof *files);
    ht_source *source;
    *out_written = NULL;
    for (size_t i = 0; i < applied->count; ++i)
        files[i] = (ht_file_text){applied->files[i].path, applied->files[i].text};
    ht_status status = ht_source_reopen(refactor->source, files, applied->count, &source, error);
    free(files);
    if (status != HT_OK)
        return status;
    for (size_t i = 0; i < source->errors.count && status == HT_OK; ++i) {
        const ht_source_error *first = &source->errors.items[i];
        if (!is_known(refactor->source, first))
            status =
                ht_error_set_at(error, HT_ERROR_COMPILE, source->path, first->line, first->column,
                                "it does not compile: line %d: %s", first->line, first->message);
    }
    if (status != HT_OK) {
        ht_source_free(source);
        return status;
    }
    ht_written *written = ht_alloc(1, sizeof *written);
    *written = (ht_written){refactor, source, ht_kernels_find(source)};
    *out_written = written;
    return HT_OK;
}

void ht_written_close(ht_written *written) {
    if (!written)
        return;
    free(written->kernels.items);
    ht_source_free(written->source);
    free(written);
}

/* Finds the kernel of this name. If there are several, takes the one with the same number among
 * them as in the original. */
static CXCursor kernel_find(const ht_written *written, size_t index) {
    const ht_refactor *refactor = written->refactor;
    const char *name = refactor->work[index].model.qualified;
    size_t before = 0;
    for (size_t i = 0; i < index; ++i)
        before +=
            refactor->work[i].model.facts && strcmp(refactor->work[i].model.qualified, name) == 0;
    for (size_t i = 0; i < written->kernels.count; ++i) {
        CXCursor cursor = written->kernels.items[i];
        size_t file;
        ht_range range;
        char *own = ht_cursor_qualified_name(cursor);
        bool same = strcmp(own, name) == 0 &&
                    ht_source_range(written->source, cursor, &file, &range) && file == 0;
        free(own);
        if (same && before-- == 0)
            return cursor;
    }
    return clang_getNullCursor();
}

/* Writes the kernel with all that it reaches, as text of a source. Returns why it cannot be cut
 * out; NULL: it can. free() either. */
static char *cut_out(const ht_model *model, char **out_text) {
    const ht_kernel_facts *facts = model->facts;
    ht_slice slice;
    ht_text text = {0};
    const char *reason = ht_slice_build_launched(facts, model->definition.function, &slice);
    char *problem = reason ? ht_format("line %d: %s", slice.reason_line, reason) : NULL;
    if (!problem) {
        ht_slice_print(&slice, NULL, NULL, &text);
        *out_text = ht_text_take(&text);
    }
    ht_slice_free(&slice);
    return problem;
}

static bool same_launch(const ht_written_launch *a, const ht_written_launch *b) {
    if (!a->template || !b->template)
        return !a->template && !b->template && strcmp(a->unread, b->unread) == 0;
    return ht_template_equal(a->template, b->template);
}

static void launch_free(ht_written_launch *launch) {
    free(launch->file);
    free(launch->unread);
    for (size_t i = 0; i < launch->argument_count; ++i) {
        free(launch->arguments[i].name);
        if (launch->arguments[i].value)
            ht_expr_free(launch->arguments[i].value);
    }
    free(launch->arguments);
    if (launch->where)
        ht_expr_free(launch->where);
    if (launch->refused)
        ht_expr_free(launch->refused);
    for (int axis = 0; axis < 3; ++axis)
        if (launch->covers[axis])
            ht_expr_free(launch->covers[axis]);
    if (launch->template)
        ht_template_free(launch->template, 1);
    *launch = (ht_written_launch){0};
}

/* Adds a launch, unless one with the same text was added. */
static void launch_add(ht_written_kernel *out, ht_written_launch launch) {
    for (size_t i = 0; i < out->launch_count; ++i)
        if (same_launch(&out->launches[i], &launch)) {
            launch_free(&launch);
            return;
        }
    HT_GROW(out->launches, out->launch_count);
    out->launches[out->launch_count++] = launch;
}

static void launches_read(const ht_written_pair *pair, ht_written_kernel *out) {
    const ht_launches *before = &pair->original->facts->launches;
    const ht_launches *now = &pair->written->facts->launches;
    if (now->count < before->count || now->count == 0) {
        out->fault = before->count
                         ? ht_format("it has %zu launches of %s, where the original has %zu",
                                     now->count, pair->original->name, before->count)
                         : ht_format("its launcher of %s launches nothing", pair->original->name);
        return;
    }
    for (size_t i = 0; i < now->count; ++i) {
        ht_written_launch launch;
        const ht_launch_site *site = &now->items[i];
        /* with as many launches, each corresponds to one; further ones are compared to the first */
        bool paired = now->count == before->count;
        ht_written_launch_read(pair, site, paired ? &before->items[i] : NULL, &launch);
        launch.file = ht_strdup(pair->written->facts->source->files[site->file].path);
        launch.line = site->line;
        launch_add(out, launch);
    }
}

/* Makes an entry with the problem's contents and the launcher's own arguments. */
static void launcher_entry(const ht_model *original, ht_problem_entry *out) {
    const ht_problem_entry *entry = original->entry;
    size_t count = entry->spec.field_count;
    *out = *entry;
    out->host = ht_alloc(entry->host_count + count + 1, sizeof *out->host);
    for (size_t i = 0; i < entry->host_count; ++i)
        out->host[i] = entry->host[i];
    for (size_t i = 0; i < count; ++i) {
        char *text = ht_format("problem.%s", entry->spec.fields[i].name);
        ht_host_value *value = &out->host[out->host_count++];
        value->name = ht_launcher_field(original, entry->spec.fields[i].name);
        ht_expr_parse(text, (ht_place){0}, &value->expr, NULL);
        free(text);
    }
}

static void launcher_entry_free(const ht_model *original, ht_problem_entry *entry) {
    for (size_t i = original->entry->host_count; i < entry->host_count; ++i) {
        free(entry->host[i].name);
        ht_expr_free(entry->host[i].expr);
    }
    free(entry->host);
}

void ht_written_kernel_read(ht_written *written, size_t kernel, ht_written_kernel *out) {
    const ht_kernel_work *work = &written->refactor->work[kernel];
    CXCursor cursor = kernel_find(written, kernel);
    *out = (ht_written_kernel){0};
    if (clang_Cursor_isNull(cursor)) {
        out->fault = ht_format("it defines no kernel %s any more", work->model.qualified);
        return;
    }
    ht_model model = {0};
    ht_problem_entry entry;
    bool launcher = work->model.facts->launches.count == 0 && work->model.entry;
    if (launcher)
        launcher_entry(&work->model, &entry);
    ht_model_build(written->source, cursor, launcher ? &entry : work->model.entry, &model);
    ht_written_pair pair = {
        .original = &work->model, .plan = &work->plan, .grid = &work->grid, .written = &model};
    out->fault = cut_out(&work->model, &pair.original_unit);
    if (!out->fault)
        out->fault = cut_out(&model, &pair.written_unit);
    if (!out->fault)
        launches_read(&pair, out);
    ht_written_constants_find(&work->model, &out->constants);
    free(pair.original_unit);
    free(pair.written_unit);
    ht_model_free(&model);
    if (launcher)
        launcher_entry_free(&work->model, &entry);
}

void ht_written_kernel_free(ht_written_kernel *kernel) {
    for (size_t i = 0; i < kernel->launch_count; ++i)
        launch_free(&kernel->launches[i]);
    free(kernel->launches);
    ht_written_constants_free(&kernel->constants);
    free(kernel->fault);
    *kernel = (ht_written_kernel){0};
}
