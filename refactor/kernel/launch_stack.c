/* Launches of blocks that lie several in one, and texts of what a source launches. */
#include "refactor/plan/launch_edit.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- texts
 * ----------------------------------------------------------------------------------------------------------
 */

bool ht_extent_is_record(CXCursor variable) {
    return !clang_Cursor_isNull(variable) &&
           clang_getCanonicalType(clang_getCursorType(variable)).kind == CXType_Record;
}

bool ht_symbol_is_assumed(const ht_symbol *symbol) {
    if (!symbol)
        return false;
    for (int i = 0; i < 3; ++i)
        if (ht_symbol_is_assumed(symbol->arguments[i]))
            return true;
    return symbol->assumed || ht_symbol_is_assumed(symbol->value_of);
}

#define NAMES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]"

char *ht_launch_axis_text(const ht_model *model, const ht_extent3 *extent, int axis) {
    const ht_symbol *symbol = extent->axis[axis];
    if (ht_extent_is_record(extent->variable)) {
        char *name = ht_cursor_name(extent->variable);
        char *text = ht_format("%s.%c", name, 'x' + axis);
        free(name);
        return text;
    }
    ht_range whole = extent->argument;
    bool here = symbol && symbol->has_place && extent->has_argument &&
                symbol->place.begin >= whole.begin && symbol->place.end <= whole.end;
    if (here) {
        char *text =
            ht_strndup(model->text + symbol->place.begin, symbol->place.end - symbol->place.begin);
        bool atom = strspn(text, NAMES) == strlen(text);
        char *whole = ht_format(atom ? "%s" : "(%s)", text);
        free(text);
        return whole;
    }
    /* written elsewhere, as dim3(grid) is: what it was computed from may have changed since */
    return symbol && extent->has_argument
               ? ht_format("dim3(%.*s).%c", (int)(whole.end - whole.begin),
                           model->text + whole.begin, 'x' + axis)
               : NULL;
}

char *ht_dim3_text(char *const axes[3], int last) {
    ht_text text = {0};
    ht_text_append(&text, "dim3(");
    for (int axis = 0; axis <= last; ++axis)
        ht_text_printf(&text, axis ? ", %s" : "%s", axes[axis]);
    ht_text_append(&text, ")");
    return ht_text_take(&text);
}

/* The same, of axes that are not written too. */
static char *extent_text(const ht_model *model, const ht_extent3 *extent, int axis) {
    bool written = extent->axis[axis] || ht_extent_is_record(extent->variable);
    return written ? ht_launch_axis_text(model, extent, axis) : ht_strdup("1");
}

bool ht_launch_says_extents(const ht_model *model) {
    const ht_launches *launches = &model->facts->launches;
    bool all = true;
    for (size_t i = 0; i < launches->count; ++i) {
        const ht_launch_site *site = &launches->items[i];
        all = all && (site->file != 0 || (site->block.has_argument && site->grid.has_argument));
        for (int axis = 0; axis < 3; ++axis) {
            char *block = extent_text(model, &site->block, axis);
            char *grid = extent_text(model, &site->grid, axis);
            all = all && ((block && grid) || site->file != 0);
            free(block);
            free(grid);
        }
    }
    return all;
}

bool ht_launch_name_place(const ht_model *model, const ht_launch_site *site, ht_range *out_place,
                          ht_range *out_arguments) {
    size_t base = model->facts->source->files[site->file].base;
    size_t begin = base + site->range.begin, end = begin + strlen(model->name);
    *out_arguments = (ht_range){end, end};
    if (strncmp(model->text + begin, model->name, strlen(model->name)) != 0)
        return false;
    if (site->template_argument_count) {
        ht_range last = site->template_ranges[site->template_argument_count - 1];
        *out_arguments = (ht_range){base + site->template_ranges[0].begin, base + last.end};
        end = base + last.end + strspn(model->text + base + last.end, " \t");
        if (model->text[end++] != '>')
            return false;
    }
    *out_place = (ht_range){begin, end};
    return site->template_argument_count == model->facts->template_parameter_count;
}

/* ---- several blocks in one
 * ------------------------------------------------------------------------------------------- */

/* "grid.x % 4 == 0": as many of the original's blocks lie in one, where the grid is a multiple and,
 * of blocks that are chosen at run time, they are not too many threads. free(); NULL: cannot be
 * written. */
static char *stack_test(const ht_plan *plan, const ht_launch_site *site) {
    char *grid = extent_text(plan->model, &site->grid, plan->stack_grid);
    ht_text text = {0};
    bool good = grid, assumed = false;
    ht_text_printf(&text, "%s %% ${%s} == 0", grid ? grid : "", plan->stacked);
    for (int axis = 0; axis < 3; ++axis)
        assumed = assumed || ht_symbol_is_assumed(site->block.axis[axis]);
    for (int axis = 0; assumed && axis < plan->stack_axis; ++axis) {
        char *block = extent_text(plan->model, &site->block, axis);
        good = good && block;
        ht_text_printf(&text, axis ? " * %s" : " && %s", block ? block : "");
        free(block);
    }
    if (assumed)
        ht_text_printf(&text, " * ${%s} <= 1024", plan->stacked);
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
        axes[axis] = extent_text(plan->model, extent, axis);
        if (!axes[axis] || axis != changed) {
            good = good && axes[axis];
            continue;
        }
        char *old = axes[axis];
        char *new = strcmp(old, "1") == 0 && format[3] == '*'
                        ? ht_format("${%s}", plan->stacked)
                        : ht_format(format, old, plan->stacked);
        axes[axis] = ht_format("%s ? %s : %s", test, new, old);
        free(new);
        free(old);
    }
    char *text = good ? ht_dim3_text(axes, 2) : NULL;
    good = good && ht_plan_edit(plan, extent->argument, plan->stacked, text);
    for (int axis = 0; axis < 3; ++axis)
        free(axes[axis]);
    free(text);
    return good;
}

/* Blocks that lie in one: at the launch, since whether they do depends on its grid. */
bool ht_launch_edit_stacked(ht_plan *plan, const ht_launch_site *site) {
    char *test = stack_test(plan, site);
    bool done = test && edit_extents(plan, &site->block, plan->stack_axis, test, "%s * ${%s}") &&
                edit_extents(plan, &site->grid, plan->stack_grid, test, "%s / ${%s}");
    free(test);
    return done;
}

/* Several times the bytes, where blocks take more than they did. */
bool ht_launch_edit_lds(ht_plan *plan, const ht_launch_site *site) {
    const ht_symbol *lds = site->lds;
    if (!plan->lds_times)
        return true;
    if (!lds || !lds->has_place)
        return false;
    return ht_plan_editf(plan, lds->place, plan->lds_times, "($[%zu,%zu]) * ${%s}",
                         lds->place.begin, lds->place.end, plan->lds_times);
}
