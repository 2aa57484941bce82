/* Prints launch geometry for one configuration. Sums are exact in the author's types: (n + 255) /
 * 256 is right for an int n near its maximum, but (n + 8191) / 8192 would overflow, so it is
 * written as (n + 8191LL) / 8192 or n / 8192 + (n % 8192 != 0). */
#include "refactor/plan/launch_text.h"
#include "refactor/plan/launch_limits.h"
#include "refactor/plan/render.h"
#include "refactor/plan/value_marks.h"

#include "base/memory.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/launch/extent.h"
#include "refactor/plan/coverage.h"
#include "refactor/plan/launch_choice.h"
#include "refactor/plan/launch_outputs.h"
#include "refactor/source/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- plain texts ---- */

static int64_t common(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

char *ht_extent_rescaled(const char *old, bool atom, bool wide, bool small, int64_t block,
                         int64_t per_block, const ht_launch_outputs *outputs) {
    const char *open = atom ? "" : "(", *close = atom ? "" : ")";
    int64_t by = common(block, per_block), times = block / by, parts = per_block / by;
    if (times == 1 && parts == 1)
        return ht_strdup(old);
    if (parts == 1)
        return ht_format("%s%s%s * %lld", open, old, close, (long long)times);
    /* a legal extent is below 2^31, so an unsigned sum of 32 bits holds it */
    if (times == 1 && outputs && outputs->text && outputs->count == parts)
        return ht_format(wide || small ? "(%s%s%s + %s - 1) / %s" : "(%s%s%s + (%s - 1u)) / %s",
                         open, old, close, outputs->text, outputs->text);
    if (times == 1)
        return ht_format("(%s%s%s + %lld%s) / %lld", open, old, close, (long long)parts - 1,
                         wide || small ? "" : "u", (long long)parts);
    return ht_format("(%s%s%s * %lld%s + %lld) / %lld", open, old, close, (long long)times,
                     wide ? "" : "LL", (long long)parts - 1, (long long)parts);
}

char *ht_extent_pieces(const char *items, bool atom, bool safe, const char *per, int64_t value) {
    char *number = ht_format("%lld", (long long)value), *text;
    bool named = strcmp(per, number) != 0;
    if (value == 1)
        text = ht_strdup(items);
    else if (!safe && atom)
        text = ht_format("%s / %s + (%s %% %s != 0)", items, per, items, per);
    else if (named)
        text = ht_format(safe ? "(%s + %s - 1) / %s" : "(%s - 1LL + %s) / %s", items, per, per);
    else
        text = ht_format("(%s + %lld%s) / %s", items, (long long)value - 1, safe ? "" : "LL", per);
    free(number);
    return text;
}

/* ---- properties of a form ---- */

static bool inside(ht_range inner, ht_range outer) {
    return ht_range_within(inner, outer) && (outer.begin < inner.begin || inner.end < outer.end);
}

bool ht_form_has_text(const ht_form *form, const ht_symbol *symbol) {
    const ht_symbol *whole = form->quotient;
    return symbol->has_place && whole && whole->has_place && inside(symbol->place, whole->place);
}

/* Returns true for a name, a call or a number, which need no parentheses. */
static bool is_atom(const ht_symbol *symbol) {
    return symbol->kind == HT_SYMBOL_CONSTANT || symbol->kind == HT_SYMBOL_VARIABLE ||
           symbol->kind == HT_SYMBOL_CALL;
}

char *ht_form_items(const ht_form *form, bool *out_atom) {
    ht_text text = {0};
    *out_atom = form->term_count == 1 && form->terms[0].sign > 0 && is_atom(form->terms[0].symbol);
    for (size_t i = 0; i < form->term_count; ++i) {
        const ht_symbol *symbol = form->terms[i].symbol;
        bool minus = form->terms[i].sign < 0;
        bool product = symbol->kind == HT_SYMBOL_BINARY && strchr("*/%", symbol->op[0]);
        bool plain = is_atom(symbol) || product;
        ht_text_append(&text, i == 0 ? (minus ? "-" : "") : minus ? " - " : " + ");
        if (ht_form_has_text(form, symbol))
            ht_text_printf(&text, plain ? "$[%zu,%zu]" : "($[%zu,%zu])", symbol->place.begin,
                           symbol->place.end);
        else if (symbol->kind == HT_SYMBOL_CONSTANT && !symbol->has_place)
            ht_text_printf(&text, "%lld", (long long)symbol->value);
        else {
            ht_text_free(&text);
            return NULL;
        }
    }
    return text.length ? ht_text_take(&text) : NULL;
}

static bool terms_value(const ht_form *form, int64_t *out_value) {
    int64_t sum = 0, value;
    for (size_t i = 0; i < form->term_count; ++i) {
        if (!ht_symbol_value(form->terms[i].symbol, &value) || form->terms[i].symbol->assumed ||
            value > INT64_MAX / 64 || value < -(INT64_MAX / 64))
            return false;
        sum += form->terms[i].sign * value;
    }
    *out_value = sum;
    return form->term_count > 0;
}

/* Returns the width of n: that of its widest summand. */
static unsigned terms_bits(const ht_form *form, bool *out_unsigned) {
    unsigned bits = 32;
    for (size_t i = 0; i < form->term_count; ++i)
        bits = form->terms[i].symbol->bits > bits ? form->terms[i].symbol->bits : bits;
    *out_unsigned = false;
    for (size_t i = 0; i < form->term_count; ++i)
        *out_unsigned = *out_unsigned ||
                        (form->terms[i].symbol->is_unsigned && form->terms[i].symbol->bits == bits);
    return bits;
}

/* Returns true if the extent is a quotient of 32 bits by a number of which two are more than
 * `more`. */
static bool is_quotient(const ht_symbol *extent, int64_t more, int depth) {
    int64_t divisor;
    if (depth < 8 && extent->kind == HT_SYMBOL_VARIABLE && extent->value_of)
        return is_quotient(extent->value_of, more, depth + 1);
    return extent->kind == HT_SYMBOL_BINARY && strcmp(extent->op, "/") == 0 && extent->bits == 32 &&
           !extent->is_unsigned && !extent->is_float &&
           ht_symbol_value(extent->arguments[1], &divisor) && !extent->arguments[1]->assumed &&
           divisor > 1 && INT32_MAX / divisor + more <= INT32_MAX;
}

bool ht_extent_is_small(const ht_symbol *extent, int axis, int64_t more) {
    if (axis > 0)
        return HT_GRID_ROWS_MAX + more <= INT32_MAX;
    return extent && is_quotient(extent, more, 0);
}

bool ht_form_is_safe(const ht_form *form, int axis, int64_t block, int64_t per_block, bool named) {
    int64_t value;
    bool no_sign;
    unsigned bits = terms_bits(form, &no_sign);
    if (form->quotient && form->quotient->is_float)
        return false;
    /* a launch with more blocks along y or z fails, so n is no more than all of these serve */
    if (axis > 0 && form->kind != HT_FORM_GENERIC && form->kind != HT_FORM_WHOLE &&
        (int64_t)HT_GRID_ROWS_MAX * HT_BLOCK_THREADS_MAX + per_block <= INT32_MAX)
        return true;
    if (!form->dividend || bits > 32 || (named && form->dividend->bits > 32))
        return true;
    if (terms_value(form, &value) && value >= 0 && value + per_block <= INT32_MAX)
        return true;
    /* unlike a name, a number does not widen the sum's type */
    bool alike = form->dividend->bits <= 32 && form->dividend->is_unsigned == no_sign;
    if (per_block <= block && (named || alike))
        return true;
    return named && form->dividend->is_unsigned && !no_sign && form->term_count == 1 &&
           form->terms[0].sign > 0 && form->terms[0].symbol->bits > 0;
}

bool ht_form_takes_unsigned(const ht_form *form) {
    bool no_sign;
    return terms_bits(form, &no_sign) > 32 || !no_sign;
}

bool ht_launch_new_extent(const ht_plan *plan, const ht_values *values, int axis,
                          int64_t *out_per_block, int64_t *out_block) {
    char *per_block = ht_plan_per_block(plan, axis);
    bool known =
        ht_plan_value(values, per_block, out_per_block) &&
        ht_plan_value(values, plan->axes[axis].block ? plan->axes[axis].block : "1", out_block);
    free(per_block);
    return known && *out_per_block > 0 && *out_block > 0;
}

/* ---- the place of the text ---- */

/* Returns true if a sum needs no parentheses there. */
static bool is_enclosed(const ht_plan *plan, ht_range place) {
    const ht_source *source = plan->model->facts->source;
    const char *text = source->text;
    size_t before = place.begin, after = place.end;
    while (before > 0 && isspace((unsigned char)text[before - 1]))
        --before;
    while (after < source->text_length && isspace((unsigned char)text[after]))
        ++after;
    char first = before > 0 ? text[before - 1] : ';', last = text[after];
    bool opened = strchr("(,{=;", first) || (first == '<' && before > 2 && text[before - 2] == '<');
    return opened && (!last || strchr("),};", last) || strncmp(text + after, ">>>", 3) == 0);
}

/* Returns true if a brace here would begin a list, not a function's body. */
static bool begins_list(const char *text, size_t at) {
    static const char *const words[] = {"else", "do", "try", "const", "noexcept", "override"};
    while (at > 0 && isspace((unsigned char)text[at - 1]))
        --at;
    size_t end = at;
    while (at > 0 && ht_name_has(text[at - 1]))
        --at;
    bool word = at < end;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        word =
            word && !(strlen(words[i]) == end - at && strncmp(text + at, words[i], end - at) == 0);
    return word || (at == end && at > 0 && strchr("=,(", text[at - 1]));
}

/* Returns true if the place is in a list in braces, where no conversion may narrow. */
static bool in_braces(const ht_plan *plan, size_t at) {
    const char *text = plan->model->facts->source->text;
    int depth = 0;
    while (at > 0 && text[at - 1] != ';' && depth >= 0) {
        --at;
        depth += (text[at] == ')') + (text[at] == '}') - (text[at] == '(') - (text[at] == '{');
    }
    return depth < 0 && text[at] == '{' && begins_list(text, at);
}

char *ht_launch_in_place(const ht_plan *plan, ht_range place, char *text, bool sum,
                         const ht_symbol *old) {
    bool narrow = in_braces(plan, place.begin) && old->bits > 0;
    const char *type = old->bits > 32 ? (old->is_unsigned ? "unsigned long long" : "long long")
                                      : (old->is_unsigned ? "unsigned" : "int");
    char *whole = narrow                             ? ht_format("(%s)(%s)", type, text)
                  : sum && !is_enclosed(plan, place) ? ht_format("(%s)", text)
                                                     : ht_strdup(text);
    free(text);
    return whole;
}

char *ht_range_shown(ht_range place) {
    return ht_format("$[%zu,%zu]", place.begin, place.end);
}

/* ---- an axis from its items ---- */

/* Returns the suffix that keeps a literal of the source a real number: ".0f" for 256.f; "" for 256.
 * In ceil(n / 256.0) an integer would round down before ceil can round up. */
static const char *real_suffix(const ht_plan *plan, ht_range place) {
    const char *text = plan->model->facts->source->text + place.begin;
    size_t length = place.end - place.begin, digits = strspn(text, "0123456789'");
    if (digits == 0 || digits >= length || !strchr(".eEfF", text[digits]))
        return "";
    return strchr("fF", text[length - 1]) ? ".0f" : ".0";
}

char *ht_form_leaves_replaced(ht_range whole, const ht_form_leaf *leaves, size_t count) {
    ht_text text = {0};
    size_t at = whole.begin;
    for (size_t done = 0; done < count; ++done) {
        const ht_form_leaf *next = NULL;
        for (size_t i = 0; i < count; ++i)
            if (leaves[i].place.begin >= at && (!next || leaves[i].place.begin < next->place.begin))
                next = &leaves[i];
        if (!next || next->place.end > whole.end)
            continue;
        ht_text_printf(&text, "$[%zu,%zu]%s", at, next->place.begin, next->text);
        at = next->place.end;
    }
    ht_text_printf(&text, "$[%zu,%zu]", at, whole.end);
    return ht_text_take(&text);
}

/* Returns "1024"; or "block.x" or "(2 * block.x)" if that name has the new block's value. */
static char *divisor_text(const ht_plan *plan, const ht_launch_print *print,
                          const ht_values *values, int64_t per_block, int64_t block,
                          const ht_launch_outputs *outputs) {
    const ht_form *form = &print->grid->form[print->axis];
    ht_range place = form->divisor->place;
    bool named = outputs && outputs->text && outputs->count * block == per_block;
    if (!print->divisor_follows && named && block > 1) {
        char *macro = ht_launch_name_kept(plan, form->divisor, block);
        macro = macro ? macro : ht_launch_macro_mark(plan, values, form->divisor, block);
        char *text = macro ? ht_format("(%s * %s)", outputs->text, macro)
                           : ht_format("(%s * %lld)", outputs->text, (long long)block);
        free(macro);
        return text;
    }
    if (!print->divisor_follows || per_block % block)
        return ht_format("%lld", (long long)per_block);
    if (per_block == block)
        return ht_range_shown(place);
    return named ? ht_format("(%s * $[%zu,%zu])", outputs->text, place.begin, place.end)
                 : ht_format("(%lld * $[%zu,%zu])", (long long)(per_block / block), place.begin,
                             place.end);
}

static char *items_leaves(const ht_plan *plan, const ht_launch_print *print,
                          const ht_values *values, int64_t per_block, int64_t block,
                          const ht_launch_outputs *outputs) {
    const ht_form *form = &print->grid->form[print->axis];
    bool whole = !form->addend && !*real_suffix(plan, form->divisor->place);
    char *divisor = divisor_text(plan, print, values, per_block, block,
                                 whole || print->divisor_follows ? outputs : NULL);
    bool named = strpbrk(divisor, "$(") != NULL;
    ht_form_leaf leaves[3];
    size_t count = 0;
    const ht_symbol *of[] = {form->divisor, form->again, form->addend};
    for (size_t i = 0; i < 3; ++i) {
        if (!of[i])
            continue;
        int64_t value = per_block + (i == 2 ? form->addend_offset : 0);
        bool plain =
            named && value == per_block &&
            (i < 2 || (of[2]->name && of[0]->name && strcmp(of[2]->name, of[0]->name) == 0));
        const char *body = divisor;
        size_t length = strlen(divisor);
        if (i == 2 && plain && divisor[0] == '(') { /* it needs no parentheses in a sum */
            ++body;
            length -= 2;
        }
        char *own =
            plain ? ht_strndup(body, length) : ht_launch_macro_mark(plan, values, of[i], value);
        if (!own)
            own = ht_format("%lld%s", (long long)value, real_suffix(plan, of[i]->place));
        leaves[count++] = (ht_form_leaf){of[i]->place, own};
    }
    char *text = ht_form_leaves_replaced(form->quotient->place, leaves, count);
    for (size_t i = 0; i < count; ++i)
        free(leaves[i].text);
    free(divisor);
    return text;
}

size_t ht_launch_word_length(const char *text) {
    size_t length = 0;
    while (ht_name_has(text[length]))
        ++length;
    return length;
}

static char *items_text(const ht_plan *plan, const ht_launch_print *print,
                        const ht_values *values) {
    const ht_form *form = &print->grid->form[print->axis];
    int64_t per_block, block, old = plan->model->axes[print->axis].block;
    if (!ht_launch_new_extent(plan, values, print->axis, &per_block, &block))
        return NULL;
    if (print->grid->form[print->axis].joined)
        return ht_launch_joined_text(plan, print, values);
    char *by_name = ht_launch_by_block(plan, print, values);
    if (by_name)
        return by_name;
    if (per_block == old && !print->assumed && !print->divisor_follows) {
        by_name = block < old ? ht_launch_tile_marks(plan, print, values, block) : NULL;
        return by_name ? by_name : ht_range_shown(print->place);
    }
    bool atom, named = print->divisor_follows && per_block % block == 0;
    bool safe = ht_launch_outputs_halve(plan, values, form, print->axis) ||
                ht_form_is_safe(form, print->axis, print->assumed ? 1 : old, per_block, named);
    char *items = ht_form_items(form, &atom);
    char *divided = ht_launch_outputs_divided(plan, print, values, per_block, block, items);
    if (divided) {
        free(items);
        return divided;
    }
    char *own = items && !safe ? ht_launch_macro_text(plan, form, per_block) : NULL;
    if (own) {
        free(items);
        return own;
    }
    ht_launch_outputs outputs = ht_launch_outputs_read(plan, values, print->axis);
    char *text;
    if (!items || (safe && per_block > 1)) {
        free(items);
        text = safe ? items_leaves(plan, print, values, per_block, block, &outputs) : NULL;
        free(outputs.text);
        return text;
    }
    char *divisor = divisor_text(plan, print, values, per_block, block, &outputs);
    free(outputs.text);
    if (form->kind == HT_FORM_OVER || form->kind == HT_FORM_FLOOR) {
        const char *open = atom || per_block == 1 ? "" : "(", *close = *open ? ")" : "";
        text = per_block == 1 ? ht_strdup(items)
                              : ht_format("%s%s%s / %s", open, items, close, divisor);
        char *more = form->kind == HT_FORM_OVER ? ht_format("%s + 1", text) : ht_strdup(text);
        free(text);
        text = ht_launch_in_place(plan, print->place, more, true, form->quotient);
    } else {
        text = ht_extent_pieces(items, atom, safe, divisor, per_block);
        text = ht_launch_in_place(plan, print->place, text, per_block == 1 ? !atom : !safe && atom,
                                  form->quotient);
    }
    free(divisor);
    free(items);
    return text;
}

/* ---- an axis from its old value ---- */

bool ht_launch_divides(const ht_plan *plan, const ht_grid *grid, const ht_launch_site *site,
                       int axis) {
    bool old = plan->axes[axis].falls_back || ht_symbol_is_assumed(site->block.axis[axis]);
    return old && grid->form[axis].pieces;
}

char *ht_launch_division(const ht_plan *plan, const ht_launch_site *site, int axis) {
    char *grid = ht_launch_axis_text(plan->model, &site->grid, axis);
    char *block = ht_launch_axis_text(plan->model, &site->block, axis), *text = NULL;
    char *per_block = ht_plan_per_block(plan, axis);
    /* the original's block is known, and launch_limits.c leaves out smaller ones */
    bool limited =
        axis > 0 && !plan->launches.renumbered && ht_symbol_is_assumed(site->block.axis[axis]);
    if (grid && block && !limited)
        text = ht_format("%s%s * %s %% ${%s} == 0", axis ? "" : "1LL * ", grid, block,
                         plan->axes[axis].block);
    else if (grid && block)
        text = ht_format("%s * %s %% ${%s} == 0 && %s * %s / ${%s} <= 65535", grid, block,
                         plan->axes[axis].block, grid, block, per_block);
    free(per_block);
    free(block);
    free(grid);
    return text;
}

char *ht_launch_axis_from(const ht_plan *plan, const ht_launch_print *print,
                          const ht_values *values, int axis, const char *old, bool atom) {
    int64_t per_block, block;
    const ht_symbol *symbol = print->site->grid.axis[axis];
    if (!ht_launch_new_extent(plan, values, axis, &per_block, &block))
        return NULL;
    ht_launch_outputs outputs = ht_launch_outputs_read(plan, values, axis);
    bool assumed = ht_symbol_is_assumed(print->site->block.axis[axis]);
    bool record = ht_extent_is_record(print->site->grid.variable) || print->site->grid.is_call;
    bool wide = !record && symbol && symbol->bits > 32;
    bool is_unsigned = record || (symbol && symbol->is_unsigned);
    char *threads = assumed ? ht_launch_axis_text(plan->model, &print->site->block, axis)
                            : ht_format("%lld", (long long)plan->model->axes[axis].block);
    const char *open = atom ? "" : "(", *close = atom ? "" : ")";
    char *whole = ht_format("%s%s%s", open, old, close), *text = NULL;
    if (threads && ht_launch_divides(plan, print->grid, print->site, axis)) {
        char *test = ht_launch_division(plan, print->site, axis);
        if (test)
            text = ht_format("%s ? %s%s * %s / %lld : %s", test, axis ? "" : "1LL * ", whole,
                             threads, (long long)per_block, whole);
        free(test);
    } else if (threads && assumed)
        text = ht_format("(1LL * %s * %s + %lld) / %lld", whole, threads, (long long)per_block - 1,
                         (long long)per_block);
    else if (threads)
        text = ht_extent_rescaled(old, atom, wide,
                                  is_unsigned || ht_extent_is_small(symbol, axis, per_block),
                                  plan->model->axes[axis].block, per_block, &outputs);
    free(outputs.text);
    free(whole);
    free(threads);
    return text;
}

static char *axis_text(const ht_plan *plan, const ht_launch_print *print, const ht_values *values) {
    char *old = ht_range_shown(print->place);
    bool atom = is_atom(print->site->grid.axis[print->axis]) ||
                ht_launch_is_call(plan->model, print->place);
    char *text = ht_launch_axis_from(plan, print, values, print->axis, old, atom);
    bool unchanged = text && strcmp(text, old) == 0;
    free(old);
    if (!text || unchanged)
        return text;
    return ht_launch_in_place(plan, print->place, text, true, print->site->grid.axis[print->axis]);
}

/* Returns dim3((grid.x + 1) / 2, grid.y, grid.z) for the launch; for a function that returns a grid
 * and does nothing else, an expression of its result. free(). */
static char *grid_text(const ht_plan *plan, const ht_launch_print *print, const ht_values *values) {
    const ht_extent3 *grid = &print->site->grid;
    char *name = ht_extent_is_record(grid->variable) ? ht_cursor_name(grid->variable)
                                                     : ht_range_shown(grid->argument);
    ht_text text = {0};
    bool good = true, unchanged = true;
    int last = 2;
    while (!grid->is_call && last > 0 && !grid->axis[last] && !ht_plan_axis_changed(plan, last))
        --last; /* it is 1 */
    ht_text_append(&text, "dim3(");
    for (int axis = 0; axis <= last; ++axis) {
        char *old = ht_format("%s.%c", name, 'x' + axis);
        bool changed = ht_plan_axis_changed(plan, axis);
        char *new = changed ? ht_launch_axis_from(plan, print, values, axis, old, true) : NULL;
        good = good && (new || !changed);
        unchanged = unchanged && (!new || strcmp(new, old) == 0);
        if (grid->is_call && !new && axis >= (int)grid->written)
            ht_text_append(&text, axis < last ? "1, " : "1)");
        else
            ht_text_printf(&text, "%s%s", new ? new : old, axis < last ? ", " : ")");
        free(new);
        free(old);
    }
    free(name);
    if (good && !unchanged)
        return ht_text_take(&text);
    ht_text_free(&text);
    return good ? ht_range_shown(print->place) : NULL;
}

/* Returns true if a quotient or a product may stand at the place without parentheses. */
static bool is_argument(const char *text, ht_range place) {
    size_t begin = place.begin, end = place.end + strspn(text + place.end, " ");
    while (begin > 0 && text[begin - 1] == ' ')
        --begin;
    return begin > 0 && strchr("(,{=", text[begin - 1]) && text[end] && strchr("),};>", text[end]);
}

/* Returns true if the grid is computed from the number of items: then it has the new block, too,
 * unless a block serves as many items as before. */
static bool divides_items(const ht_plan *plan, const ht_launch_print *print,
                          const ht_values *values) {
    int64_t per_block, block;
    if (ht_launch_new_extent(plan, values, print->axis, &per_block, &block) &&
        per_block == plan->model->axes[print->axis].block)
        return false;
    for (size_t i = 0; i < plan->edits.count; ++i) {
        const ht_launch_print *other = plan->edits.items[i].print;
        if (other && other->part == HT_LAUNCH_ITEMS && other->site == print->site &&
            other->axis == print->axis)
            return true;
    }
    return false;
}

/* Returns the new block where the author has a name for the old one: a mark that may become
 * BLOCK / 2, or, where grid or kernel have the new block as well, the name if it is defined
 * anew. */
static char *leaf_text(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                       int64_t block) {
    const char *text = plan->model->facts->source->text;
    size_t length = print->place.end - print->place.begin;
    const char *name = text + print->place.begin;
    bool named = !print->assumed && !isdigit((unsigned char)*name) &&
                 ht_launch_word_length(name) == length && is_argument(text, print->place);
    for (size_t i = 0; i < plan->params.count; ++i)
        named = named && !(plan->params.items[i].existing || plan->params.items[i].macro);
    if (!named)
        return ht_format("%lld", (long long)block);
    if (!divides_items(plan, print, values))
        return ht_value_mark_over(values, name, length, plan->model->axes[print->axis].block,
                                  block);
    char *macro = ht_strndup(name, length);
    char *mark = ht_value_mark_text(plan, values, "", block, macro);
    free(macro);
    return mark;
}

/* Returns true if the launch's block is the author's, by its name. */
static bool is_block_kept(const ht_plan *plan, const ht_launch_print *print,
                          const ht_values *values) {
    bool kept = !print->assumed && ht_extent_is_record(print->site->block.variable);
    for (int axis = 0; axis < 3 && kept; ++axis) {
        int64_t per_block, block;
        kept = ht_launch_new_extent(plan, values, axis, &per_block, &block) &&
               block == plan->model->axes[axis].block &&
               !ht_symbol_is_assumed(print->site->block.axis[axis]);
    }
    return kept;
}

/* ---- the whole ---- */

char *ht_launch_print_text(const ht_plan *plan, const ht_launch_print *print,
                           const ht_values *values) {
    if (print->part >= HT_LAUNCH_GRID_OR_OLD)
        return ht_launch_choice_text(plan, print, values);
    if (ht_launch_fallback_of(plan, print->grid, values) != HT_FALLBACK_NONE)
        return ht_range_shown(print->place); /* the launch chooses */
    int64_t per_block, block;
    switch (print->part) {
    case HT_LAUNCH_ITEMS:
        return items_text(plan, print, values);
    case HT_LAUNCH_AXIS:
        return axis_text(plan, print, values);
    case HT_LAUNCH_GRID:
        return grid_text(plan, print, values);
    case HT_LAUNCH_BLOCK:
        if (is_block_kept(plan, print, values))
            return ht_range_shown(print->place);
        return ht_launch_block_new(plan, print, values);
    default:
        if (!ht_launch_new_extent(plan, values, print->axis, &per_block, &block))
            return NULL;
        return block == plan->model->axes[print->axis].block && !print->assumed
                   ? ht_range_shown(print->place)
                   : leaf_text(plan, print, values, block);
    }
}
