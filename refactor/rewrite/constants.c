#include "refactor/rewrite/constants.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/plan/value_marks.h"
#include "refactor/rewrite/constant_style.h"
#include "refactor/source/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { USES_MIN = 2 };

typedef struct settling {
    const ht_source *source;
    ht_replacement *items;
    size_t count;
    ht_constants *kernels;
    size_t kernel_count;
    const ht_names *all; /* the file's kernels */
    ht_constant_style style;
    ht_names given;               /* names of constants */
    char *(*names)[HT_PARAM_MAX]; /* by kernel and parameter; NULL: its value stays a number */
} settling;

/* ---- which values need a name ---- */

/* Returns true if what is declared at the kernel's place can be named at another. */
static bool is_in_reach(const settling *in, const ht_constants *kernel, size_t offset) {
    size_t file = ht_source_at(in->source, offset);
    if (file == 0)
        return offset >= kernel->place;
    const ht_user_file *own = &in->source->files[0];
    return own->parent == file && in->source->files[file].base + own->parent_offset <= offset;
}

/* Counts the places that have the parameter's value. SIZE_MAX: one of them cannot name it. */
static size_t uses(const settling *in, size_t owner, const char *param) {
    size_t count = 0;
    for (size_t i = 0; i < in->count; ++i) {
        ht_value_mark mark;
        if (in->items[i].owner != owner)
            continue;
        for (const char *at = in->items[i].text; ht_value_mark_next(at, &mark); at = mark.end) {
            if (!ht_name_stands(mark.expression, mark.expression_length, param))
                continue;
            if (!is_in_reach(in, &in->kernels[owner], in->items[i].range.begin))
                return SIZE_MAX;
            ++count;
        }
    }
    return count;
}

static bool is_free(const settling *in, const char *name) {
    bool stands = false;
    for (size_t i = 0; i < in->source->file_count; ++i)
        stands = stands || ht_source_names(in->source, i, name);
    return !stands && !ht_names_has(&in->given, name);
}

/* Returns the axis along which a thread has as many outputs as the parameter says; 3: it says
 * something else. */
static int axis_of(const ht_plan *plan, const ht_planned_param *param) {
    bool outputs = param->called && strcmp(param->called, ht_outputs_words) == 0;
    for (size_t i = 0; outputs && i < plan->covers.count; ++i) {
        const ht_cover *cover = &plan->covers.items[i];
        if (cover->param && strcmp(cover->param, param->name) == 0)
            return cover->axis;
    }
    return 3;
}

/* Returns the words for the outputs along one axis of several: by the author's index where its name
 * says more than the axis, which may be rows in one kernel and columns in another; free(). */
static char *words_along(const ht_model *model, int axis) {
    char *index = clang_Cursor_isNull(model->axes[axis].index_variable)
                      ? ht_strdup("")
                      : ht_cursor_name(model->axes[axis].index_variable);
    char *words = strlen(index) > 1 ? ht_format("%s per thread", index)
                                    : ht_format("outputs along %c", 'x' + axis);
    free(index);
    return words;
}

/* Returns the words for a parameter's value; free(). A thread that has outputs along several axes
 * has as many as their product, of which the words for one would count some alone. */
static char *words_of(const settling *in, size_t owner, const ht_planned_param *param) {
    const ht_constants *kernel = &in->kernels[owner];
    int axis = axis_of(kernel->plan, param);
    for (size_t i = 0; axis < 3 && i < kernel->plan->params.count; ++i) {
        const ht_planned_param *other = &kernel->plan->params.items[i];
        bool more = other->called && ht_text_ends(other->called, " per thread");
        if (other != param && more && uses(in, owner, other->name) > 0)
            return words_along(kernel->model, axis);
    }
    return ht_strdup(param->called);
}

/* Returns true if another kernel of the file has a name that ends so. */
static bool ends_another(const settling *in, const char *name, const char *end) {
    for (size_t i = 0; i < in->all->count; ++i)
        if (ht_text_ends(in->all->items[i], end) && !ht_text_ends(in->all->items[i], name))
            return true;
    return false;
}

/* Returns the words for a kernel: the last one of a name of three or more, "kernel1" of
 * matmul_forward_kernel1, if it has some length and a number, and no other kernel's name ends so;
 * else the name without "kernel" at its end, of which a long one loses words at its begin as long
 * as two are left and no other kernel's name ends so. "base" of gelu_bias_loop_base says nothing.
 * free(). */
static char *kernel_words(const settling *in, const char *name) {
    enum { LENGTH_MIN = 4, LENGTH_MAX = 20 };
    static const char digits[] = "0123456789", *const endings[] = {"_gpu_kernel", "_kernel"};
    const char *last = strrchr(name, '_');
    bool three = last && memchr(name, '_', (size_t)(last - name));
    if (three && strlen(last + 1) >= LENGTH_MIN && strpbrk(last + 1, digits) &&
        !ends_another(in, name, last + 1))
        return ht_strdup(last + 1);
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i)
        if (ht_text_ends(name, endings[i]) && length == strlen(name))
            length -= strlen(endings[i]);
    const char *begin = name;
    for (const char *next; (size_t)(name + length - begin) > LENGTH_MAX &&
                           (next = memchr(begin, '_', (size_t)(name + length - begin))) != NULL;
         begin = next + 1)
        if (!memchr(next + 1, '_', (size_t)(name + length - next - 1)) ||
            ends_another(in, name, next + 1))
            break;
    return length ? ht_strndup(begin, (size_t)(name + length - begin)) : ht_strdup(name);
}

/* Returns a free name made of the words, with the kernel's in front in a file of several; free().
 */
static char *name_make(settling *in, size_t owner, const char *words) {
    char *kernel = kernel_words(in, in->kernels[owner].model->name);
    char *whole = ht_format("%s %s", kernel, words);
    free(kernel);
    char *name = ht_constant_name(&in->style, in->all->count > 1 ? whole : words);
    if (!is_free(in, name)) {
        free(name);
        name = ht_constant_name(&in->style, whole);
    }
    for (int number = 2; !is_free(in, name); ++number) {
        char *numbered = ht_format("%s %d", whole, number);
        free(name);
        name = ht_constant_name(&in->style, numbered);
        free(numbered);
    }
    free(whole);
    ht_names_add(&in->given, name);
    return name;
}

static void names_choose(settling *in, size_t owner) {
    const ht_plan *plan = in->kernels[owner].plan;
    for (size_t i = 0; i < plan->params.count && i < HT_PARAM_MAX; ++i) {
        const ht_planned_param *param = &plan->params.items[i];
        size_t count = param->called ? uses(in, owner, param->name) : 0;
        if (count < USES_MIN || count == SIZE_MAX)
            continue;
        char *words = words_of(in, owner, param);
        in->names[owner][i] = name_make(in, owner, words);
        free(words);
    }
}

/* ---- their texts ---- */

/* Returns true for a namespace, and for extern "C" in one. */
static bool is_scope(enum CXCursorKind kind) {
    return kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
           kind == CXCursor_UnexposedDecl;
}

/* Returns the scopes between a place and the kernel's: "blur::"; free(). */
static char *scopes(const settling *in, const ht_constants *kernel, size_t offset) {
    char *text = ht_strdup("");
    CXCursor scope = clang_getCursorSemanticParent(kernel->model->definition.function);
    while (!in->style.macro && is_scope(clang_getCursorKind(scope))) {
        size_t file;
        ht_range range;
        char *name = ht_cursor_name(scope);
        bool known = ht_source_range(in->source, scope, &file, &range);
        size_t base = known ? in->source->files[file].base : 0;
        bool around =
            known && base + range.begin <= kernel->place && kernel->place <= base + range.end;
        bool inside = known && base + range.begin <= offset && offset <= base + range.end;
        bool named = clang_getCursorKind(scope) == CXCursor_Namespace && name[0] && name[0] != '(';
        if (around && !inside && named) {
            char *longer = ht_format("%s::%s", name, text);
            free(text);
            text = longer;
        }
        free(name);
        scope = clang_getCursorSemanticParent(scope);
    }
    return text;
}

/* Returns the index of a parameter; HT_PARAM_MAX: there is none. */
static size_t param_find(const ht_plan *plan, const char *name, size_t length) {
    for (size_t i = 0; i < plan->params.count && i < HT_PARAM_MAX; ++i)
        if (strlen(plan->params.items[i].name) == length &&
            strncmp(plan->params.items[i].name, name, length) == 0)
            return i;
    return HT_PARAM_MAX;
}

/* Prints the expression with names. Returns false if one of its parameters has none. */
static bool expression_print(const settling *in, size_t owner, const ht_value_mark *mark,
                             const char *ahead, ht_text *out) {
    const char *end = mark->expression + mark->expression_length;
    if (mark->expression_length == 0)
        return false;
    for (const char *at = mark->expression; at < end;) {
        size_t length = 0;
        while (at + length < end && ht_name_has(at[length]))
            ++length;
        if (length == 0 || isdigit((unsigned char)*at)) {
            length += length == 0;
            ht_text_append_n(out, at, length);
        } else {
            size_t index = param_find(in->kernels[owner].plan, at, length);
            if (index == HT_PARAM_MAX || !in->names[owner][index])
                return false;
            ht_text_printf(out, "%s%s", ahead, in->names[owner][index]);
        }
        at += length;
    }
    return true;
}

/* Returns the name of the number of outputs with this value, or the number; free(). */
static char *factor_text(const settling *in, const ht_replacement *item, const char *ahead,
                         int64_t factor) {
    size_t owner = item->owner;
    const ht_plan *plan = in->kernels[owner].plan;
    bool reached = is_in_reach(in, &in->kernels[owner], item->range.begin);
    for (size_t i = 0; reached && i < plan->covers.count; ++i) {
        const char *param = plan->covers.items[i].param;
        size_t index = param ? param_find(plan, param, strlen(param)) : HT_PARAM_MAX;
        int64_t value;
        if (index < HT_PARAM_MAX && in->names[owner][index] &&
            ht_plan_value(&in->kernels[owner].values, param, &value) && value == factor)
            return ht_format("%s%s", ahead, in->names[owner][index]);
    }
    return ht_format("%lld", (long long)factor);
}

/* Prints a number as a part or a multiple of the author's name in whose place it stands. Returns
 * false if it is neither. */
static bool ratio_print(const settling *in, const ht_replacement *item, const ht_value_mark *mark,
                        const char *ahead, ht_text *out) {
    int64_t value = strtoll(mark->number, NULL, 10);
    if (mark->old <= 1 || value < 1 || (mark->old % value && value % mark->old))
        return false;
    bool part = value < mark->old;
    char *factor = factor_text(in, item, ahead, part ? mark->old / value : value / mark->old);
    if (part)
        ht_text_printf(out, "%.*s / %s", (int)mark->macro_length, mark->macro, factor);
    else
        ht_text_printf(out, "%s * %.*s", factor, (int)mark->macro_length, mark->macro);
    free(factor);
    return true;
}

/* Replaces the marks; without `named` by numbers only. */
static void item_settle(const settling *in, ht_replacement *item, bool named) {
    ht_value_mark mark;
    ht_text text = {0};
    const char *at = item->text;
    char *ahead = scopes(in, &in->kernels[item->owner], item->range.begin);
    while (ht_value_mark_next(at, &mark)) {
        ht_text expression = {0};
        ht_text_append_n(&text, at, (size_t)(mark.begin - at));
        if (named && mark.old && ratio_print(in, item, &mark, ahead, &text)) {
            ht_text_free(&expression);
            at = mark.end;
            continue;
        }
        if (!named || !expression_print(in, item->owner, &mark, ahead, &expression))
            ht_text_append_n(&text, mark.number, mark.number_length);
        else
            ht_text_printf(&text, mark.enclosed ? "%s" : "(%s)", expression.data);
        ht_text_free(&expression);
        at = mark.end;
    }
    ht_text_append(&text, at);
    free(ahead);
    free(item->text);
    item->text = ht_text_take(&text);
}

static void declare(const settling *in, size_t owner) {
    ht_constants *kernel = &in->kernels[owner];
    ht_text text = {0};
    ht_text_append(&text, "");
    for (size_t i = 0; i < kernel->plan->params.count && i < HT_PARAM_MAX; ++i) {
        int64_t value;
        if (!in->names[owner][i] ||
            !ht_plan_value(&kernel->values, kernel->plan->params.items[i].name, &value))
            continue;
        char *line = ht_constant_declaration(&in->style, in->names[owner][i], value);
        ht_text_append(&text, line);
        free(line);
    }
    kernel->declarations = ht_text_take(&text);
}

/* Two kernels that replace the same text replace it by the same number. */
static void numbers_share(const settling *in) {
    for (size_t i = 0; i < in->count; ++i)
        for (size_t k = 0; k < in->count; ++k) {
            ht_replacement *one = &in->items[i], *other = &in->items[k];
            if (one->owner != other->owner && one->range.begin < one->range.end &&
                one->range.begin == other->range.begin && one->range.end == other->range.end)
                item_settle(in, one, false);
        }
}

void ht_constants_settle(const ht_source *source, ht_replacement *items, size_t count,
                         ht_constants *kernels, size_t kernel_count, const ht_names *all) {
    settling in = {.source = source,
                   .items = items,
                   .count = count,
                   .kernels = kernels,
                   .kernel_count = kernel_count,
                   .all = all,
                   .style = ht_constant_style_of(source->files[0].text),
                   .names = ht_alloc(kernel_count + 1, sizeof *in.names)};
    numbers_share(&in);
    for (size_t k = 0; k < kernel_count; ++k)
        names_choose(&in, k);
    for (size_t k = 0; k < kernel_count; ++k)
        declare(&in, k);
    for (size_t i = 0; i < count; ++i)
        item_settle(&in, &items[i], true);
    for (size_t k = 0; k < kernel_count; ++k)
        for (size_t i = 0; i < HT_PARAM_MAX; ++i)
            free(in.names[k][i]);
    free(in.names);
    ht_names_free(&in.given);
}
