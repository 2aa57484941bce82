#include "refactor/rewrite/apply.h"
#include "base/memory.h"
#include "refactor/plan/render.h"
#include "refactor/refactor.h"
#include "refactor/result.h"
#include "refactor/rewrite/constant_place.h"
#include "refactor/rewrite/constants.h"
#include "refactor/rewrite/definitions.h"
#include "refactor/rewrite/launcher.h"
#include "refactor/rewrite/long_launch.h"
#include "refactor/rewrite/size_choice.h"
#include "refactor/source/author_style.h"
#include "refactor/source/comment.h"
#include "refactor/source/source_try.h"

#include <stdlib.h>
#include <string.h>

typedef struct replacements {
    ht_replacement *items;
    size_t count;
} replacements;

static void replacements_free(replacements *list) {
    for (size_t i = 0; i < list->count; ++i)
        free(list->items[i].text);
    free(list->items);
}

static int compare(const void *a, const void *b) {
    const ht_replacement *first = a, *second = b;
    if (first->range.begin != second->range.begin)
        return first->range.begin < second->range.begin ? -1 : 1;
    if (first->range.end != second->range.end)
        return first->range.end < second->range.end ? -1 : 1;
    return first->order < second->order ? -1 : first->order > second->order;
}

/* Orders of lines above a kernel are less: what begins its own line comes after them. */
enum { ORDER_OWN = 1 << 24 };

static void append(replacements *list, ht_replacement *items, size_t count, size_t owner) {
    for (size_t i = 0; i < count; ++i) {
        HT_GROW(list->items, list->count);
        items[i].owner = owner;
        items[i].order = ORDER_OWN + list->count;
        list->items[list->count++] = items[i];
    }
    free(items);
}

static void append_one(replacements *list, size_t place, char *text, size_t owner) {
    ht_replacement *item = ht_alloc(1, sizeof *item);
    *item = (ht_replacement){.range = {place, place}, .text = text};
    append(list, item, 1, owner);
}

static void remove_range(replacements *list, ht_range range, size_t owner) {
    ht_replacement *item = ht_alloc(1, sizeof *item);
    *item = (ht_replacement){.range = range, .text = ht_strdup("")};
    append(list, item, 1, owner);
}

/* Adds a launcher on the line after the kernel, in the same scope. */
static ht_status add_launcher(const ht_kernel *kernel, const ht_kernel_work *work,
                              const ht_values *values, replacements *list, size_t owner,
                              ht_error *error) {
    char *text;
    const char *problem = ht_plan_launcher(&work->plan, &work->grid, values, &text);
    if (problem)
        return ht_error_set_at(error, HT_ERROR_UNSUPPORTED, kernel->file, kernel->line, 0,
                               "%s:%d: %s: %s", kernel->file, kernel->line, kernel->name, problem);
    append_one(list, work->model.definition.range.end, ht_format("\n\n%s", text), owner);
    free(text);
    return HT_OK;
}

/* Returns the begin of the kernel's first line, or of the comment above it. */
static size_t line_above(const ht_source *source, const ht_model *model, bool comment) {
    const char *text = source->text;
    size_t begin = ht_line_begin(text, model->definition.range.begin);
    return comment ? ht_comment_begin(text, begin) : begin;
}

/* Adds lines at the begin of a line, indented as the kernel's first; directives are not. `apart`:
 * with empty lines around them. */
static void add_lines(const ht_source *source, const ht_model *model, size_t place,
                      const char *lines, bool apart, replacements *list, size_t owner) {
    size_t own = line_above(source, model, false);
    int indent = (int)strspn(source->text + own, " \t");
    bool empty = place == 0 || (place > 1 && source->text[place - 2] == '\n') ||
                 (place > 2 && strncmp(source->text + place - 3, "\n\r", 2) == 0);
    ht_text text = {0};
    ht_text_append(&text, apart && !empty && *lines ? "\n" : "");
    for (const char *line = lines; *line;) {
        int length = (int)strcspn(line, "\n");
        ht_text_printf(&text, "%.*s%.*s\n", *line == '#' ? 0 : indent, source->text + own, length,
                       line);
        line += length + (line[length] == '\n');
    }
    if (!text.length) {
        ht_text_free(&text);
        return;
    }
    ht_text_append(&text, apart ? "\n" : "");
    append_one(list, place, ht_text_take(&text), owner);
    list->items[list->count - 1].order -= ORDER_OWN;
}

/* Puts the functions that the kernel then calls above it. */
static void add_functions(const ht_source *source, const ht_constants *kernel, replacements *list,
                          size_t owner) {
    const ht_planned_unit *unit = &kernel->plan->unit;
    int64_t value;
    for (size_t i = 0; i < unit->function_count; ++i)
        if (ht_plan_value(&kernel->values, unit->functions[i].where, &value) && value != 0)
            add_lines(source, kernel->model, kernel->place, unit->functions[i].text, true, list,
                      owner);
}

/* Puts the note above the kernel, and takes an older one away. */
static void add_note(const ht_refactor *refactor, const ht_refactor_choice *choice,
                     replacements *list, size_t owner) {
    const ht_source *source = refactor->source;
    const ht_kernel *kernel = &refactor->kernels[choice->kernel];
    const ht_model *model = &refactor->work[choice->kernel].model;
    ht_config plain = ht_config_default(kernel->template);
    size_t own = line_above(source, model, false);
    ht_range old = {own, own};
    if (!ht_config_equal(&plain, &choice->config) && ht_comment_find(source->text, own, &old))
        remove_range(list, old, owner);
    if (!choice->note)
        return;
    char *lines =
        ht_comment_write(source->files[0].text, choice->note, strspn(source->text + own, " \t"));
    add_lines(source, model, own, lines, false, list, owner);
    free(lines);
}

static ht_status add_choice(const ht_refactor *refactor, const ht_refactor_choice *choice,
                            replacements *list, size_t owner, ht_error *error) {
    if (choice->kernel >= refactor->count)
        return ht_error_set(error, HT_ERROR_INTERNAL, "no kernel %zu", choice->kernel);
    const ht_kernel *kernel = &refactor->kernels[choice->kernel];
    const ht_kernel_work *work = &refactor->work[choice->kernel];
    if (kernel->status != HT_KERNEL_TEMPLATED)
        return ht_error_set_at(error, HT_ERROR_UNSUPPORTED, kernel->file, kernel->line, 0,
                               "%s:%d: %s is no kernel that this pass parameterized", kernel->file,
                               kernel->line, kernel->name);
    if (choice->config.count != kernel->template->param_count)
        return ht_error_set(error, HT_ERROR_INTERNAL, "the configuration is another template's");
    const ht_launches *launches = &work->model.facts->launches;
    ht_values values = {kernel->template, &choice->config, true};
    ht_config plain = ht_config_default(kernel->template);
    if (!ht_config_equal(&plain, &choice->config)) {
        if (work->plan.launches.unapplied)
            return ht_error_set_at(error, HT_ERROR_UNSUPPORTED, kernel->file, kernel->line, 0,
                                   "%s:%d: %s: %s: use the template", kernel->file, kernel->line,
                                   kernel->name, work->plan.launches.unapplied);
        ht_replacement *items;
        size_t count;
        char *problem = ht_plan_flatten(&work->plan, &values, &items, &count);
        char *sizes = choice->sizes && !problem
                          ? ht_size_choice_write(work, &values, choice->sizes, &items, &count)
                          : NULL;
        append(list, items, count, owner);
        if (sizes) {
            ht_error_set_at(error, HT_ERROR_UNSUPPORTED, kernel->file, kernel->line, 0, "%s",
                            sizes);
            free(sizes);
            return HT_ERROR_UNSUPPORTED;
        }
        if (problem) {
            ht_error_set_at(error, HT_ERROR_INTERNAL, kernel->file, kernel->line, 0,
                            "%s:%d: %s: %s", kernel->file, kernel->line, kernel->name, problem);
            free(problem);
            return HT_ERROR_INTERNAL;
        }
    }
    if (launches->count == 0)
        return add_launcher(kernel, work, &values, list, owner, error);
    return HT_OK;
}

/* Gives values names, in definitions of the author's and in new ones. */
static void name_values(const ht_refactor *refactor, const ht_refactor_choice *choices,
                        size_t choice_count, replacements *list) {
    const ht_source *source = refactor->source;
    ht_constants *kernels = ht_alloc(choice_count + 1, sizeof *kernels);
    for (size_t i = 0; i < choice_count; ++i) {
        const ht_kernel_work *work = &refactor->work[choices[i].kernel];
        kernels[i] = (ht_constants){
            .model = &work->model,
            .plan = &work->plan,
            .grid = &work->grid,
            .values = {refactor->kernels[choices[i].kernel].template, &choices[i].config, false},
            .place = line_above(source, &work->model, true)};
    }
    ht_block_names blocks;
    ht_block_names_find(kernels, choice_count, &blocks);
    ht_definitions_change(source, &blocks, kernels, &list->items, &list->count);
    ht_block_names_write(&blocks, source, kernels, list->items, &list->count);
    ht_block_names_free(&blocks);
    ht_names all = {0};
    for (size_t i = 0; i < refactor->count; ++i)
        ht_names_add(&all, refactor->kernels[i].name);
    ht_constants_settle(source, list->items, list->count, kernels, choice_count, &all);
    ht_names_free(&all);
    for (size_t i = 0; i < choice_count; ++i)
        ht_long_launches_declare(kernels[i].plan, &list->items, &list->count, i);
    for (size_t i = 0; i < choice_count; ++i) {
        size_t place =
            ht_constant_place(source, kernels[i].model, kernels[i].place, kernels[i].declarations);
        add_lines(source, kernels[i].model, place, kernels[i].declarations,
                  place == kernels[i].place, list, i);
        add_functions(source, &kernels[i], list, i);
        add_note(refactor, &choices[i], list, i);
        free(kernels[i].declarations);
    }
    free(kernels);
}

static bool same(const ht_replacement *a, const ht_replacement *b) {
    return a->range.begin == b->range.begin && a->range.end == b->range.end &&
           strcmp(a->text, b->text) == 0;
}

/* Replaces in the order of places. Two kernels may ask for the same replacement of a range, but not
 * for different ones. *index ends after the file's last replacement. */
static ht_status merge(const ht_user_file *file, const replacements *list, size_t *index,
                       ht_text *out, ht_error *error) {
    static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8: insertions go after it */
    size_t at = 0, least = strncmp(file->text, mark, 3) == 0 ? 3 : 0;
    for (; *index < list->count; ++*index) {
        const ht_replacement *item = &list->items[*index];
        size_t begin = item->range.begin - file->base, end = item->range.end - file->base;
        if (begin > file->length)
            break;
        begin = begin < least ? least : begin;
        end = end < begin ? begin : end;
        if (begin < end && *index && same(item, item - 1))
            continue;
        if (begin < at)
            return ht_error_set_at(error, HT_ERROR_UNSUPPORTED, file->path, 0, 0,
                                   "%s: two kernels want to rewrite the same text at offset %zu",
                                   file->path, begin);
        ht_style_keep(file->text, at, begin, out);
        ht_style_replace(file->text, file->length, (ht_range){begin, end}, item->text, out);
        at = end;
    }
    ht_style_keep(file->text, at, file->length, out);
    return HT_OK;
}

static void file_add(ht_applied *out, const char *path, char *text) {
    HT_GROW(out->files, out->count);
    out->files[out->count++] = (ht_applied_file){ht_strdup(path), text};
}

/* Rewrites the file being analysed, and the others that change with it. */
static ht_status merge_all(const ht_source *source, replacements *list, ht_applied *out,
                           ht_error *error) {
    ht_status status = HT_OK;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare);
    for (size_t i = 0, index = 0; i < source->file_count && status == HT_OK; ++i) {
        const ht_user_file *file = &source->files[i];
        ht_text text = {0};
        ht_text_append(&text, "");
        status = merge(file, list, &index, &text, error);
        bool changed = strcmp(text.data, file->text) != 0;
        if (status == HT_OK && i == 0)
            file_add(out, file->path, ht_source_author_text(source, ht_text_take(&text)));
        else if (status == HT_OK && changed)
            file_add(out, file->path, ht_text_take(&text));
        else
            ht_text_free(&text);
    }
    return status;
}

static bool known(const ht_source *source, const char *message, bool *used) {
    for (size_t i = 0; i < source->errors.count; ++i)
        if (!used[i] && strcmp(source->errors.items[i].message, message) == 0) {
            used[i] = true;
            return true;
        }
    return false;
}

/* Checks that the new texts have no errors that the originals do not have. */
static ht_status check(const ht_source *source, const ht_applied *applied, ht_error *error) {
    char **messages;
    ht_file_text *files = ht_alloc(applied->count, sizeof *files);
    for (size_t i = 0; i < applied->count; ++i)
        files[i] = (ht_file_text){applied->files[i].path, applied->files[i].text};
    size_t count = ht_source_try_files(source, files, applied->count, &messages);
    bool *used = ht_alloc(source->errors.count + 1, sizeof *used);
    ht_status status = HT_OK;
    for (size_t i = 0; i < count; ++i) {
        if (status == HT_OK && !known(source, messages[i], used))
            status = ht_error_set_at(error, HT_ERROR_INTERNAL, source->path, 0, 0,
                                     "%s: the rewritten source does not compile: %s", source->path,
                                     messages[i]);
        free(messages[i]);
    }
    free(messages);
    free(used);
    free(files);
    return status;
}

void ht_applied_free(ht_applied *applied) {
    for (size_t i = 0; i < applied->count; ++i) {
        free(applied->files[i].path);
        free(applied->files[i].text);
    }
    free(applied->files);
    *applied = (ht_applied){0};
}

ht_status ht_refactor_apply_all(const ht_refactor *refactor, const ht_refactor_choice *choices,
                                size_t choice_count, ht_applied *out_applied, ht_error *error) {
    replacements list = {0};
    ht_status status = HT_OK;
    *out_applied = (ht_applied){0};
    if (!refactor->source)
        return ht_error_set(error, HT_ERROR_INTERNAL, "the source was not read");
    for (size_t i = 0; i < choice_count && status == HT_OK; ++i)
        status = add_choice(refactor, &choices[i], &list, i, error);
    if (status == HT_OK)
        name_values(refactor, choices, choice_count, &list);
    if (status == HT_OK)
        status = merge_all(refactor->source, &list, out_applied, error);
    if (status == HT_OK)
        status = check(refactor->source, out_applied, error);
    if (status != HT_OK)
        ht_applied_free(out_applied);
    replacements_free(&list);
    return status;
}

ht_status ht_refactor_apply(const ht_refactor *refactor, const ht_refactor_choice *choices,
                            size_t choice_count, char **out_source, ht_error *error) {
    ht_applied applied;
    *out_source = NULL;
    ht_status status = ht_refactor_apply_all(refactor, choices, choice_count, &applied, error);
    if (status != HT_OK)
        return status;
    if (applied.count > 1)
        status = ht_error_set_at(error, HT_ERROR_UNSUPPORTED, refactor->source->path, 0, 0,
                                 "%s: its launches in %s would have to change with it",
                                 refactor->source->path, applied.files[1].path);
    else if (applied.count == 1)
        *out_source = ht_strdup(applied.files[0].text);
    else /* a kernel without a choice of values is not rewritten */
        *out_source =
            ht_source_author_text(refactor->source, ht_strdup(refactor->source->files[0].text));
    ht_applied_free(&applied);
    return status;
}
