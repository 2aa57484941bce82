#include "refactor/plan/launch_limits.h"
#include "refactor/plan/launch_choice.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/render.h"

#include "base/memory.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/launch/extent.h"
#include "refactor/launch/squared.h"
#include "refactor/plan/coverage.h"

#include <stdlib.h>
#include <string.h>

int64_t ht_launch_blocks_most(int axis) {
    return axis == 0 ? INT32_MAX : HT_GRID_ROWS_MAX;
}

/* Returns the largest extent that the original's block can have along an axis. */
static int64_t old_block(const ht_plan *plan, const ht_launch_site *site, int axis) {
    return ht_symbol_is_assumed(site->block.axis[axis]) ? HT_BLOCK_THREADS_MAX
                                                        : plan->model->axes[axis].block;
}

/* Returns true if the types in the dividend keep the number of blocks below 2^31. An int does for
 * blocks of one thread or more, or of two or more where 1 is added to the quotient; a sum of ints
 * does for blocks of two or more; an unsigned for blocks of three or more. */
static bool is_narrow(const ht_form *form, int64_t per_block) {
    bool narrow = form->quotient && form->term_count > 0, no_sign = false;
    bool plain =
        form->term_count == 1 && (form->kind == HT_FORM_CEIL || form->kind == HT_FORM_FLOOR);
    for (size_t i = 0; i < form->term_count; ++i) {
        const ht_symbol *symbol = form->terms[i].symbol;
        narrow = narrow && symbol->bits > 0 && symbol->bits <= 32;
        no_sign = no_sign || symbol->is_unsigned;
    }
    return narrow && per_block >= (no_sign ? 3 : plain ? 1 : 2);
}

/* Returns true if the launch has the same number of blocks as the first one: both name one dim3, or
 * one variable that nothing changes. */
static bool is_grid_of_first(const ht_plan *plan, const ht_launch_site *site, int axis) {
    const ht_launch_site *first = plan->model->facts->launches.items;
    const ht_symbol *mine = site->grid.axis[axis], *its = first->grid.axis[axis];
    if (site == first || (ht_extent_is_record(site->grid.variable) &&
                          clang_equalCursors(site->grid.variable, first->grid.variable)))
        return true;
    return mine && its && mine->kind == HT_SYMBOL_VARIABLE && its->kind == HT_SYMBOL_VARIABLE &&
           mine->value_of && clang_equalCursors(mine->declaration, its->declaration);
}

int64_t ht_launch_squared_most(const ht_grid *grid, const ht_launch_site *site, int axis) {
    const ht_form *form = &grid->form[axis];
    const ht_symbol *size = form->term_count == 1 ? form->terms[0].symbol : NULL;
    bool rounds_up = form->kind == HT_FORM_CEIL && size && form->terms[0].sign > 0;
    return rounds_up && ht_launch_squares(site, size) ? HT_SQUARED_MOST : INT64_MAX;
}

bool ht_launch_is_bounded(const ht_plan *plan, const ht_grid *grid, const ht_launch_site *site,
                          int axis, int64_t per_block) {
    const ht_form *form = &grid->form[axis];
    const ht_symbol *old = site->grid.axis[axis];
    int64_t value, limit = ht_launch_blocks_most(axis), block = old_block(plan, site, axis);
    if (per_block >= block)
        return true;
    if (!old)
        return block <= limit;
    if (!ht_symbol_is_assumed(old) && ht_symbol_value(old, &value) && value < INT32_MAX &&
        value * block <= limit * per_block)
        return true;
    if (is_grid_of_first(plan, site, axis) &&
        ht_launch_squared_most(grid, site, axis) <= limit * per_block)
        return true;
    return axis == 0 && is_grid_of_first(plan, site, axis) && is_narrow(form, per_block);
}

bool ht_launch_asks_of(const ht_plan *plan, const ht_grid *grid, int axis, int64_t per_block) {
    const ht_launches *launches = &plan->model->facts->launches;
    bool any = false;
    for (size_t i = 0; i < launches->count && ht_plan_axis_changed(plan, axis); ++i)
        any = any || (!ht_launch_divides(plan, grid, &launches->items[i], axis) &&
                      !ht_launch_is_bounded(plan, grid, &launches->items[i], axis, per_block));
    return any;
}

bool ht_launch_asks(const ht_plan *plan, const ht_grid *grid, const ht_values *values, int axis) {
    int64_t per_block, block;
    return ht_launch_new_extent(plan, values, axis, &per_block, &block) &&
           ht_launch_asks_of(plan, grid, axis, per_block);
}

char *ht_launch_block_names(const ht_plan *plan) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (int axis = 0; axis < 3; ++axis)
        if (plan->axes[axis].changed)
            (void)ht_expr_text_names(plan->axes[axis].block, ht_plan_name_add, &text);
    return ht_text_take(&text);
}

ht_launch_fallback ht_launch_fallback_of(const ht_plan *plan, const ht_grid *grid,
                                         const ht_values *values) {
    bool any = false;
    for (int axis = 0; axis < 3 && plan->launches.choose; ++axis)
        any = any || ht_launch_asks(plan, grid, values, axis);
    if (!any)
        return HT_FALLBACK_NONE;
    char *names = ht_launch_block_names(plan);
    bool tied = ht_plan_kernel_names(plan, values, names);
    free(names);
    return !tied                       ? HT_FALLBACK_SAME
           : plan->launches.old_kernel ? HT_FALLBACK_COPY
                                       : HT_FALLBACK_NONE;
}

/* ---- the test at the launch ---- */

static char *axis_test(const ht_plan *plan, const ht_launch_print *print, int axis,
                       int64_t per_block) {
    const ht_extent3 *grid = &print->site->grid;
    const ht_form *form = &print->grid->form[axis];
    int64_t most = ht_launch_blocks_most(axis) * per_block;
    bool atom;
    bool divided = form->kind == HT_FORM_CEIL || ht_launch_is_declared(print);
    char *items =
        divided && ht_launch_items_hold(plan, print, axis) ? ht_form_items(form, &atom) : NULL;
    if (items) {
        /* n / block + 1 is one block more */
        char *text = ht_format(form->kind == HT_FORM_OVER ? "%s < %lld" : "%s <= %lld", items,
                               (long long)most);
        free(items);
        return text;
    }
    char *old = ht_launch_axis_text(plan->model, grid, axis), *text = NULL;
    bool assumed = ht_symbol_is_assumed(print->site->block.axis[axis]);
    char *block = assumed ? ht_launch_axis_text(plan->model, &print->site->block, axis) : NULL;
    if (old && block)
        text = ht_format("1LL * %s * %s <= %lld", old, block, (long long)most);
    else if (old && !assumed)
        text = ht_format("%s <= %lld", old, (long long)(most / plan->model->axes[axis].block));
    free(block);
    free(old);
    return text;
}

char *ht_launch_test(const ht_plan *plan, const ht_launch_print *print, const ht_values *values) {
    ht_text text = {0};
    bool good = true;
    for (int axis = 0; axis < 3 && good; ++axis) {
        int64_t per_block, block;
        if (!ht_launch_asks(plan, print->grid, values, axis) ||
            !ht_launch_new_extent(plan, values, axis, &per_block, &block))
            continue;
        char *test = axis_test(plan, print, axis, per_block);
        good = test != NULL;
        ht_text_printf(&text, "%s%s", text.length ? " && " : "", test ? test : "");
        free(test);
    }
    if (good && text.length)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}
