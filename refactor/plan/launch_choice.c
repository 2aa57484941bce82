/* Text at a launch that chooses: the new block and grid where a device can launch them, else the
 * original's, where the new grid would have too many blocks. */
#include "refactor/plan/launch_choice.h"
#include "refactor/plan/launch_by_block.h"
#include "refactor/plan/launch_limits.h"
#include "refactor/plan/launch_outputs.h"
#include "refactor/plan/render.h"

#include "base/memory.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/plan/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if the symbol has the same value wherever the function names it. */
static bool stays(const ht_symbol *symbol) {
    if (symbol->kind == HT_SYMBOL_UNKNOWN)
        return false;
    if (symbol->kind == HT_SYMBOL_VARIABLE &&
        (!clang_Cursor_isNull(symbol->base) || ht_variable_writes(symbol->declaration) > 0))
        return false;
    for (int i = 0; i < 3; ++i)
        if (symbol->arguments[i] && !stays(symbol->arguments[i]))
            return false;
    return true;
}

bool ht_launch_items_hold(const ht_plan *plan, const ht_launch_print *print, int axis) {
    const ht_launches *of = &plan->model->facts->launches;
    const ht_form *form = &print->grid->form[axis];
    const ht_extent3 *grid = &print->site->grid;
    if (ht_launch_is_declared(print))
        return true;
    if (form->kind == HT_FORM_GENERIC || form->kind == HT_FORM_WHOLE || !form->quotient ||
        !form->quotient->has_place || print->site != &of->items[0])
        return false;
    ht_range place = form->quotient->place, argument = grid->argument;
    bool here =
        grid->has_argument && (place.begin == argument.begin || ht_range_within(place, argument));
    bool all = true;
    for (size_t i = 0; i < form->term_count; ++i)
        all = all && (here || stays(form->terms[i].symbol));
    return all;
}

static char *axis_at(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                     int axis) {
    const ht_form *form = &print->grid->form[axis];
    int64_t per_block, block, first = plan->model->axes[axis].block;
    if (!ht_launch_new_extent(plan, values, axis, &per_block, &block))
        return NULL;
    char *items = NULL, *text;
    bool atom = false;
    if (ht_launch_items_hold(plan, print, axis) && form->kind == HT_FORM_CEIL)
        items = ht_form_items(form, &atom);
    if (items) {
        char *per = ht_format("%lld", (long long)per_block);
        bool safe = ht_launch_asks(plan, print->grid, values, axis) || /* then n is small */
                    (form->dividend &&
                     ht_form_is_safe(form, axis, print->assumed ? 1 : first, per_block, false));
        text = ht_launch_outputs_pieces(plan, print, values, axis, items);
        text = text ? text : ht_extent_pieces(items, atom, safe, per, per_block);
        free(per);
        free(items);
        return text;
    }
    char *old = ht_launch_axis_text(plan->model, &print->site->grid, axis);
    text = old ? ht_launch_axis_from(plan, print, values, axis, old, true) : NULL;
    free(old);
    return text;
}

/* Returns the extents as they stand at a launch: dim3(...), or a single number where the source
 * passes one; free(). */
static char *extents_write(char *const axes[3], bool scalar, int last) {
    ht_text text = {0};
    if (scalar)
        return ht_strdup(axes[0]);
    ht_text_append(&text, "dim3(");
    for (int axis = 0; axis <= last; ++axis)
        ht_text_printf(&text, "%s%s", axis ? ", " : "", axes[axis]);
    ht_text_append(&text, ")");
    return ht_text_take(&text);
}

static bool is_scalar(const ht_plan *plan, const ht_extent3 *extent) {
    const char *text = plan->model->facts->source->text + extent->argument.begin;
    return extent->written == 1 && !ht_extent_is_record(extent->variable) && !extent->is_call &&
           strncmp(text, "dim3", 4) != 0;
}

/* Returns the new block's grid. `fallback`: the original's grid, in whose threads the kernel still
 * computes several outputs. */
static char *grid_either(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                         bool fallback) {
    const ht_extent3 *grid = &print->site->grid;
    char *axes[3] = {NULL};
    bool good = true, changed = false;
    int last = 0;
    for (int axis = 0; axis < 3 && good; ++axis) {
        bool written = grid->axis[axis] || ht_extent_is_record(grid->variable);
        int64_t per_block = 1, block = 1;
        char *old = written ? ht_launch_axis_text(plan->model, grid, axis) : ht_strdup("1");
        last = axis < (int)grid->written || ht_plan_axis_changed(plan, axis) ? axis : last;
        if (!ht_plan_axis_changed(plan, axis))
            axes[axis] = old ? ht_strdup(old) : NULL;
        else if (!fallback)
            axes[axis] = axis_at(plan, print, values, axis);
        else if (old && ht_launch_new_extent(plan, values, axis, &per_block, &block)) {
            ht_launch_outputs outputs = ht_launch_outputs_read(plan, values, axis);
            axes[axis] = ht_extent_rescaled(old, true, false,
                                            ht_extent_is_record(grid->variable) || axis > 0, 1,
                                            per_block / block, &outputs);
            free(outputs.text);
        }
        changed = changed || per_block > block;
        good = axes[axis] != NULL;
        free(old);
    }
    char *text = !good                  ? NULL
                 : fallback && !changed ? ht_range_shown(grid->argument)
                                        : extents_write(axes, is_scalar(plan, grid), last);
    for (int axis = 0; axis < 3; ++axis)
        free(axes[axis]);
    return text;
}

char *ht_launch_block_new(const ht_plan *plan, const ht_launch_print *print,
                          const ht_values *values) {
    const ht_extent3 *block = &print->site->block;
    char *axes[3];
    int last = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int64_t value = 1;
        ht_plan_value(values, plan->axes[axis].block ? plan->axes[axis].block : "1", &value);
        axes[axis] = ht_format("%lld", (long long)value);
        last = axis < (int)block->written || value > 1 ? axis : last;
    }
    char *text = extents_write(axes, is_scalar(plan, block) && last == 0, last);
    for (int axis = 0; axis < 3; ++axis)
        free(axes[axis]);
    return text;
}

static char *either(const char *test, char *new, char *old) {
    char *text = new && old ? ht_format("%s ? %s : %s", test, new, old) : NULL;
    free(new);
    free(old);
    return text;
}

/* Returns the old kernel's name in the form of the launch's: with its namespaces and template
 * arguments; free(). */
static char *old_kernel(const ht_plan *plan, const ht_launch_print *print) {
    ht_range list = print->arguments, ahead = print->qualifier;
    ht_text text = {0};
    if (ahead.begin < ahead.end)
        ht_text_printf(&text, "$[%zu,%zu]", ahead.begin, ahead.end);
    ht_text_append(&text, plan->launches.old_kernel);
    if (list.begin < list.end)
        ht_text_printf(&text, "<$[%zu,%zu]>", list.begin, list.end);
    return ht_text_take(&text);
}

/* Returns a copy of the original kernel under its other name; free(). */
static char *kernel_copied(const ht_plan *plan) {
    const ht_model *model = plan->model;
    ht_text text = {0};
    size_t name = ht_ast_offset(model->definition.function);
    ht_text_append(&text, "\n\n// for sizes of which the blocks above would be too many\n");
    for (size_t at = model->definition.range.begin; at < model->definition.range.end; ++at) {
        if (at == name) {
            ht_text_append(&text, plan->launches.old_kernel);
            at += strlen(model->name) - 1;
        } else
            ht_text_printf(&text, model->text[at] == '$' ? "$$" : "%c", model->text[at]);
    }
    return ht_text_take(&text);
}

/* Returns what stands at a place of the launch: the new text, or the original's. */
static char *chosen_text(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                         ht_launch_fallback fallback, const char *test) {
    if (print->part == HT_LAUNCH_GRID_OR_OLD)
        return either(test, grid_either(plan, print, values, false),
                      fallback == HT_FALLBACK_COPY ? ht_range_shown(print->site->grid.argument)
                                                   : grid_either(plan, print, values, true));
    if (print->part == HT_LAUNCH_BLOCK_OR_OLD)
        return either(test, ht_launch_block_new(plan, print, values),
                      ht_range_shown(print->site->block.argument));
    char *choice = either(test, ht_range_shown(print->place), old_kernel(plan, print));
    char *text = ht_format("(%s)", choice);
    free(choice);
    return text;
}

/* Puts the author's words in place of a whole argument, which from ahead of the launch would show
 * the name that takes its place there. Takes over `text`; free(). */
static char *with_argument(const ht_plan *plan, ht_range argument, char *text) {
    if (!text || argument.end <= argument.begin)
        return text;
    char *shown = ht_range_shown(argument);
    char *words = ht_strndup(plan->model->text + argument.begin, argument.end - argument.begin);
    char *plain = ht_text_replaced(words, "$", "$$");
    char *out = ht_text_replaced(text, shown, plain);
    free(shown);
    free(words);
    free(plain);
    free(text);
    return out;
}

enum { COLUMNS = 100 };

/* Appends `const dim3 NAME = TEST ? NEW : OLD;`, in three lines where one is too long. Takes over
 * both texts; returns false if one is NULL. */
static bool add_dim3(const char *name, const char *test, char *new, char *old, int blank,
                     const char *line, ht_text *out) {
    bool good = new && old;
    if (good) {
        char *whole = ht_format("const dim3 %s = %s ? %s : %s;", name, test, new, old);
        if (strlen(whole) + (size_t)blank <= COLUMNS)
            ht_text_printf(out, "%.*s%s\n", blank, line, whole);
        else
            ht_text_printf(out, "%.*sconst dim3 %s = %s\n%.*s    ? %s\n%.*s    : %s;\n", blank,
                           line, name, test, blank, line, new, blank, line, old);
        free(whole);
    }
    free(new);
    free(old);
    return good;
}

/* ---- a grid for whichever block is chosen ---- */

/* Returns how often a function's text has a name. */
static size_t name_count(const ht_plan *plan, CXCursor function, const char *name) {
    const ht_source *source = plan->model->facts->source;
    size_t file;
    ht_range range;
    return ht_source_range(source, function, &file, &range)
               ? ht_tokens_count_of(ht_source_tokens(source, file), range, name)
               : 0;
}

/* Returns true if the author's grid is a variable that nothing would name any more. */
static bool is_left_over(const ht_plan *plan, const ht_launch_print *print) {
    ht_range argument = print->site->grid.argument;
    char *name = ht_strndup(plan->model->text + argument.begin, argument.end - argument.begin);
    bool variable = ht_launch_word_length(name) == strlen(name);
    bool kept = false;
    for (int axis = 0; axis < 3; ++axis)
        kept = kept || (print->site->grid.axis[axis] && !ht_plan_axis_changed(plan, axis));
    bool left = variable && !kept && name_count(plan, print->site->function, name) < 3;
    free(name);
    return left;
}

/* Returns the blocks along an axis, where `block` is a variable of the block's threads. NULL: they
 * cannot be written so; free(). */
static char *axis_by(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                     int axis) {
    if (!ht_plan_axis_changed(plan, axis))
        return print->site->grid.axis[axis]
                   ? ht_launch_axis_text(plan->model, &print->site->grid, axis)
                   : ht_strdup("1");
    return ht_launch_items_hold(plan, print, axis) ? ht_launch_axis_by(plan, print, values, axis)
                                                   : NULL;
}

size_t ht_launch_shown_length(const char *text) {
    size_t length = 0, begin, end;
    int used;
    while (*text) {
        used = 0;
        if (sscanf(text, "$[%zu,%zu]%n", &begin, &end, &used) == 2 && used > 0 && end >= begin)
            length += end - begin;
        else
            ++length;
        text += used > 0 ? used : 1;
    }
    return length;
}

/* Appends `const dim3 BLOCK = TEST ? NEW : OLD;` and `const dim3 GRID(...)`, which serves either.
 * Returns false, without a change, where the grid cannot be written so. */
static bool add_by_block(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                         const char *test, ht_text *out) {
    static const char why[] = "// else too many blocks";
    ht_range first = print->site->grid.argument, second = print->site->block.argument;
    const char *line = plan->model->text + print->place.begin;
    int blank = (int)strspn(line, " \t"), last = 0;
    char *axes[3];
    bool good = !is_left_over(plan, print);
    for (int axis = 0; axis < 3; ++axis) {
        axes[axis] = with_argument(plan, first, axis_by(plan, print, values, axis));
        good = good && axes[axis];
        bool written = print->site->grid.axis[axis] || ht_plan_axis_changed(plan, axis);
        last = written ? axis : last;
    }
    char *new = ht_launch_block_new(plan, print, values);
    char *old = with_argument(plan, second, ht_range_shown(second));
    if (good && new && old) {
        char *block = ht_format("const dim3 %s = %s ? %s : %s;", print->block, test, new, old);
        bool fits = (size_t)blank + ht_launch_shown_length(block) + sizeof why <= COLUMNS;
        if (fits)
            ht_text_printf(out, "%.*s%s %s\n", blank, line, block, why);
        else
            ht_text_printf(out, "%.*s%s\n%.*s%s\n", blank, line, why, blank, line, block);
        ht_text_printf(out, "%.*sconst dim3 %s(", blank, line, print->blocks);
        for (int axis = 0; axis <= last; ++axis)
            ht_text_printf(out, "%s%s", axis ? ", " : "", axes[axis]);
        ht_text_append(out, ");\n");
        free(block);
    }
    good = good && new && old;
    for (int axis = 0; axis < 3; ++axis)
        free(axes[axis]);
    free(new);
    free(old);
    return good;
}

/* Returns the declarations ahead of a launch, in lines like its own; "": it needs none. */
static char *ahead_text(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                        ht_launch_fallback fallback) {
    if (fallback == HT_FALLBACK_NONE)
        return ht_strdup("");
    ht_range first = print->site->grid.argument, second = print->site->block.argument;
    char *test = with_argument(plan, first, ht_launch_test(plan, print, values));
    test = with_argument(plan, second, test);
    const char *line = plan->model->text + print->place.begin;
    int blank = (int)strspn(line, " \t");
    ht_text text = {0};
    if (fallback == HT_FALLBACK_SAME && test && add_by_block(plan, print, values, test, &text)) {
        free(test);
        return ht_text_take(&text);
    }
    static const char why[] = "// else a device launches no such grid";
    char *asked = ht_format("const bool %s = %s;", print->fits, test ? test : "");
    if ((size_t)blank + strlen(asked) + sizeof why <= COLUMNS)
        ht_text_printf(&text, "%.*s%s %s\n", blank, line, asked, why);
    else
        ht_text_printf(&text, "%.*s%s\n%.*s%s\n", blank, line, why, blank, line, asked);
    free(asked);
    bool good =
        test && add_dim3(print->block, print->fits, ht_launch_block_new(plan, print, values),
                         with_argument(plan, second, ht_range_shown(second)), blank, line, &text);
    if (good) {
        char *old = fallback == HT_FALLBACK_COPY ? ht_range_shown(first)
                                                 : grid_either(plan, print, values, true);
        good = add_dim3(print->blocks, print->fits,
                        with_argument(plan, first, grid_either(plan, print, values, false)),
                        with_argument(plan, first, old), blank, line, &text);
    }
    free(test);
    if (good)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

char *ht_launch_choice_text(const ht_plan *plan, const ht_launch_print *print,
                            const ht_values *values) {
    ht_launch_fallback fallback = ht_launch_fallback_of(plan, print->grid, values);
    int64_t joined = 1;
    if (fallback == HT_FALLBACK_COPY && plan->launches.tiles.param &&
        (!ht_plan_value(values, plan->launches.tiles.param, &joined) || joined != 1))
        return NULL; /* its grid is that of joined blocks, which the original's are not */
    if (print->part >= HT_LAUNCH_BLOCK_DECLARED)
        return ht_launch_in_place_text(plan, print, values, fallback);
    if (print->part == HT_LAUNCH_OLD_KERNEL)
        return fallback == HT_FALLBACK_COPY ? kernel_copied(plan) : ht_strdup("");
    bool same = fallback == HT_FALLBACK_SAME;
    if (same && print->in_place && print->part == HT_LAUNCH_AHEAD)
        return ht_strdup("");
    if (same && print->in_place && print->named && print->part == HT_LAUNCH_BLOCK_OR_OLD)
        return ht_strdup(print->block);
    if (fallback == HT_FALLBACK_NONE ||
        (same && (print->in_place || print->part == HT_LAUNCH_KERNEL_OR_OLD)))
        return ht_range_shown(print->place);
    if (print->part == HT_LAUNCH_AHEAD)
        return ahead_text(plan, print, values, fallback);
    if (print->fits && print->part == HT_LAUNCH_GRID_OR_OLD)
        return ht_strdup(print->blocks);
    if (print->fits && print->part == HT_LAUNCH_BLOCK_OR_OLD)
        return ht_strdup(print->block);
    char *test = print->fits ? ht_strdup(print->fits) : ht_launch_test(plan, print, values);
    char *text = test ? chosen_text(plan, print, values, fallback, test) : NULL;
    free(test);
    return text;
}
