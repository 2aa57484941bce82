/* Collects the changes that transformations make. */
#include "refactor/plan/plan.h"

#include "base/memory.h"
#include "refactor/plan/launch_text.h"
#include "refactor/plan/transform.h"
#include "refactor/source/conditional.h"
#include "refactor/source/name_style.h"
#include "refactor/source/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ht_plan_init(ht_plan *plan, const ht_model *model) {
    *plan = (ht_plan){.model = model};
    for (int axis = 0; axis < 3; ++axis)
        if (model->axes[axis].block > 0)
            plan->axes[axis].block = ht_format("%lld", (long long)model->axes[axis].block);
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
    free(param->called);
}

void ht_plan_free(ht_plan *plan) {
    for (size_t i = 0; i < plan->edits.count; ++i)
        edit_free(&plan->edits.items[i]);
    for (size_t i = 0; i < plan->params.count; ++i)
        param_free(&plan->params.items[i]);
    for (size_t i = 0; i < plan->requires.count; ++i)
        free(plan->requires.items[i]);
    for (size_t i = 0; i < plan->covers.count; ++i)
        free(plan->covers.items[i].param);
    for (size_t i = 0; i < plan->unit.name_count; ++i) {
        free(plan->unit.names[i].text);
        free(plan->unit.names[i].wanted);
    }
    for (size_t i = 0; i < plan->unit.followed_count; ++i)
        free(plan->unit.followed[i]);
    for (size_t i = 0; i < plan->unit.function_count; ++i) {
        free(plan->unit.functions[i].where);
        free(plan->unit.functions[i].text);
    }
    for (int axis = 0; axis < 3; ++axis)
        free(plan->axes[axis].block), free(plan->axes[axis].bound);
    for (size_t i = 0; i < plan->remarks.count; ++i) {
        free(plan->remarks.items[i].file);
        free(plan->remarks.items[i].message);
    }
    free(plan->edits.items);
    free(plan->params.items);
    free(plan->requires.items);
    free(plan->covers.items);
    free(plan->unit.names);
    free(plan->unit.helpers);
    free(plan->unit.functions);
    free(plan->launches.lds_times);
    free(plan->stack.param);
    free(plan->unit.followed);
    free(plan->remarks.items);
    free(plan->record.applied);
    free(plan->record.omitted);
    free(plan->launches.unapplied);
    free(plan->launches.tiles.param);
    free(plan->launches.tiles.grid);
    free(plan->record.unmet);
    free(plan->forms.wide.text);
    if (plan->forms.tiled)
        plan->forms.tiled_free(plan->forms.tiled);
    *plan = (ht_plan){0};
}

/* ---- edits ---- */

static bool crosses(ht_range a, ht_range b) {
    return (a.begin < b.begin && b.begin < a.end && a.end < b.end) ||
           (b.begin < a.begin && a.begin < b.end && b.end < a.end);
}

static void edit_add(ht_plan *plan, ht_range range, const char *param, const char *text,
                     ht_wraps wraps) {
    HT_GROW(plan->edits.items, plan->edits.count);
    plan->edits.items[plan->edits.count++] =
        (ht_edit){range, param ? ht_strdup(param) : NULL, ht_strdup(text), false, wraps, NULL};
}

/* Returns true if a $[BEGIN,END] of the text shows the place of the directive. */
static bool is_shown(const char *text, size_t offset) {
    for (const char *at = text; (at = strstr(at, "$[")) != NULL; at += 2) {
        unsigned long first, last;
        if (sscanf(at + 2, "%lu,%lu", &first, &last) == 2 && first <= offset && offset < last)
            return true;
    }
    return false;
}

/* Returns true if the range has a preprocessor conditional that the text would not show as a whole:
 * other builds would lose their code. */
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
        plan->running.failed = plan->running.torn = true;
        return false;
    }
    if (range.begin > range.end || range.end > plan->model->facts->source->text_length) {
        plan->running.failed = true;
        return false;
    }
    for (size_t i = 0; i < plan->edits.count; ++i) {
        const ht_edit *other = &plan->edits.items[i];
        bool same = other->range.begin == range.begin && other->range.end == range.end;
        if (same && strcmp(other->text, text) == 0)
            return true;
        if ((same && range.begin < range.end) || crosses(range, other->range)) {
            plan->running.failed = true;
            return false;
        }
    }
    edit_add(plan, range, param, text, HT_WRAPS_NOTHING);
    return true;
}

void ht_plan_edits_drop(ht_plan *plan, size_t count) {
    while (plan->edits.count > count)
        edit_free(&plan->edits.items[--plan->edits.count]);
}

bool ht_plan_wrap(ht_plan *plan, ht_range range, const char *param, const char *text) {
    for (size_t i = 0; i < plan->edits.count; ++i) {
        ht_edit *other = &plan->edits.items[i];
        if (crosses(range, other->range)) {
            plan->running.failed = true;
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
    for (size_t i = 0; i < plan->edits.count; ++i)
        if (crosses(range, plan->edits.items[i].range)) {
            plan->running.failed = true;
            return false;
        }
    edit_add(plan, range, param, text, HT_WRAPS_ALL);
    return true;
}

bool ht_plan_print(ht_plan *plan, ht_range range, const char *param, const char *key,
                   const ht_launch_print *print, bool around) {
    size_t count = plan->edits.count;
    bool done = true;
    if (around)
        edit_add(plan, range, param, key, HT_WRAPS_FORM);
    else
        done = ht_plan_edit(plan, range, param, key);
    if (plan->edits.count == count)
        return done;
    ht_edit *edit = &plan->edits.items[count];
    edit->applied_only = true;
    edit->print = ht_alloc(1, sizeof *edit->print);
    *edit->print = *print;
    return true;
}

bool ht_plan_edit_applied(ht_plan *plan, ht_range range, const char *param, const char *text) {
    size_t count = plan->edits.count;
    bool done = ht_plan_edit(plan, range, param, text);
    if (plan->edits.count > count)
        plan->edits.items[count].applied_only = true;
    return done;
}

bool ht_plan_editf(ht_plan *plan, ht_range range, const char *param, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = ht_format_list(format, args);
    va_end(args);
    bool done = ht_plan_edit(plan, range, param, text);
    free(text);
    return done;
}

/* ---- parameters ---- */

static bool name_taken(const ht_plan *plan, const char *name) {
    const ht_source *source = plan->model->facts->source;
    const ht_problem_entry *entry = plan->model->entry;
    for (size_t i = 0; i < source->file_count; ++i)
        if (ht_source_names(source, i, name))
            return true;
    for (size_t i = 0; entry && i < entry->arg_count; ++i)
        if (strcmp(entry->args[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < plan->unit.name_count; ++i)
        if (strcmp(plan->unit.names[i].text, name) == 0)
            return true;
    for (size_t i = 0; i < source->call.own_count; ++i) {
        const char *text = source->call.own[i];
        bool joined = strncmp(text, "-D", 2) == 0;
        bool behind = i > 0 && strcmp(source->call.own[i - 1], "-D") == 0;
        text += joined ? 2 : 0;
        if ((joined || behind) && /* folders may have any name */
            ht_name_stands(text, strlen(text), name))
            return true;
    }
    return false;
}

/* Returns the number to try first: those before the last given are taken. */
static int first_number(const ht_plan *plan, const char *wanted) {
    for (size_t i = plan->unit.name_count; i > 0; --i)
        if (strcmp(plan->unit.names[i - 1].wanted, wanted) == 0)
            return plan->unit.names[i - 1].number + 1;
    return 1;
}

static char *numbered(const char *wanted, int number) {
    return number == 1 ? ht_strdup(wanted) : ht_format("%s_%d", wanted, number);
}

const char *ht_plan_name(ht_plan *plan, const char *wanted) {
    int number = first_number(plan, wanted);
    if (!plan->unit.name_count)
        plan->unit.camel = ht_name_style_is_camel(plan->model->facts->source);
    char *own = plan->unit.camel ? ht_name_camel(wanted) : ht_strdup(wanted);
    char *name = numbered(own, number);
    while (name_taken(plan, name)) {
        free(name);
        name = numbered(own, ++number);
    }
    free(own);
    HT_GROW(plan->unit.names, plan->unit.name_count);
    plan->unit.names[plan->unit.name_count++] = (ht_given_name){name, ht_strdup(wanted), number};
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
    HT_GROW(plan->params.items, plan->params.count);
    ht_planned_param *param = &plan->params.items[plan->params.count++];
    *param = (ht_planned_param){.transformation = plan->running.transformation,
                                .name = ht_strdup(name),
                                .values = ht_strdup(values),
                                .default_value = ht_strdup(default_value)};
    return param;
}

bool ht_plan_param(ht_plan *plan, const char *name, const char *values, const char *default_value) {
    bool owned = false;
    for (size_t i = 0; i < plan->unit.name_count; ++i)
        owned = owned || strcmp(plan->unit.names[i].text, name) == 0;
    for (size_t i = 0; i < plan->params.count; ++i)
        if (strcmp(plan->params.items[i].name, name) == 0)
            plan->running.failed = true;
    if (plan->running.failed || (!owned && name_taken(plan, name)) ||
        plan->params.count >= HT_PARAM_MAX) {
        plan->running.failed = true;
        return false;
    }
    ht_plan_param_add(plan, name, values, default_value);
    return true;
}

const ht_planned_param *ht_plan_unroll_of(const ht_plan *plan, size_t begin) {
    for (size_t i = 0; i < plan->params.count; ++i) {
        ht_range loop = plan->params.items[i].loop;
        if (loop.begin == begin && loop.end > begin)
            return &plan->params.items[i];
    }
    return NULL;
}

void ht_plan_form(ht_plan *plan, const char *name, const char *form) {
    for (size_t i = 0; i < plan->params.count; ++i)
        if (strcmp(plan->params.items[i].name, name) == 0)
            plan->params.items[i].form = form;
}

const char ht_outputs_words[] = "outputs per thread";

void ht_plan_call(ht_plan *plan, const char *name, const char *words) {
    for (size_t i = 0; i < plan->params.count; ++i)
        if (strcmp(plan->params.items[i].name, name) == 0) {
            free(plan->params.items[i].called);
            plan->params.items[i].called = ht_strdup(words);
        }
}

char *ht_plan_rounds(const ht_plan *plan) {
    ht_text names = {0};
    for (size_t i = 0; i < plan->params.count; ++i)
        if (plan->params.items[i].rounds)
            ht_text_printf(&names, names.length ? ",%s" : "%s", plan->params.items[i].name);
    return names.length ? ht_text_take(&names) : NULL;
}

static const ht_planned_param *given_param(const ht_plan *plan, const char *name) {
    for (size_t i = 0; i < plan->params.count; ++i)
        if (plan->params.items[i].given && strcmp(plan->params.items[i].stands_for, name) == 0)
            return &plan->params.items[i];
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
    for (size_t i = 0; i < plan->params.count; ++i)
        if (strcmp(plan->params.items[i].name, name) == 0)
            return true;
    return false;
}

const char *ht_plan_orphan(const ht_plan *plan, size_t first) {
    for (size_t i = first; i < plan->requires.count; ++i)
        for (size_t k = 0; k < plan->unit.name_count; ++k)
            if (ht_name_stands(plan->requires.items[i], strlen(plan->requires.items[i]),
                               plan->unit.names[k].text) &&
                !is_param(plan, plan->unit.names[k].text))
                return plan->unit.names[k].text;
    return NULL;
}

void ht_plan_help(ht_plan *plan, const char *text) {
    char *longer = ht_format("%s%s", plan->unit.helpers ? plan->unit.helpers : "", text);
    free(plan->unit.helpers);
    plan->unit.helpers = longer;
}

bool ht_plan_has_edit(const ht_plan *plan, ht_range range) {
    for (size_t i = 0; i < plan->edits.count; ++i)
        if (plan->edits.items[i].range.begin <= range.end &&
            range.begin <= plan->edits.items[i].range.end)
            return true;
    return false;
}

void ht_plan_function(ht_plan *plan, const char *where, const char *text) {
    HT_GROW(plan->unit.functions, plan->unit.function_count);
    plan->unit.functions[plan->unit.function_count++] =
        (ht_planned_function){ht_strdup(where), ht_strdup(text)};
}

bool ht_plan_require(ht_plan *plan, const char *format, ...) {
    va_list args;
    va_start(args, format);
    HT_GROW(plan->requires.items, plan->requires.count);
    plan->requires.items[plan->requires.count++] = ht_format_list(format, args);
    va_end(args);
    return true;
}

bool ht_plan_needs_size(ht_plan *plan, const char *param, const char *size) {
    for (size_t i = plan->params.count; i-- > 0;)
        if (strcmp(plan->params.items[i].name, param) == 0) {
            plan->params.items[i].by_size = size;
            plan->params.items[i].form = "a part that only the kernel for one size has";
            return true;
        }
    plan->running.failed = true;
    return false;
}

bool ht_plan_cover(ht_plan *plan, int axis, const char *param) {
    if (!plan->model->launch_known || plan->model->facts->problem.text) {
        plan->running.failed = true;
        return false;
    }
    HT_GROW(plan->covers.items, plan->covers.count);
    plan->covers.items[plan->covers.count++] = (ht_cover){axis, ht_strdup(param)};
    return true;
}

const char *ht_plan_cover_param(const ht_plan *plan, int axis) {
    for (size_t i = 0; i < plan->covers.count; ++i)
        if (plan->covers.items[i].axis == axis)
            return plan->covers.items[i].param;
    return NULL;
}

const char *ht_plan_block(const ht_plan *plan, int axis) {
    return plan->axes[axis].block;
}

void ht_plan_set_block(ht_plan *plan, int axis, const char *expression) {
    char *copy = ht_strdup(expression);
    free(plan->axes[axis].block);
    plan->axes[axis].block = copy;
    plan->axes[axis].changed = true;
}

/* ---- remarks ---- */

static ht_remark *remark_add(ht_plan *plan, ht_remark_kind kind, const char *file, int line,
                             int column, const char *format, va_list args) {
    HT_GROW(plan->remarks.items, plan->remarks.count);
    ht_remark *remark = &plan->remarks.items[plan->remarks.count++];
    *remark = (ht_remark){.kind = kind,
                          .transformation = plan->running.transformation,
                          .file = ht_strdup(file),
                          .line = line,
                          .column = column,
                          .message = ht_format_list(format, args)};
    return remark;
}

static ht_remark *remark_kernel(ht_plan *plan, ht_remark_kind kind, const char *format,
                                va_list args) {
    CXFile file;
    unsigned line, column;
    clang_getExpansionLocation(clang_getCursorLocation(plan->model->definition.function), &file,
                               &line, &column, NULL);
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    ht_remark *remark = remark_add(plan, kind, path ? path : plan->model->facts->source->path,
                                   (int)line, (int)column, format, args);
    clang_disposeString(name);
    return remark;
}

void ht_plan_remark_place(ht_plan *plan, ht_remark_kind kind, ht_position place, const char *format,
                          ...) {
    va_list args;
    va_start(args, format);
    if (place.file)
        (void)remark_add(plan, kind, place.file, place.line, place.column, format, args);
    else
        (void)remark_kernel(plan, kind, format, args);
    va_end(args);
}

void ht_plan_remark_left_out(ht_plan *plan, const char *format, ...) {
    va_list args;
    va_start(args, format);
    remark_kernel(plan, HT_REMARK_MISSED, format, args)->left_out = true;
    va_end(args);
}

void ht_plan_remark_at(ht_plan *plan, ht_remark_kind kind, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)remark_add(plan, kind, plan->model->facts->source->path, line, 1, format, args);
    va_end(args);
}

void ht_plan_keep_order(ht_plan *plan, const ht_syntax *loop, const char *where) {
    for (size_t i = 0; i < plan->params.count; ++i) {
        const ht_planned_param *param = &plan->params.items[i];
        size_t rest = 1; /* orders that keep the loops outside of it */
        for (size_t d = 2; d <= param->nest_count; ++d)
            rest *= d;
        for (size_t d = 0; d < param->nest_count; ++d) {
            rest /= param->nest_count - d;
            if (param->nest[d] == loop)
                ht_plan_require(plan, "!(%s) || %s < %zu", where, param->name, rest);
        }
    }
}
