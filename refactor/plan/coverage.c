/* The grid after a plan, and the requires that keep its coverage. */
#include "refactor/plan/coverage.h"
#include "base/memory.h"
#include "refactor/kernel/geometry.h"
#include "refactor/kernel/symbol_expression.h"
#include "refactor/launch/extent.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/transform.h"

#include <stdlib.h>
#include <string.h>

bool ht_plan_axis_changed(const ht_plan *plan, int axis) {
    for (size_t i = 0; i < plan->covers.count; ++i)
        if (plan->covers.items[i].axis == axis)
            return true;
    return plan->axes[axis].changed && !plan->axes[axis].keep_grid;
}

char *ht_plan_per_block(const ht_plan *plan, int axis) {
    ht_text text = {0};
    const char *block = plan->axes[axis].block ? plan->axes[axis].block : "1";
    bool covered = false;
    for (size_t i = 0; i < plan->covers.count; ++i)
        covered = covered || plan->covers.items[i].axis == axis;
    ht_text_printf(&text, covered && strpbrk(block, " +-") ? "(%s)" : "%s", block);
    for (size_t i = 0; i < plan->covers.count; ++i)
        if (plan->covers.items[i].axis == axis)
            ht_text_printf(&text, " * %s", plan->covers.items[i].param);
    return ht_text_take(&text);
}

void ht_plan_name_add(void *context, const char *name) {
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
    (void)ht_expr_text_names(per_block, ht_plan_name_add, &text);
    free(per_block);
    return ht_text_take(&text);
}

char *ht_grid_after(const ht_plan *plan, const ht_grid *grid, int axis) {
    const ht_form *form = &grid->form[axis];
    const char *original = grid->original[axis];
    if (axis == 1 && plan->launches.row_blocks)
        return ht_strdup(plan->launches.row_blocks);
    if (plan->launches.tiles.param && plan->launches.tiles.axis == axis)
        return ht_strdup(plan->launches.tiles.grid);
    if (axis == 0 && plan->launches.block_rows)
        return ht_format("(%s) / %s", original, plan->launches.block_rows);
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

char *ht_grid_bytes(const ht_plan *plan, const ht_grid *grid) {
    if (!grid->lds)
        return NULL;
    return plan->launches.lds_times ? ht_format("(%s) * (%s)", grid->lds, plan->launches.lds_times)
                                    : ht_strdup(grid->lds);
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

char *ht_plan_at_defaults(const ht_plan *plan, const char *names) {
    ht_text text = {0};
    char *copy = ht_strdup(names);
    for (char *save = NULL, *name = strtok_r(copy, ",", &save); name;
         name = strtok_r(NULL, ",", &save))
        for (size_t i = 0; i < plan->params.count; ++i)
            if (strcmp(plan->params.items[i].name, name) == 0)
                ht_text_printf(&text, "%s%s == %s", text.length ? " && " : "", name,
                               plan->params.items[i].default_value);
    free(copy);
    return ht_text_take(&text);
}

static void on_any_name(void *context, const char *name) {
    (void)name;
    *(bool *)context = true;
}

/* Returns true if the grid depends on sizes, which another run may have otherwise. */
static bool varies(const char *expression) {
    bool found = false;
    return !ht_expr_text_names(expression, on_any_name, &found) || found;
}

/* Returns true if `bound` is the items less something, as n - 1 - t is for n. Both texts have every
 * operation in parentheses. */
bool ht_grid_is_part(const char *bound, const char *items) {
    char *rest = ht_strdup(bound);
    bool found = same_expression(rest, items), more = !found;
    while (more) {
        size_t minus = 0;
        int depth = 0;
        for (size_t i = 0; rest[i]; ++i) {
            depth += (rest[i] == '(') - (rest[i] == ')');
            if (depth == 1 && minus == 0 && strncmp(rest + i, " - ", 3) == 0)
                minus = i;
            more = more && (depth > 0 || !rest[i + 1]);
        }
        more = more && minus > 0;
        if (!more)
            break;
        char *left = ht_format("%.*s", (int)(minus - 1), rest + 1);
        free(rest);
        rest = left;
        found = same_expression(rest, items);
        more = !found;
    }
    free(rest);
    return found;
}

/* Returns the one launch's argument for a parameter that the guard compares with, as a template
 * expression; free(). NULL: the bound is no such parameter, or there are other launches. */
static char *bound_launched(const ht_plan *plan, const char *bound) {
    const ht_launches *launches = &plan->model->facts->launches;
    size_t open = strspn(bound, "(");
    char *name = ht_strndup(bound + open, strcspn(bound + open, ")"));
    char *text =
        launches->count == 1 ? ht_symbol_launched(plan->model, launches->items, name) : NULL;
    free(name);
    return text;
}

static bool is_enough(const ht_plan *plan, const char *items, const char *bound) {
    if (ht_grid_is_part(bound, items))
        return true;
    char *given = bound_launched(plan, bound);
    bool enough = given && ht_grid_is_part(given, items);
    free(given);
    return enough;
}

/* Returns the n of "ceil_div(n, EACH)" where the items are "ceil_div(m, EACH)", and m is a form's;
 * free(). NULL: they are no such. */
static char *outputs_of(const ht_form *form, const char *bound) {
    static const char call[] = "ceil_div(";
    size_t open = sizeof call - 1, length = strlen(bound);
    if (!form->each || strncmp(bound, call, open) != 0)
        return NULL;
    size_t own = open + strlen(form->each->items);
    const char *rest = strlen(form->items) > own ? form->items + own : "-"; /* ", EACH)" */
    size_t more = strlen(rest);
    bool same = rest[0] == ',' && length > open + more && strcmp(bound + length - more, rest) == 0;
    return same ? ht_strndup(bound + open, length - open - more) : NULL;
}

bool ht_grid_has_enough(const ht_plan *plan, const ht_form *form, const char *bound) {
    char *outputs = outputs_of(form, bound);
    bool enough = is_enough(plan, form->items, bound) ||
                  (outputs && is_enough(plan, form->each->items, outputs));
    free(outputs);
    return enough;
}

/* Returns true if every launch's grid is a number: its coverage can then be decided here. */
static bool is_fixed(const ht_plan *plan, const ht_grid *grid, int axis) {
    const ht_launches *launches = &plan->model->facts->launches;
    int64_t value;
    for (size_t i = 0; i < launches->count; ++i)
        if (launches->items[i].grid.axis[axis] &&
            !ht_symbol_value(launches->items[i].grid.axis[axis], &value))
            return false;
    return launches->count > 0 || !varies(grid->original[axis]);
}

/* Requires of the other launches' numbers what the caller has required of the first one's. */
static void require_fixed(ht_plan *plan, const char *unchanged, const char *per_block, int axis) {
    const ht_launches *launches = &plan->model->facts->launches;
    for (size_t i = 1; i < launches->count; ++i) {
        int64_t value = 1;
        if (launches->items[i].grid.axis[axis])
            ht_symbol_value(launches->items[i].grid.axis[axis], &value);
        ht_plan_require(plan, "%s || %lld * %lld %% (%s) == 0", unchanged, (long long)value,
                        (long long)plan->model->axes[axis].block, per_block);
    }
}

/* Requires that a new grid, which rounds up elsewhere, runs no more and no fewer of the threads
 * that the guard lets through. The original's grid may leave some of them out, as one for n items
 * with a guard of n + 2 does. */
static void require_covered(ht_plan *plan, const char *unchanged, const char *before,
                            const char *bound) {
    ht_plan_require(plan, "%s || %s >= %s", unchanged, before, bound);
}

static void require_axis(ht_plan *plan, ht_grid *grid, int axis) {
    const ht_axis *of = &plan->model->axes[axis];
    if (plan->axes[axis].free_cover)
        return;
    const char *bound = plan->axes[axis].bound ? plan->axes[axis].bound : of->guard;
    bool exact = plan->axes[axis].exact_cover || !bound, keep = plan->axes[axis].keep_cover;
    ht_form *form = &grid->form[axis];
    bool ceiling = form->kind == HT_FORM_CEIL || form->kind == HT_FORM_OVER;
    bool enough = !exact && ceiling && ht_grid_has_enough(plan, form, bound);
    if (enough && !keep)
        return;
    char *names = ht_plan_axis_params(plan, axis);
    char *unchanged = ht_plan_at_defaults(plan, names);
    free(names);
    char *per_block = ht_plan_per_block(plan, axis);
    char *before = ht_format("(%s) * %lld", grid->original[axis], (long long)of->block);
    if (!is_fixed(plan, grid, axis) && plan->axes[axis].falls_back) {
        form->kind = HT_FORM_GENERIC;
        form->pieces = true;
        ht_plan_require(plan, "%s || (%s) %% (%s) == 0", unchanged, before, per_block);
    } else if (!is_fixed(plan, grid, axis)) {
        bool pieces = exact || keep;
        /* Not n / b either: it covers more for sizes that the old block does not divide. */
        if (!(enough && form->kind == HT_FORM_CEIL))
            form->kind = pieces ? HT_FORM_WHOLE : HT_FORM_GENERIC;
        form->pieces = pieces;
        if (pieces)
            ht_plan_require(plan, "%lld %% (%s) == 0", (long long)of->block, per_block);
        else if (!enough)
            require_covered(plan, unchanged, before, bound);
    } else {
        char *after = ht_grid_after(plan, grid, axis);
        if (exact || !enough)
            ht_plan_require(plan, "%s || (%s) * (%s) %s %s", unchanged, after, per_block,
                            exact ? "==" : ">=", exact ? before : bound);
        if (keep && !exact)
            ht_plan_require(plan, "%s || (%s) * (%s) <= %s", unchanged, after, per_block, before);
        else if (!exact && !enough)
            require_covered(plan, unchanged, before, bound);
        if (exact || keep)
            require_fixed(plan, unchanged, per_block, axis);
        free(after);
    }
    free(unchanged);
    free(per_block);
    free(before);
}

/* Writes the items in terms of the parameter for a thread's outputs. Where there is none, a grid
 * that hangs on them otherwise than by their division is one of which nothing is known. */
static void bind_outputs(const ht_plan *plan, ht_form *form, int axis) {
    if (!plan->axes[axis].each && form->joined)
        ht_form_forget(form);
    if (!plan->axes[axis].each || !form->each)
        return;
    free(form->items);
    form->items = ht_format("ceil_div(%s, %s)", form->each->items, plan->axes[axis].each);
}

void ht_grid_require(ht_plan *plan, ht_grid *grid) {
    for (int axis = 0; axis < 3; ++axis)
        bind_outputs(plan, &grid->form[axis], axis);
    if (plan->launches.block_rows && grid->original[0])
        ht_plan_require(plan, "%s == 1 || (%s) %% %s == 0", plan->launches.block_rows,
                        grid->original[0], plan->launches.block_rows);
    for (int axis = 0; axis < 3; ++axis)
        if (ht_plan_axis_changed(plan, axis) && grid->original[axis])
            require_axis(plan, grid, axis);
}
