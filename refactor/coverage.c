/* The grid after a plan, and the requires that keep its coverage. */
#include "base/memory.h"
#include "refactor/geometry.h"

#include <stdlib.h>
#include <string.h>

bool ht_plan_axis_changed(const ht_plan *plan, int axis) {
    for (size_t i = 0; i < plan->cover_count; ++i)
        if (plan->covers[i].axis == axis)
            return true;
    return plan->block_changed[axis];
}

char *ht_plan_per_block(const ht_plan *plan, int axis) {
    ht_text text = {0};
    const char *block = plan->block[axis] ? plan->block[axis] : "1";
    bool covered = false;
    for (size_t i = 0; i < plan->cover_count; ++i)
        covered = covered || plan->covers[i].axis == axis;
    ht_text_printf(&text, covered && strpbrk(block, " +-") ? "(%s)" : "%s", block);
    for (size_t i = 0; i < plan->cover_count; ++i)
        if (plan->covers[i].axis == axis)
            ht_text_printf(&text, " * %s", plan->covers[i].param);
    return ht_text_take(&text);
}

static void on_name(void *context, const char *name) {
    ht_text *text = context;
    char *wrapped = ht_format(",%s,", name);
    char *all = ht_format(",%s,", text->data ? text->data : "");
    if (!strstr(all, wrapped))
        ht_text_printf(text, text->length ? ",%s" : "%s", name);
    free(all);
    free(wrapped);
}

char *ht_plan_axis_params(const ht_plan *plan, int axis) {
    ht_text text = {0};
    char *per_block = ht_plan_per_block(plan, axis);
    ht_expr *expr;
    ht_place nowhere = {0};
    if (ht_expr_parse(per_block, nowhere, &expr, NULL) == HT_OK) {
        ht_expr_names(expr, on_name, &text);
        ht_expr_free(expr);
    }
    free(per_block);
    return ht_text_take(&text);
}

char *ht_grid_after(const ht_plan *plan, const ht_grid *grid, int axis) {
    const ht_form *form = &grid->form[axis];
    const char *original = grid->original[axis];
    if (!ht_plan_axis_changed(plan, axis))
        return ht_strdup(original);
    char *per_block = ht_plan_per_block(plan, axis), *after = NULL;
    switch (form->kind) {
    case HT_FORM_CEIL:
        after = ht_format("ceil_div(%s, %s)", form->items, per_block);
        break;
    case HT_FORM_FLOOR:
        after = ht_format("%s / (%s)", form->items, per_block);
        break;
    case HT_FORM_OVER:
        after = ht_format("(%s + %s) / (%s)", form->items, per_block, per_block);
        break;
    case HT_FORM_WHOLE:
        after = ht_format("(%s) * (%lld / (%s))", original,
                          (long long)plan->model->axes[axis].block, per_block);
        break;
    default:
        after = ht_format("ceil_div((%s) * %lld, %s)", original,
                          (long long)plan->model->axes[axis].block, per_block);
    }
    free(per_block);
    return after;
}

static bool same_expression(const char *a, const char *b) {
    ht_expr *first, *second;
    ht_place nowhere = {0};
    bool same = false;
    if (ht_expr_parse(a, nowhere, &first, NULL) != HT_OK)
        return false;
    if (ht_expr_parse(b, nowhere, &second, NULL) == HT_OK) {
        same = ht_expr_equal(first, second);
        ht_expr_free(second);
    }
    ht_expr_free(first);
    return same;
}

/* "BLOCK_X == 16 && COARSEN_X == 1" */
static char *at_default(const ht_plan *plan, int axis) {
    char *names = ht_plan_axis_params(plan, axis);
    ht_text text = {0};
    for (char *save = NULL, *name = strtok_r(names, ",", &save); name;
         name = strtok_r(NULL, ",", &save))
        for (size_t i = 0; i < plan->param_count; ++i)
            if (strcmp(plan->params[i].name, name) == 0)
                ht_text_printf(&text, "%s%s == %s", text.length ? " && " : "", name,
                               plan->params[i].default_value);
    free(names);
    return ht_text_take(&text);
}

static void on_any_name(void *context, const char *name) {
    (void)name;
    *(bool *)context = true;
}

/* Does the grid depend on sizes that another run may have otherwise? */
static bool varies(const char *expression) {
    ht_expr *expr;
    ht_place nowhere = {0};
    bool found = true;
    if (ht_expr_parse(expression, nowhere, &expr, NULL) == HT_OK) {
        found = false;
        ht_expr_names(expr, on_any_name, &found);
        ht_expr_free(expr);
    }
    return found;
}

/* Is `bound` what is left of the items after something is taken away: n - 1 - t of n? */
static bool part_of(const char *bound, const char *items) {
    char *rest = ht_strdup(bound), *minus;
    bool found = same_expression(rest, items);
    while (!found && !strpbrk(rest, "+?") && (minus = strrchr(rest, '-')) != NULL) {
        *minus = 0;
        char *closed = ht_format("%s%s", rest[0] == '(' && bound[strlen(bound) - 1] == ')' ? "" : "",
                                 rest);
        found = same_expression(closed, items);
        free(closed);
    }
    free(rest);
    return found;
}

static void require_axis(ht_plan *plan, const ht_grid *grid, int axis) {
    const ht_axis *of = &plan->model->axes[axis];
    if (plan->free_cover[axis])
        return;
    const char *bound = plan->bound[axis] ? plan->bound[axis] : of->guard;
    bool exact = plan->exact_cover[axis] || !bound;
    const ht_form *form = &grid->form[axis];
    bool ceiling = form->kind == HT_FORM_CEIL || form->kind == HT_FORM_OVER;
    bool enough = !exact && ceiling && same_expression(form->items, bound);
    if (enough && !plan->keep_cover[axis])
        return;
    char *unchanged = at_default(plan, axis);
    char *after = ht_grid_after(plan, grid, axis);
    char *per_block = ht_plan_per_block(plan, axis);
    char *before = ht_format("(%s) * %lld", grid->original[axis], (long long)of->block);
    if (exact)
        ht_plan_require(plan, "%s || (%s) * (%s) == %s", unchanged, after, per_block, before);
    else {
        if (!enough)
            ht_plan_require(plan, "%s || (%s) * (%s) >= %s", unchanged, after, per_block, bound);
        if (plan->keep_cover[axis])
            ht_plan_require(plan, "%s || (%s) * (%s) <= %s", unchanged, after, per_block, before);
    }
    free(unchanged);
    free(after);
    free(per_block);
    free(before);
}

void ht_grid_require(ht_plan *plan, const ht_grid *grid) {
    for (int axis = 0; axis < 3; ++axis)
        if (ht_plan_axis_changed(plan, axis) && grid->original[axis])
            require_axis(plan, grid, axis);
}
