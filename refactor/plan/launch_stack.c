#include "refactor/plan/launch_stack.h"
#include "refactor/plan/launch_text.h"
#include "refactor/plan/plan.h"

#include "refactor/kernel/launch_words.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Returns "grid.x % 4 == 0", the condition for four of the original's blocks in one: the grid is a
 * multiple, and, if blocks are chosen at run time, the threads are not too many. free(); NULL: it
 * cannot be written. */
static char *stack_test(const ht_plan *plan, const ht_launch_site *site) {
    char *grid = ht_extent_text(plan->model, &site->grid, plan->stack.grid);
    ht_text text = {0};
    bool good = grid, assumed = false;
    ht_text_printf(&text, "%s %% ${%s} == 0", grid ? grid : "", plan->stack.param);
    for (int axis = 0; axis < 3; ++axis)
        assumed = assumed || ht_symbol_is_assumed(site->block.axis[axis]);
    for (int axis = 0; assumed && axis < plan->stack.axis; ++axis) {
        char *block = ht_extent_text(plan->model, &site->block, axis);
        good = good && block;
        ht_text_printf(&text, axis ? " * %s" : " && %s", block ? block : "");
        free(block);
    }
    if (assumed)
        ht_text_printf(&text, " * ${%s} <= 1024", plan->stack.param);
    free(grid);
    if (good)
        return ht_text_take(&text);
    ht_text_free(&text);
    return NULL;
}

static bool edit_extents(ht_plan *plan, const ht_extent3 *extent, int changed, const char *test,
                         const char *format) {
    char *axes[3];
    bool good = extent->has_argument;
    for (int axis = 0; axis < 3; ++axis) {
        axes[axis] = ht_extent_text(plan->model, extent, axis);
        if (!axes[axis] || axis != changed) {
            good = good && axes[axis];
            continue;
        }
        char *old = axes[axis];
        char *new = strcmp(old, "1") == 0 && format[3] == '*'
                        ? ht_format("${%s}", plan->stack.param)
                        : ht_format(format, old, plan->stack.param);
        axes[axis] = ht_format("%s ? %s : %s", test, new, old);
        free(new);
        free(old);
    }
    char *text = good ? ht_dim3_text(axes, 2) : NULL;
    good = good && ht_plan_edit(plan, extent->argument, plan->stack.param, text);
    for (int axis = 0; axis < 3; ++axis)
        free(axes[axis]);
    free(text);
    return good;
}

bool ht_launch_edit_stacked(ht_plan *plan, const ht_launch_site *site) {
    char *test = stack_test(plan, site);
    bool done = test && edit_extents(plan, &site->block, plan->stack.axis, test, "%s * ${%s}") &&
                edit_extents(plan, &site->grid, plan->stack.grid, test, "%s / ${%s}");
    free(test);
    return done;
}

bool ht_launch_edit_row_blocks(ht_plan *plan, const ht_launch_site *site) {
    const char *param = plan->launches.row_blocks;
    if (!param)
        return true;
    char *axes[3] = {ht_extent_text(plan->model, &site->grid, 0), ht_format("${%s}", param),
                     ht_extent_text(plan->model, &site->grid, 2)};
    bool good = axes[0] && axes[2];
    char *text = good ? ht_dim3_text(axes, strcmp(axes[2], "1") == 0 ? 1 : 2) : NULL;
    good = good && ht_plan_edit(plan, site->grid.argument, param, text);
    for (int axis = 0; axis < 3; ++axis)
        free(axes[axis]);
    free(text);
    return good;
}

/* Edits the block: "tokens % 4 == 0 ? dim3(64, 4) : 64". */
static bool edit_rows_of(ht_plan *plan, const ht_extent3 *block, const char *grid) {
    const char *param = plan->launches.block_rows;
    char *old = ht_range_shown(block->argument);
    char *x = ht_extent_is_record(block->variable) ? ht_extent_text(plan->model, block, 0)
                                                   : ht_strdup(old);
    char *text = ht_format("dim3(%s, %s %% ${%s} == 0 ? ${%s} : 1)", x, grid, param, param);
    bool done = ht_plan_wrap(plan, block->argument, param, text);
    free(text);
    free(x);
    free(old);
    return done;
}

bool ht_launch_edit_block_rows(ht_plan *plan, const ht_launch_site *site) {
    const char *param = plan->launches.block_rows;
    if (!param)
        return true;
    char *grid = ht_extent_text(plan->model, &site->grid, 0);
    char *text =
        grid ? ht_format("%s %% ${%s} == 0 ? %s / ${%s} : %s", grid, param, grid, param, grid)
             : NULL;
    bool done = text && edit_rows_of(plan, &site->block, grid) &&
                ht_plan_wrap(plan, site->grid.argument, param, text);
    free(text);
    free(grid);
    return done;
}

bool ht_launch_edit_lds(ht_plan *plan, const ht_launch_site *site) {
    const ht_symbol *lds = site->lds;
    if (!plan->launches.lds_times)
        return true;
    if (!lds || !lds->has_place)
        return false;
    return ht_plan_editf(plan, lds->place, plan->launches.lds_times, "($[%zu,%zu]) * ${%s}",
                         lds->place.begin, lds->place.end, plan->launches.lds_times);
}
