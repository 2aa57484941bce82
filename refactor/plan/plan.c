/* Collecting what transformations want to change. */
#include "refactor/plan/plan.h"

#include "base/memory.h"
#include "refactor/plan/launch_text.h"
#include "refactor/plan/transform.h"
#include "refactor/source/conditional.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ht_plan_init(ht_plan *plan, const ht_model *model) {
    *plan = (ht_plan){.model = model};
    for (int axis = 0; axis < 3; ++axis)
        if (model->axes[axis].block > 0)
            plan->block[axis] = ht_format("%lld", (long long)model->axes[axis].block);
}

static void edit_free(ht_edit *edit) {
    free(edit->param);
    free(edit->text);
    free(edit->print);
}

static void param_free(ht_planned_param *param) {
    free(param->name);
    free(param->values);
    free(param->default_value);
    free(param->hidden_macro);
}

void ht_plan_free(ht_plan *plan) {
    for (size_t i = 0; i < plan->edit_count; ++i)
        edit_free(&plan->edits[i]);
    for (size_t i = 0; i < plan->param_count; ++i)
        param_free(&plan->params[i]);
    for (size_t i = 0; i < plan->require_count; ++i)
        free(plan->requires[i]);
    for (size_t i = 0; i < plan->cover_count; ++i)
        free(plan->covers[i].param);
    for (size_t i = 0; i < plan->name_count; ++i)
        free(plan->names[i]);
    for (size_t i = 0; i < plan->followed_count; ++i)
        free(plan->followed[i]);
    for (int axis = 0; axis < 3; ++axis)
        free(plan->block[axis]), free(plan->bound[axis]);
    for (size_t i = 0; i < plan->remarks.count; ++i) {
        free(plan->remarks.items[i].file);
        free(plan->remarks.items[i].message);
    }
    free(plan->edits);
    free(plan->params);
    free(plan->requires);
    free(plan->covers);
    free(plan->names);
    free(plan->helpers);
    free(plan->lds_times);
    free(plan->stacked);
    free(plan->followed);
    free(plan->remarks.items);
    free(plan->applied);
    free(plan->omitted);
    free(plan->unapplied);
    free(plan->unmet);
    free(plan->wide.text);
    if (plan->tiled)
        plan->tiled_free(plan->tiled);
    *plan = (ht_plan){0};
}

/* ---- edits
 * --------------------------------------------------------------------------------------------------
 */

static bool crosses(ht_range a, ht_range b) {
    return (a.begin < b.begin && b.begin < a.end && a.end < b.end) ||
           (b.begin < a.begin && a.begin < b.end && b.end < a.end);
}

static void edit_add(ht_plan *plan, ht_range range, const char *param, const char *text,
                     ht_wraps wraps) {
    HT_GROW(plan->edits, plan->edit_count);
    plan->edits[plan->edit_count++] =
        (ht_edit){range, param ? ht_strdup(param) : NULL, ht_strdup(text), false, wraps, NULL};
}

/* Is the directive's place shown by a $[BEGIN,END] of the text? */
static bool is_shown(const char *text, size_t offset) {
    for (const char *at = text; (at = strstr(at, "$[")) != NULL; at += 2) {
        unsigned long first, last;
        if (sscanf(at + 2, "%lu,%lu", &first, &last) == 2 && first <= offset && offset < last)
            return true;
    }
    return false;
}

/* A conditional in the range whose other branches the text would lose, or tear apart: other builds
 * would be others. */
static bool tears_conditional(const ht_plan *plan, ht_range range, const char *text) {
    const ht_source *source = plan->model->facts->source;
    size_t file = ht_source_at(source, range.begin), base = source->files[file].base;
    const ht_tokens *tokens = ht_source_tokens(source, file);
    for (size_t i = ht_tokens_at(tokens, range.begin - base);
         i < tokens->count && tokens->items[i].begin + base < range.end; ++i) {
        ht_directive kind = ht_directive_kind(tokens, i);
        if ((kind == HT_DIRECTIVE_IF || kind == HT_DIRECTIVE_ELSE || kind == HT_DIRECTIVE_ENDIF) &&
            !is_shown(text, tokens->items[i].begin + base))
            return true;
    }
    return false;
}

bool ht_plan_edit(ht_plan *plan, ht_range range, const char *param, const char *text) {
    if (range.begin < range.end && range.end <= plan->model->facts->source->text_length &&
        tears_conditional(plan, range, text)) {
        plan->failed = plan->torn = true;
        return false;
    }
    if (range.begin > range.end || range.end > plan->model->facts->source->text_length) {
        plan->failed = true;
        return false;
    }
    for (size_t i = 0; i < plan->edit_count; ++i) {
        const ht_edit *other = &plan->edits[i];
        bool same = other->range.begin == range.begin && other->range.end == range.end;
        if (same && strcmp(other->text, text) == 0)
            return true;
        if ((same && range.begin < range.end) || crosses(range, other->range)) {
            plan->failed = true;
            return false;
        }
    }
    edit_add(plan, range, param, text, HT_WRAPS_NOTHING);
    return true;
}

void ht_plan_edits_drop(ht_plan *plan, size_t count) {
    while (plan->edit_count > count)
        edit_free(&plan->edits[--plan->edit_count]);
}

bool ht_plan_wrap(ht_plan *plan, ht_range range, const char *param, const char *text) {
    for (size_t i = 0; i < plan->edit_count; ++i) {
        ht_edit *other = &plan->edits[i];
        if (crosses(range, other->range)) {
            plan->failed = true;
            return false;
        }
        if (other->wraps != HT_WRAPS_FORM || other->range.begin != range.begin ||
            other->range.end != range.end)
            continue;
        free(other->text);
        other->text = ht_strdup(text);
        return true;
    }
    edit_add(plan, range, param, text, HT_WRAPS_FORM);
    return true;
}

bool ht_plan_wrap_all(ht_plan *plan, ht_range range, const char *param, const char *text) {
    for (size_t i = 0; i < plan->edit_count; ++i)
        if (crosses(range, plan->edits[i].range)) {
            plan->failed = true;
            return false;
        }
    edit_add(plan, range, param, text, HT_WRAPS_ALL);
    return true;
}

bool ht_plan_print(ht_plan *plan, ht_range range, const char *param, const char *key,
                   const ht_launch_print *print, bool around) {
    size_t count = plan->edit_count;
    bool done = true;
    if (around)
        edit_add(plan, range, param, key, HT_WRAPS_FORM);
    else
        done = ht_plan_edit(plan, range, param, key);
    if (plan->edit_count == count)
        return done;
    ht_edit *edit = &plan->edits[count];
    edit->applied_only = true;
    edit->print = ht_alloc(1, sizeof *edit->print);
    *edit->print = *print;
    return true;
}

bool ht_plan_edit_applied(ht_plan *plan, ht_range range, const char *param, const char *text) {
    size_t count = plan->edit_count;
    bool done = ht_plan_edit(plan, range, param, text);
    if (plan->edit_count > count)
        plan->edits[count].applied_only = true;
    return done;
}

bool ht_plan_editf(ht_plan *plan, ht_range range, const char *param, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int length = vasprintf(&text, format, args);
    va_end(args);
    bool done = length >= 0 && ht_plan_edit(plan, range, param, text);
    free(text);
    return done;
}

/* ---- parameters
 * --------------------------------------------------------------------------------------------- */

static bool tokens_mention(const char *text, size_t length, const char *name) {
    size_t size = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL && at + size <= text + length;
         ++at) {
        bool before = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool after = isalnum((unsigned char)at[size]) || at[size] == '_';
        if (!before && !after)
            return true;
    }
    return false;
}

static bool name_taken(const ht_plan *plan, const char *name) {
    const ht_source *source = plan->model->facts->source;
    const ht_problem_entry *entry = plan->model->entry;
    for (size_t i = 0; i < source->file_count; ++i)
        if (tokens_mention(source->files[i].text, source->files[i].length, name))
            return true;
    for (size_t i = 0; entry && i < entry->arg_count; ++i)
        if (strcmp(entry->args[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < plan->name_count; ++i)
        if (strcmp(plan->names[i], name) == 0)
            return true;
    for (size_t i = 0; i < source->argument_count; ++i) {
        const char *text = source->arguments[i];
        bool joined = strncmp(text, "-D", 2) == 0;
        bool behind = i > 0 && strcmp(source->arguments[i - 1], "-D") == 0;
        text += joined ? 2 : 0;
        if ((joined || behind) && /* folders may have any name */
            tokens_mention(text, strlen(text), name))
            return true;
    }
    return false;
}

const char *ht_plan_name(ht_plan *plan, const char *wanted) {
    char *name = ht_strdup(wanted);
    for (int number = 2; name_taken(plan, name); ++number) {
        free(name);
        name = ht_format("%s_%d", wanted, number);
    }
    HT_GROW(plan->names, plan->name_count);
    plan->names[plan->name_count++] = name;
    return name;
}

const char *ht_plan_name_upper(ht_plan *plan, const char *front, const char *back) {
    char *wanted = ht_format("%s%s", front, back);
    ht_text_upper(wanted);
    const char *name = ht_plan_name(plan, wanted);
    free(wanted);
    return name;
}

ht_planned_param *ht_plan_param_add(ht_plan *plan, const char *name, const char *values,
                                    const char *default_value) {
    HT_GROW(plan->params, plan->param_count);
    ht_planned_param *param = &plan->params[plan->param_count++];
    *param = (ht_planned_param){.transformation = plan->transformation,
                                .name = ht_strdup(name),
                                .values = ht_strdup(values),
                                .default_value = ht_strdup(default_value)};
    return param;
}

bool ht_plan_param(ht_plan *plan, const char *name, const char *values, const char *default_value) {
    bool owned = false;
    for (size_t i = 0; i < plan->name_count; ++i)
        owned = owned || strcmp(plan->names[i], name) == 0;
    for (size_t i = 0; i < plan->param_count; ++i)
        if (strcmp(plan->params[i].name, name) == 0)
            plan->failed = true;
    if (plan->failed || (!owned && name_taken(plan, name)) || plan->param_count >= HT_PARAM_MAX) {
        plan->failed = true;
        return false;
    }
    ht_plan_param_add(plan, name, values, default_value);
    return true;
}

char *ht_plan_rounds(const ht_plan *plan) {
    ht_text names = {0};
    for (size_t i = 0; i < plan->param_count; ++i)
        if (plan->params[i].rounds)
            ht_text_printf(&names, names.length ? ",%s" : "%s", plan->params[i].name);
    return names.length ? ht_text_take(&names) : NULL;
}

static const ht_planned_param *given_param(const ht_plan *plan, const char *name) {
    for (size_t i = 0; i < plan->param_count; ++i)
        if (plan->params[i].given && strcmp(plan->params[i].stands_for, name) == 0)
            return &plan->params[i];
    return NULL;
}

char *ht_plan_outside(const ht_plan *plan, const char *expression) {
    ht_text text = {0};
    ht_tokens tokens;
    size_t at = 0, length = strlen(expression);
    ht_tokens_read(expression, (ht_range){0, length}, false, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        bool field = i > 0 && ht_tokens_is(&tokens, i - 1, ".");
        char *name = ht_tokens_text(&tokens, i);
        const ht_planned_param *param = field ? NULL : given_param(plan, name);
        if (param) {
            ht_text_append_n(&text, expression + at, tokens.items[i].begin - at);
            ht_text_printf(&text, "$?{%s}{%s}{%s}$?{%s == 0}{}{%s}", param->name, param->given,
                           param->given, param->name, name);
            at = tokens.items[i].end;
        }
        free(name);
    }
    ht_tokens_free(&tokens);
    ht_text_append_n(&text, expression + at, length - at);
    return ht_text_take(&text);
}

static bool is_param(const ht_plan *plan, const char *name) {
    for (size_t i = 0; i < plan->param_count; ++i)
        if (strcmp(plan->params[i].name, name) == 0)
            return true;
    return false;
}

const char *ht_plan_orphan(const ht_plan *plan, size_t first) {
    for (size_t i = first; i < plan->require_count; ++i)
        for (size_t k = 0; k < plan->name_count; ++k)
            if (tokens_mention(plan->requires[i], strlen(plan->requires[i]), plan->names[k]) &&
                !is_param(plan, plan->names[k]))
                return plan->names[k];
    return NULL;
}

void ht_plan_help(ht_plan *plan, const char *text) {
    char *longer = ht_format("%s%s", plan->helpers ? plan->helpers : "", text);
    free(plan->helpers);
    plan->helpers = longer;
}

bool ht_plan_require(ht_plan *plan, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return false;
    HT_GROW(plan->requires, plan->require_count);
    plan->requires[plan->require_count++] = text;
    return true;
}

bool ht_plan_needs_size(ht_plan *plan, const char *param, const char *size) {
    for (size_t i = plan->param_count; i-- > 0;)
        if (strcmp(plan->params[i].name, param) == 0) {
            plan->params[i].by_size = size;
            return true;
        }
    plan->failed = true;
    return false;
}

bool ht_plan_cover(ht_plan *plan, int axis, const char *param) {
    if (!plan->model->launch_known || plan->model->facts->problem) {
        plan->failed = true;
        return false;
    }
    HT_GROW(plan->covers, plan->cover_count);
    plan->covers[plan->cover_count++] = (ht_cover){axis, ht_strdup(param)};
    return true;
}

const char *ht_plan_cover_param(const ht_plan *plan, int axis) {
    for (size_t i = 0; i < plan->cover_count; ++i)
        if (plan->covers[i].axis == axis)
            return plan->covers[i].param;
    return NULL;
}

const char *ht_plan_block(const ht_plan *plan, int axis) {
    return plan->block[axis];
}

void ht_plan_set_block(ht_plan *plan, int axis, const char *expression) {
    char *copy = ht_strdup(expression);
    free(plan->block[axis]);
    plan->block[axis] = copy;
    plan->block_changed[axis] = true;
}

/* ---- remarks
 * ------------------------------------------------------------------------------------------------
 */

/* NULL where there is no memory for its words. */
static ht_remark *remark_add(ht_plan *plan, ht_remark_kind kind, const char *file, int line,
                             int column, const char *format, va_list args) {
    char *message = NULL;
    if (vasprintf(&message, format, args) < 0)
        return NULL;
    HT_GROW(plan->remarks.items, plan->remarks.count);
    ht_remark *remark = &plan->remarks.items[plan->remarks.count++];
    *remark = (ht_remark){.kind = kind,
                          .transformation = plan->transformation,
                          .file = ht_strdup(file),
                          .line = line,
                          .column = column,
                          .message = message};
    return remark;
}

static ht_remark *remark_of(ht_plan *plan, ht_remark_kind kind, CXCursor cursor, const char *format,
                            va_list args) {
    CXFile file;
    unsigned line, column;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &line, &column, NULL);
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    ht_remark *remark = remark_add(plan, kind, path ? path : plan->model->path, (int)line,
                                   (int)column, format, args);
    clang_disposeString(name);
    return remark;
}

void ht_plan_remark(ht_plan *plan, ht_remark_kind kind, CXCursor cursor, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)remark_of(plan, kind, clang_Cursor_isNull(cursor) ? plan->model->kernel : cursor, format,
                    args);
    va_end(args);
}

void ht_plan_remark_left_out(ht_plan *plan, const char *format, ...) {
    va_list args;
    va_start(args, format);
    ht_remark *remark = remark_of(plan, HT_REMARK_MISSED, plan->model->kernel, format, args);
    if (remark)
        remark->left_out = true;
    va_end(args);
}

void ht_plan_remark_at(ht_plan *plan, ht_remark_kind kind, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)remark_add(plan, kind, plan->model->path, line, 1, format, args);
    va_end(args);
}
