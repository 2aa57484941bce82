#include "refactor/plan/launch_named.h"
#include "refactor/plan/launch_outputs.h"
#include "refactor/plan/render.h"
#include "refactor/plan/value_marks.h"

#include "base/memory.h"
#include "refactor/source/ast.h"

#include <stdlib.h>
#include <string.h>

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
