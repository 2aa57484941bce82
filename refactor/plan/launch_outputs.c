#include "refactor/plan/launch_outputs.h"
#include "refactor/plan/launch_text.h"
#include "refactor/plan/render.h"
#include "refactor/plan/value_marks.h"

#include "base/memory.h"
#include "refactor/launch/extent.h"
#include "refactor/plan/launch_limits.h"
#include "refactor/source/ast.h"
#include "refactor/source/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

ht_launch_outputs ht_launch_outputs_read(const ht_plan *plan, const ht_values *values, int axis) {
    ht_text text = {0};
    int64_t count = 1;
    for (size_t i = 0; i < plan->covers.count; ++i) {
        const ht_cover *cover = &plan->covers.items[i];
        int64_t value;
        if (cover->axis != axis || !ht_plan_value(values, cover->param, &value) || value == 1)
            continue;
        char *one = ht_value_mark_text(plan, values, cover->param, value, NULL);
        ht_text_printf(&text, text.length ? " * %s" : "%s", one);
        count *= value;
        free(one);
    }
    return (ht_launch_outputs){count, text.length ? ht_text_take(&text) : NULL};
}

bool ht_launch_outputs_halve(const ht_plan *plan, const ht_values *values, const ht_form *form,
                             int axis) {
    int64_t each = 0;
    if (form->each && plan->axes[axis].each)
        return ht_plan_value(values, plan->axes[axis].each, &each) && each > 1;
    return form->each && ht_symbol_value(form->each->divisor, &each) && each > 1;
}

char *ht_launch_macro_mark(const ht_plan *plan, const ht_values *values, const ht_symbol *leaf,
                           int64_t number) {
    const char *text = plan->model->facts->source->text + leaf->place.begin;
    size_t length = leaf->place.end - leaf->place.begin;
    bool macro = leaf->kind == HT_SYMBOL_CONSTANT && leaf->origin != HT_ORIGIN_LITERAL &&
                 leaf->name && strlen(leaf->name) == length &&
                 strncmp(text, leaf->name, length) == 0;
    return macro ? ht_value_mark_text(plan, values, "", number, leaf->name) : NULL;
}

char *ht_launch_name_kept(const ht_plan *plan, const ht_symbol *leaf, int64_t number) {
    const char *text = plan->model->facts->source->text + leaf->place.begin;
    size_t length = leaf->place.end - leaf->place.begin;
    int64_t value;
    bool literal = leaf->kind == HT_SYMBOL_CONSTANT && leaf->origin == HT_ORIGIN_LITERAL;
    bool named = leaf->has_place && length && ht_launch_word_length(text) == length &&
                 !isdigit((unsigned char)*text) && !literal;
    return named && ht_symbol_value(leaf, &value) && value == number ? ht_range_shown(leaf->place)
                                                                     : NULL;
}

/* Returns the new block where the form has the old one: the author's name, if that has the new
 * value or its definition may get it, or a number; free(). */
static char *block_at(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                      const ht_symbol *leaf, int64_t block) {
    const ht_form *form = &print->grid->form[print->axis];
    bool same = leaf->name && form->divisor->name && strcmp(leaf->name, form->divisor->name) == 0;
    if (print->divisor_follows && (leaf == form->divisor || same))
        return ht_range_shown(leaf->place);
    char *text = ht_launch_name_kept(plan, leaf, block);
    text = text ? text : ht_launch_macro_mark(plan, values, leaf, block);
    return text ? text : ht_value_mark_text(plan, values, "", block, NULL);
}

/* Returns the author's own call for rounding up with another divisor, CEIL_DIV(n, 4), or with the
 * number of items replaced, too; free(). */
static char *call_text(const ht_form *form, const char *items, const char *divisor) {
    ht_form_leaf leaves[] = {{form->divisor->place, (char *)(size_t)divisor}, {{0, 0}, NULL}};
    size_t count = 1;
    if (items) {
        leaves[1] = (ht_form_leaf){{form->terms[0].symbol->place.begin,
                                    form->terms[form->term_count - 1].symbol->place.end},
                                   (char *)(size_t)items};
        ++count;
    }
    return ht_form_leaves_replaced(form->quotient->place, leaves, count);
}

/* Returns true if the author's quotient is a call or a macro of two arguments, n and the block. */
static bool is_call(const ht_plan *plan, const ht_form *form) {
    const char *text = plan->model->facts->source->text;
    size_t at = form->quotient->place.begin, name = ht_launch_word_length(text + at);
    bool once = !form->again &&
                (!form->addend || (form->addend_offset == 0 &&
                                   form->addend->place.begin == form->divisor->place.begin));
    if (!once || name == 0 || isdigit((unsigned char)text[at]) || text[at + name] != '(')
        return false;
    size_t first = at + name + 1, last = form->divisor->place.end;
    const ht_symbol *begin = form->terms[0].symbol, *end = form->terms[form->term_count - 1].symbol;
    return ht_form_has_text(form, begin) && ht_form_has_text(form, end) &&
           begin->place.begin == first && end->place.end < form->divisor->place.begin &&
           text[last] == ')' && last + 1 == form->quotient->place.end &&
           text[end->place.end] == ',' &&
           end->place.end + 1 + strspn(text + end->place.end + 1, " ") ==
               form->divisor->place.begin;
}

/* Returns the sum's addend that rounds up with a divisor: "255" for a number, "name - 1"; free().
 */
static char *less_one(const char *divisor) {
    bool number = divisor[strspn(divisor, "0123456789")] == 0;
    return number ? ht_format("%lld", strtoll(divisor, NULL, 10) - 1)
                  : ht_format("%s - 1", divisor);
}

/* Returns the pieces of `per` items in n, rounded up; free(). */
static char *pieces_of(const char *items, const char *per) {
    char *addend = less_one(per);
    char *text = ht_format("(%s + %s) / %s", items, addend, per);
    free(addend);
    return text;
}

/* Returns true if another axis divides the outputs first, in a call of the author's in a call: a
 * reader takes one form for all axes. */
static bool is_nested_elsewhere(const ht_plan *plan, const ht_launch_print *print,
                                const ht_values *values) {
    bool nested = false;
    for (int axis = 0; axis < 3 && !nested; ++axis) {
        const ht_form *form = &print->grid->form[axis];
        int64_t per_block, block, old = print->assumed ? 1 : plan->model->axes[axis].block;
        if (axis == print->axis || form->kind != HT_FORM_CEIL || !form->divisor ||
            !ht_form_has_text(form, form->divisor) || !is_call(plan, form) ||
            !ht_launch_new_extent(plan, values, axis, &per_block, &block))
            continue;
        ht_launch_outputs each = ht_launch_outputs_read(plan, values, axis);
        nested = each.text && each.count * block == per_block &&
                 !ht_form_is_safe(form, axis, old, per_block, false);
        free(each.text);
    }
    return nested;
}

char *ht_launch_outputs_divided(const ht_plan *plan, const ht_launch_print *print,
                                const ht_values *values, int64_t per_block, int64_t block,
                                const char *items) {
    const ht_form *form = &print->grid->form[print->axis];
    int64_t old = print->assumed ? 1 : plan->model->axes[print->axis].block;
    if (form->kind != HT_FORM_CEIL || !form->divisor || !ht_form_has_text(form, form->divisor) ||
        !items)
        return NULL;
    bool call = is_call(plan, form);
    if (!call &&
        (!form->dividend || !form->addend)) /* n / b + (n % b != 0): no sum of the author's */
        return NULL;
    ht_launch_outputs read = ht_launch_outputs_read(plan, values, print->axis);
    char *each = read.text, *text = NULL;
    int64_t outputs = read.count;
    if (!each || outputs * block != per_block ||
        !ht_form_is_safe(form, print->axis, old, outputs, false)) {
        free(each);
        return NULL;
    }
    char *threads = block_at(plan, print, values, form->divisor, block);
    bool number = strcmp(threads, "1") == 0;
    bool named =
        form->divisor->origin != HT_ORIGIN_LITERAL || form->divisor->kind != HT_SYMBOL_CONSTANT;
    char *both = number ? ht_strdup(each) : ht_format("%s * %s", each, threads);
    bool apart = call && is_nested_elsewhere(plan, print, values);
    int64_t most = ht_launch_squared_most(print->grid, print->site, print->axis);
    if (!apart && (named || call || number) &&
        (ht_form_is_safe(form, print->axis, old, per_block, false) ||
         most < INT32_MAX - per_block)) { /* an int holds the sum */
        text = call     ? call_text(form, NULL, both)
               : number ? pieces_of(items, both)
                        : ht_format("(%s + %s - 1) / (%s)", items, both, both);
    } else {
        char *inner = call ? call_text(form, NULL, each) : pieces_of(items, each);
        if (number)
            text = ht_strdup(inner);
        else if (call)
            text = call_text(form, inner, threads);
        else if (named)
            text = pieces_of(inner, threads);
        else
            text = ht_format("(%s + %lld) / %s", inner, (long long)block - 1, threads);
        free(inner);
    }
    free(both);
    free(threads);
    free(each);
    return ht_launch_in_place(plan, print->place, text, number && !call, form->quotient);
}

char *ht_launch_outputs_pieces(const ht_plan *plan, const ht_launch_print *print,
                               const ht_values *values, int axis, const char *items) {
    const ht_form *form = &print->grid->form[axis];
    int64_t per_block, block, old = print->assumed ? 1 : plan->model->axes[axis].block;
    if (!form->dividend || !form->addend ||
        !ht_launch_new_extent(plan, values, axis, &per_block, &block))
        return NULL;
    ht_launch_outputs each = ht_launch_outputs_read(plan, values, axis);
    char *text = NULL;
    if (each.text && each.count * block == per_block &&
        ht_form_is_safe(form, axis, old, each.count, false))
        text = block == 1 ? ht_format("(%s + %s - 1) / %s", items, each.text, each.text)
                          : ht_format("((%s + %s - 1) / %s + %lld) / %lld", items, each.text,
                                      each.text, (long long)block - 1, (long long)block);
    free(each.text);
    return text;
}

/* ---- the author's macro ---- */

static bool names_word(const char *list, const char *end, const char *word, size_t length) {
    for (const char *at = list; at < end; at += at < end) {
        size_t own = ht_launch_word_length(at);
        if (own == length && strncmp(at, word, length) == 0)
            return true;
        at += own;
    }
    return false;
}

/* Returns true if a macro of this name is made of its parameters, numbers and operators: its sums
 * have the types of its arguments. A second definition would have to be so, too. */
static bool is_plain_macro(const char *text, const char *name, size_t length) {
    bool found = false;
    for (const char *at = text; (at = strstr(at, "define")) != NULL;) {
        at += strlen("define");
        const char *own = at + strspn(at, " \t");
        if (own == at || strncmp(own, name, length) != 0 || own[length] != '(')
            continue;
        const char *list = own + length, *close = strchr(list, ')');
        const char *end = close ? close + strcspn(close, "\r\n") : NULL;
        if (!end || end[-1] == '\\')
            return false;
        for (const char *word = close + 1; word < end; word += word < end) {
            size_t size = isdigit((unsigned char)*word) ? 0 : ht_launch_word_length(word);
            if (size && !names_word(list, close, word, size))
                return false;
            word += size ? size - 1 : 0;
        }
        found = true;
    }
    return found;
}

/* Returns true if a number of 64 bits is converted here, and chooses nothing: an extent of a
 * dim3. */
static bool takes_wide(const ht_plan *plan, ht_range place) {
    const char *text = plan->model->facts->source->text;
    size_t at = place.begin;
    int depth = 0;
    while (at > 0 && text[at - 1] != ';' && text[at - 1] != '{' && text[at - 1] != '}') {
        --at;
        depth += (text[at] == ')') - (text[at] == '(');
        if (depth >= 0)
            continue;
        while (at > 0 && isspace((unsigned char)text[at - 1]))
            --at;
        size_t end = at;
        while (at > 0 && ht_name_has(text[at - 1]))
            --at;
        bool extent = end - at == 4 && strncmp(text + at, "dim3", 4) == 0;
        while (at > 0 && isspace((unsigned char)text[at - 1]))
            --at;
        return extent || (at >= 4 && strncmp(text + at - 4, "dim3", 4) == 0);
    }
    return false;
}

char *ht_launch_macro_text(const ht_plan *plan, const ht_form *form, int64_t per_block) {
    const char *text = plan->model->facts->source->text;
    ht_range whole = form->quotient->place;
    if (form->kind != HT_FORM_CEIL || !form->divisor || !ht_form_has_text(form, form->divisor) ||
        !form->addend || form->addend_offset != 0 ||
        form->addend->place.begin != form->divisor->place.begin ||
        form->addend->place.end != form->divisor->place.end)
        return NULL;
    size_t name = ht_launch_word_length(text + whole.begin);
    if (name == 0 || text[whole.begin + name] != '(' || !takes_wide(plan, whole) ||
        !is_plain_macro(text, text + whole.begin, name))
        return NULL;
    char *number = ht_format("%lldLL", (long long)per_block);
    char *new = ht_form_leaves_replaced(whole, &(ht_form_leaf){form->divisor->place, number}, 1);
    free(number);
    return new;
}

/* ---- grids in the author's names for the block ---- */

/* Returns true if a thread of the launch has several outputs along some axis. */
static bool has_outputs(const ht_plan *plan, const ht_values *values) {
    bool any = false;
    for (int axis = 0; axis < 3; ++axis) {
        ht_launch_outputs each = ht_launch_outputs_read(plan, values, axis);
        any = any || each.count > 1;
        free(each.text);
    }
    return any;
}

static bool is_literal(const ht_symbol *symbol) {
    return symbol->kind == HT_SYMBOL_CONSTANT && symbol->origin == HT_ORIGIN_LITERAL;
}

char *ht_launch_by_block(const ht_plan *plan, const ht_launch_print *print,
                         const ht_values *values) {
    const ht_form *form = &print->grid->form[print->axis];
    int64_t per_block, block, old = plan->model->axes[print->axis].block;
    bool atom, sum = form->kind == HT_FORM_CEIL && form->dividend && form->addend;
    if (!print->by_block || print->assumed || !sum || form->again || !form->divisor ||
        !is_literal(form->divisor) || !is_literal(form->addend) || form->quotient->is_float ||
        !ht_form_takes_unsigned(form) || !has_outputs(plan, values) ||
        !ht_launch_new_extent(plan, values, print->axis, &per_block, &block) || block == 1 ||
        (per_block == old && block == old))
        return NULL;
    ht_launch_outputs each = ht_launch_outputs_read(plan, values, print->axis);
    char *items = ht_form_items(form, &atom), *text = NULL;
    char *name = ht_cursor_name(print->site->block.variable);
    char along = (char)('x' + print->axis);
    if (items && each.count * block == per_block)
        text = each.text ? ht_format("(%s + %s * %s.%c - 1) / (%s * %s.%c)", items, each.text, name,
                                     along, each.text, name, along)
                         : ht_format("(%s + %s.%c - 1) / %s.%c", items, name, along, name, along);
    free(name);
    free(items);
    free(each.text);
    return text ? ht_launch_in_place(plan, print->place, text, false, form->quotient) : NULL;
}

/* Returns the product of the parameters that a thread's outputs along an axis are; free(). */
static char *outputs_expression(const ht_plan *plan, const ht_values *values, int axis) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (size_t i = 0; i < plan->covers.count; ++i) {
        const ht_cover *cover = &plan->covers.items[i];
        int64_t value;
        if (cover->axis == axis && ht_plan_value(values, cover->param, &value) && value > 1)
            ht_text_printf(&text, text.length ? " * %s" : "%s", cover->param);
    }
    return ht_text_take(&text);
}

/* Returns the name of the author's constant that is a leaf; free(). NULL: it is not one. */
static char *constant_name(const ht_plan *plan, const ht_values *values, const ht_symbol *leaf) {
    char *mark = ht_launch_macro_mark(plan, values, leaf, 0);
    bool named = mark != NULL;
    free(mark);
    return named ? ht_strdup(leaf->name) : NULL;
}

char *ht_launch_tile_marks(const ht_plan *plan, const ht_launch_print *print,
                           const ht_values *values, int64_t block) {
    const ht_form *form = &print->grid->form[print->axis];
    int64_t old = plan->model->axes[print->axis].block;
    if (form->kind != HT_FORM_CEIL || !form->divisor || !ht_form_has_text(form, form->divisor) ||
        !form->quotient || form->quotient->is_float)
        return NULL;
    const ht_symbol *of[] = {form->divisor, form->again, form->addend};
    char *name = constant_name(plan, values, form->divisor), *text = NULL;
    char *outputs = outputs_expression(plan, values, print->axis);
    ht_launch_outputs each = ht_launch_outputs_read(plan, values, print->axis);
    bool good = name && values->named && each.text && each.count * block == old;
    for (size_t i = 1; i < 3 && good; ++i)
        good = !of[i] || (of[i]->name && strcmp(of[i]->name, name) == 0 &&
                          (i < 2 || form->addend_offset == 0));
    if (good) {
        ht_form_leaf leaves[3];
        size_t count = 0;
        for (size_t i = 0; i < 3; ++i)
            if (of[i] && (i == 0 || of[i]->place.begin != leaves[0].place.begin))
                leaves[count++] = (ht_form_leaf){
                    of[i]->place, ht_value_mark_tile(outputs, name, old, block, i == 2)};
        text = ht_form_leaves_replaced(form->quotient->place, leaves, count);
        for (size_t i = 0; i < count; ++i)
            free(leaves[i].text);
    }
    free(each.text);
    free(outputs);
    free(name);
    return text;
}

/* ---- divided by outputs and block at once ---- */

bool ht_launch_joined_can(const ht_form *form) {
    bool atom, good = form->block_count > 0;
    for (size_t i = 0; i < form->block_count; ++i)
        good = good && ht_form_has_text(form, form->blocks[i]);
    char *items = good ? ht_form_items(form, &atom) : NULL;
    good = items && ht_form_has_text(form, form->each->divisor);
    free(items);
    return good;
}

/* Returns true if the sum n + EACH * block - 1 overflows for no n for which the author's does not.
 * `tile`: EACH * block. */
static bool joined_fits(const ht_form *form, int64_t old_tile, int64_t tile) {
    return !form->sum || form->sum->bits > 32 || tile <= old_tile ||
           (form->sum->is_unsigned && ht_form_takes_unsigned(form) && form->term_count == 1 &&
            form->terms[0].sign > 0 && form->terms[0].symbol->bits > 0);
}

/* Returns the block where the author's text has it; free(). */
static char *block_text(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                        const ht_symbol *leaf, int64_t block) {
    if (print->divisor_follows || block == plan->model->axes[print->axis].block)
        return ht_range_shown(leaf->place);
    char *mark = ht_launch_macro_mark(plan, values, leaf, block);
    bool no_sign = leaf->is_unsigned && leaf->bits == 32;
    return mark ? mark : ht_format(no_sign ? "%lldu" : "%lld", (long long)block);
}

/* Returns the author's text with the new block. */
static char *leaves_text(const ht_plan *plan, const ht_launch_print *print, const ht_values *values,
                         int64_t block) {
    const ht_form *form = &print->grid->form[print->axis];
    ht_form_leaf leaves[2];
    size_t count = 0;
    for (size_t i = 0; i < form->block_count; ++i)
        if (i == 0 || form->blocks[i]->place.begin != form->blocks[0]->place.begin) {
            char *own = block_text(plan, print, values, form->blocks[i], block);
            leaves[count++] = (ht_form_leaf){form->blocks[i]->place, own};
        }
    char *text = ht_form_leaves_replaced(form->quotient->place, leaves, count);
    for (size_t i = 0; i < count; ++i)
        free(leaves[i].text);
    return text;
}

/* Returns n / (EACH * block) + (n % (EACH * block) != 0). */
static char *divided_text(const ht_plan *plan, const ht_launch_print *print,
                          const ht_values *values, int64_t block) {
    const ht_form *form = &print->grid->form[print->axis];
    ht_range each = form->each->divisor->place;
    bool atom;
    char *items = ht_form_items(form, &atom);
    char *own = block_text(plan, print, values, form->blocks[0], block);
    const char *open = atom ? "" : "(", *close = atom ? "" : ")";
    char *text = items
                     ? ht_format("%s%s%s / ($[%zu,%zu] * %s) + (%s%s%s %% ($[%zu,%zu] * %s) != 0)",
                                 open, items, close, each.begin, each.end, own, open, items, close,
                                 each.begin, each.end, own)
                     : NULL;
    free(own);
    free(items);
    return text ? ht_launch_in_place(plan, print->place, text, true, form->quotient) : NULL;
}

char *ht_launch_joined_text(const ht_plan *plan, const ht_launch_print *print,
                            const ht_values *values) {
    const ht_form *form = &print->grid->form[print->axis];
    int64_t per_block, block, each, old_each, old = plan->model->axes[print->axis].block;
    if (!ht_launch_new_extent(plan, values, print->axis, &per_block, &block) ||
        per_block != block || !plan->axes[print->axis].each ||
        !ht_plan_value(values, plan->axes[print->axis].each, &each) ||
        !ht_symbol_value(form->each->divisor, &old_each))
        return NULL;
    if (!joined_fits(form, old_each * old, each * block))
        return divided_text(plan, print, values, block);
    return print->divisor_follows || block == old ? ht_range_shown(print->place)
                                                  : leaves_text(plan, print, values, block);
}
