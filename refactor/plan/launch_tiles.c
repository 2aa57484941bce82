#include "refactor/plan/launch_tiles.h"

#include "refactor/kernel/symbol_expression.h"
#include "refactor/plan/launch_edit.h"
#include "refactor/plan/plan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Returns the factor of an extent whose expression is `wanted`, and the expression of the others in
 * *out_others (free()): NULL if there are none. NULL: no factor is. */
static const ht_symbol *factor_find(const ht_model *model, const ht_launch_site *site,
                                    const ht_symbol *symbol, const char *wanted,
                                    char **out_others) {
    char *text = ht_symbol_expression(model, site, symbol, NULL);
    bool found = text && strcmp(text, wanted) == 0;
    free(text);
    *out_others = NULL;
    if (found)
        return symbol->has_place ? symbol : NULL;
    if (symbol->kind != HT_SYMBOL_BINARY || strcmp(symbol->op, "*") != 0 || symbol->bits > 32)
        return NULL;
    for (int side = 1; side >= 0; --side) {
        char *inner;
        const ht_symbol *factor = factor_find(model, site, symbol->arguments[side], wanted, &inner);
        char *other =
            factor ? ht_symbol_expression(model, site, symbol->arguments[!side], NULL) : NULL;
        if (other)
            *out_others = inner ? ht_format("%s * (%s)", inner, other) : ht_format("(%s)", other);
        free(inner);
        free(other);
        if (factor)
            return *out_others ? factor : NULL;
    }
    return NULL;
}

bool ht_launch_tiles_plan(ht_plan *plan, int axis, const char *count, const char *param) {
    const ht_model *model = plan->model;
    const ht_launches *launches = &model->facts->launches;
    const ht_launch_site *site = launches->items;
    bool given = model->entry && model->entry->grid[0];
    if (launches->count != 1 || given || site->in_macro || !site->grid.known ||
        !site->grid.axis[axis] || plan->launches.tiles.param || model->axes[axis].uses_grid_dim)
        return false;
    char *wanted = ht_symbol_launched(model, site, count), *others = NULL;
    const ht_symbol *factor =
        wanted ? factor_find(model, site, site->grid.axis[axis], wanted, &others) : NULL;
    bool own = factor && ht_launch_owns(plan, factor->place); /* else other kernels have it, too */
    if (own)
        plan->launches.tiles = (ht_planned_tiles){
            .param = ht_strdup(param),
            .axis = axis,
            .factor = factor->place,
            .grid = others ? ht_format("%s * ceil_div(%s, %s)", others, wanted, param)
                           : ht_format("ceil_div(%s, %s)", wanted, param)};
    free(others);
    free(wanted);
    return own;
}

char *ht_launch_tiles_text(int axis, ht_range count, const char *param) {
    /* a legal grid has at most 65,535 blocks along y and z, of which n is a factor */
    return ht_format(axis > 0 ? "(($[%zu,%zu] + ${%s} - 1) / ${%s})"
                              : "(($[%zu,%zu] + (${%s} - 1u)) / ${%s})",
                     count.begin, count.end, param, param);
}

bool ht_launch_edit_tiles(ht_plan *plan) {
    const ht_planned_tiles *tiles = &plan->launches.tiles;
    if (!tiles->param)
        return true;
    char *text = ht_launch_tiles_text(tiles->axis, tiles->factor, tiles->param);
    bool done = ht_plan_edit(plan, tiles->factor, tiles->param, text);
    free(text);
    return done;
}
