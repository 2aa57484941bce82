#include "refactor/plan/launch_by_block.h"
#include "refactor/plan/launch_choice.h"
#include "refactor/plan/launch_limits.h"
#include "refactor/plan/launch_outputs.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- a grid for whichever block is chosen ---- */

/* Returns the new extent for n in 32 unsigned bits, whose sum may not be larger than the
 * original's where that is as large as the type allows; free(). */
static char *unsigned_by(const char *items, bool atom, bool grows, bool each_safe, const char *each,
                         const char *block) {
    const char *open = atom ? "" : "(", *close = atom ? "" : ")";
    if (each && each_safe)
        return ht_format("((%s + %s - 1) / %s + %s - 1) / %s", items, each, each, block, block);
    if (each)
        return ht_format("(%s + (1LL * %s * %s - 1)) / (%s * %s)", items, each, block, each, block);
    if (!grows)
        return ht_format("(%s%s%s + %s - 1) / %s", open, items, close, block, block);
    if (atom)
        return ht_format("%s / %s + (%s %% %s != 0)", items, block, items, block);
    return ht_format("(%s + (%s - 1LL)) / %s", items, block, block);
}

/* Returns the new extent for a sum that rounds up. */
static char *sum_by(const ht_plan *plan, const ht_form *form, int axis, int64_t block,
                    const ht_launch_outputs *each, const char *name) {
    bool atom;
    char *items = ht_form_items(form, &atom), *text = NULL;
    int64_t old = plan->model->axes[axis].block;
    const char *open = atom ? "" : "(", *close = atom ? "" : ")";
    if (items && !ht_form_takes_unsigned(form))
        text = unsigned_by(items, atom, block > old,
                           ht_form_is_safe(form, axis, old, each->count, false), each->text, name);
    else if (items && !each->text)
        text = ht_format("(%s%s%s + %s - 1) / %s", open, items, close, name, name);
    else if (items)
        text = ht_format("(%s%s%s + %s * %s - 1) / (%s * %s)", open, items, close, each->text, name,
                         each->text, name);
    free(items);
    return text;
}

/* Returns the new extent for n / block + 1, which is (n + block) / block. */
static char *more_by(const ht_form *form, const ht_launch_outputs *each, const char *name) {
    bool atom;
    char *items = ht_form_items(form, &atom);
    const char *open = atom ? "" : "(", *close = atom ? "" : ")";
    char *text = NULL;
    if (items)
        text = each->text
                   ? ht_format("%s%s%s / (%s * %s) + 1", open, items, close, each->text, name)
                   : ht_format("%s%s%s / %s + 1", open, items, close, name);
    free(items);
    return text;
}

char *ht_launch_axis_by(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                        int axis) {
    const ht_form *form = &print->grid->form[axis];
    int64_t per_block, block;
    if (!form->quotient || form->quotient->is_float ||
        !ht_launch_new_extent(plan, values, axis, &per_block, &block))
        return NULL;
    char *name = ht_format("%s.%c", print->block, "xyz"[axis]), *text = NULL;
    ht_launch_outputs each = ht_launch_outputs_read(plan, values, axis);
    bool good = each.count * block == per_block;
    ht_range whole = form->quotient->place;
    if (good && form->kind == HT_FORM_CEIL && form->dividend && form->addend)
        text = sum_by(plan, form, axis, block, &each, name);
    else if (good && form->kind == HT_FORM_OVER && ht_launch_is_declared(print))
        text = more_by(form, &each, name);
    else if (good && form->kind == HT_FORM_WHOLE && ht_launch_is_declared(print) && !each.text)
        text = ht_format("$[%zu,%zu] * ($[%zu,%zu] / %s)", whole.begin, whole.end,
                         form->divisor->place.begin, form->divisor->place.end, name);
    free(each.text);
    free(name);
    return text;
}

/* ---- the texts ---- */

enum { COLUMNS = 100 };

/* Returns `dim3 block = TEST ? NEW : OLD; // why` from a place on; `front` stands there. */
static char *block_declared(const ht_plan *plan, const ht_launch_print *print,
                            const ht_values *values, const char *front) {
    static const char why[] = "// else too many blocks";
    const char *text = plan->model->facts->source->text;
    size_t line = ht_line_begin(text, print->place.begin), ahead = print->place.begin - line;
    int blank = (int)strspn(text + line, " \t");
    char *test = ht_launch_test(plan, print, values), *whole = NULL;
    char *new = ht_launch_block_new(plan, print, values);
    if (test && new) {
        char *old = ht_format("%s$[%zu,%zu]", print->bare ? "dim3" : "", print->value.begin,
                              print->value.end);
        whole = ht_format("%s = %s ? %s : %s; %s", front, test, new, old, why);
        if (ahead + ht_launch_shown_length(whole) > COLUMNS) {
            free(whole);
            whole = ht_format("%s =\n%.*s    %s ? %s : %s; %s", front, blank, text + line, test,
                              new, old, why);
        }
        free(old);
    }
    free(new);
    free(test);
    return whole;
}

/* Returns the axis; the author's where one block or the other has his extent. */
static char *axis_declared(const ht_plan *plan, const ht_launch_print *print,
                           const ht_values *values) {
    int64_t per_block, block;
    if (!ht_launch_new_extent(plan, values, print->axis, &per_block, &block))
        return NULL;
    if (per_block == plan->model->axes[print->axis].block && per_block == block)
        return ht_range_shown(print->place);
    char *text = ht_launch_axis_by(plan, print, values, print->axis);
    return text ? ht_launch_in_place(plan, print->place, text, true,
                                     print->grid->form[print->axis].quotient)
                : NULL;
}

static char *text_named(const ht_plan *plan, const ht_launch_print *print,
                        const ht_values *values) {
    if (print->part == HT_LAUNCH_GRID_BY_BLOCK)
        return axis_declared(plan, print, values);
    if (print->part == HT_LAUNCH_BLOCK_GONE)
        return ht_strdup("");
    if (print->part == HT_LAUNCH_BLOCK_DECLARED)
        return block_declared(plan, print, values, "");
    const char *text = plan->model->facts->source->text + print->place.begin;
    ht_range own = print->qualifier;
    int blank = (int)strspn(text, " \t");
    char *front = own.begin < own.end ? ht_format("%.*s$[%zu,%zu]", blank, text, own.begin, own.end)
                                      : ht_format("%.*sconst dim3 %s", blank, text, print->block);
    char *declared = block_declared(plan, print, values, front);
    char *line = declared ? ht_format("%s\n", declared) : NULL;
    free(declared);
    free(front);
    return line;
}

char *ht_launch_in_place_text(const ht_plan *plan, const ht_launch_print *print,
                              const ht_values *values, ht_launch_fallback fallback) {
    if (fallback != HT_FALLBACK_SAME)
        return print->part == HT_LAUNCH_BLOCK_AHEAD ? ht_strdup("") : ht_range_shown(print->place);
    char *own = print->block ? NULL : ht_cursor_name(print->site->block.variable);
    ht_launch_print named = *print;
    named.block = own ? own : print->block;
    char *text = text_named(plan, &named, values);
    free(own);
    return text;
}
