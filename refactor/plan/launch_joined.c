#include "refactor/plan/launch_joined.h"

#include "base/memory.h"
#include "refactor/launch/extent.h"
#include "refactor/plan/launch_outputs.h"
#include "refactor/plan/render.h"
#include "refactor/plan/value_marks.h"

#include <stdlib.h>
#include <string.h>

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
static bool fits(const ht_form *form, int64_t old_tile, int64_t tile) {
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
    if (!fits(form, old_each * old, each * block))
        return divided_text(plan, print, values, block);
    return print->divisor_follows || block == old ? ht_range_shown(print->place)
                                                  : leaves_text(plan, print, values, block);
}
