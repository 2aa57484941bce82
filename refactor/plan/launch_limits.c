#include "refactor/plan/launch_limits.h"
#include "refactor/plan/launch_ahead.h"
#include "refactor/plan/launch_choice.h"
#include "refactor/plan/plan.h"
#include "refactor/plan/render.h"

#include "base/memory.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/launch/extent.h"
#include "refactor/plan/coverage.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 65535, THREADS_MAX = 1024 };

static int64_t limit_of(int axis) {
    return axis == 0 ? INT32_MAX : ROWS_MAX;
}

/* Returns the largest extent that the original's block can have along an axis. */
static int64_t old_block(const ht_plan *plan, const ht_launch_site *site, int axis) {
    return ht_symbol_is_assumed(site->block.axis[axis]) ? THREADS_MAX
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

/* Returns true if the new grid never has more blocks than a device launches. */
static bool is_bounded(const ht_plan *plan, const ht_grid *grid, const ht_launch_site *site,
                       int axis, int64_t per_block) {
    const ht_form *form = &grid->form[axis];
    const ht_symbol *old = site->grid.axis[axis];
    int64_t value, limit = limit_of(axis), block = old_block(plan, site, axis);
    if (per_block >= block)
        return true;
    if (!old)
        return block <= limit;
    if (!ht_symbol_is_assumed(old) && ht_symbol_value(old, &value) && value < INT32_MAX &&
        value * block <= limit * per_block)
        return true;
    return axis == 0 && is_grid_of_first(plan, site, axis) && is_narrow(form, per_block);
}

static bool asks(const ht_plan *plan, const ht_grid *grid, int axis, int64_t per_block) {
    const ht_launches *launches = &plan->model->facts->launches;
    bool any = false;
    for (size_t i = 0; i < launches->count && ht_plan_axis_changed(plan, axis); ++i)
        any = any || (!ht_launch_divides(plan, grid, &launches->items[i], axis) &&
                      !is_bounded(plan, grid, &launches->items[i], axis, per_block));
    return any;
}

bool ht_launch_asks(const ht_plan *plan, const ht_grid *grid, const ht_values *values, int axis) {
    int64_t per_block, block;
    return ht_launch_new_extent(plan, values, axis, &per_block, &block) &&
           asks(plan, grid, axis, per_block);
}

static void on_name(void *context, const char *name) {
    ht_text *text = context;
    ht_text_printf(text, text->length ? ",%s" : "%s", name);
}

/* Returns the block's parameters, "BLOCK_X,BLOCK_Y"; free(). */
static char *block_names(const ht_plan *plan) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (int axis = 0; axis < 3; ++axis)
        if (plan->axes[axis].changed)
            (void)ht_expr_text_names(plan->axes[axis].block, on_name, &text);
    return ht_text_take(&text);
}

ht_launch_fallback ht_launch_fallback_of(const ht_plan *plan, const ht_grid *grid,
                                         const ht_values *values) {
    bool any = false;
    for (int axis = 0; axis < 3 && plan->launches.choose; ++axis)
        any = any || ht_launch_asks(plan, grid, values, axis);
    if (!any)
        return HT_FALLBACK_NONE;
    char *names = block_names(plan);
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
    int64_t most = limit_of(axis) * per_block;
    bool atom;
    char *items = ht_launch_items_hold(plan, print, axis) && form->kind == HT_FORM_CEIL
                      ? ht_form_items(form, &atom)
                      : NULL;
    if (items) {
        char *text = ht_format("%s <= %lld", items, (long long)most);
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

/* ---- possible fall-backs ---- */

/* Returns true if the launch can be given a choice of two geometries. */
static bool can_choose(const ht_plan *plan, const ht_launch_site *site) {
    bool good = !site->in_macro && site->grid.has_argument && site->block.has_argument;
    for (int axis = 0; axis < 3 && good; ++axis) {
        if (!ht_plan_axis_changed(plan, axis))
            continue;
        char *grid = ht_launch_axis_text(plan->model, &site->grid, axis);
        good = grid != NULL;
        free(grid);
    }
    return good;
}

/* Returns true if the original may be kept under another name that its launches can use. */
static bool can_keep(const ht_plan *plan) {
    const ht_model *model = plan->model;
    const ht_launches *launches = &model->facts->launches;
    bool good =
        !model->definition.is_declared_ahead && launches->other_use_line == 0 &&
        !plan->launches.lds_times &&
        strncmp(model->text + model->definition.name_begin, model->name, strlen(model->name)) == 0;
    for (size_t i = 0; i < launches->count && good; ++i) {
        ht_range place, arguments;
        size_t base = model->facts->source->files[launches->items[i].file].base;
        good = base + launches->items[i].range.begin > model->definition.range.end &&
               ht_launch_name_place(model, &launches->items[i], &place, &arguments);
    }
    return good;
}

static char *all_params(const ht_plan *plan) {
    ht_text text = {0};
    ht_text_append(&text, "");
    for (int axis = 0; axis < 3; ++axis) {
        char *names =
            ht_plan_axis_changed(plan, axis) ? ht_plan_axis_params(plan, axis) : ht_strdup("");
        ht_text_printf(&text, "%s%s", text.length && names[0] ? "," : "", names);
        free(names);
    }
    return ht_text_take(&text);
}

/* Returns where the scopes ahead of a name begin. */
static size_t qualifier_begin(const char *text, size_t at) {
    while (at > 2 && text[at - 1] == ':' && text[at - 2] == ':') {
        at -= 2;
        while (at > 0 && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_'))
            --at;
    }
    return at;
}

/* Returns a name for what is declared for a launch: "blur_grid". The plan owns it. */
static const char *named_after(ht_plan *plan, const char *what) {
    char *name = ht_format("%s_%s", plan->model->name, what);
    const char *given = ht_plan_name(plan, name);
    free(name);
    return given;
}

static void choose_at(ht_plan *plan, const ht_grid *grid, const ht_launch_site *site,
                      const char *params) {
    ht_launch_print print = {.grid = grid, .site = site};
    for (int axis = 0; axis < 3; ++axis)
        print.assumed = print.assumed || ht_symbol_is_assumed(site->block.axis[axis]);
    size_t line;
    if (ht_launch_ahead_place(plan, site, &line)) {
        print.fits = named_after(plan, "fits"); /* other kernels are launched there, too */
        print.block = named_after(plan, "block");
        print.blocks = named_after(plan, "grid");
        print.part = HT_LAUNCH_AHEAD;
        print.place = (ht_range){line, line};
        ht_plan_print(plan, print.place, params, "ahead", &print, true);
    }
    print.part = HT_LAUNCH_GRID_OR_OLD;
    print.place = site->grid.argument;
    ht_plan_print(plan, print.place, params, "grid or old", &print, true);
    print.part = HT_LAUNCH_BLOCK_OR_OLD;
    print.place = site->block.argument;
    ht_plan_print(plan, print.place, params, "block or old", &print, true);
    if (plan->launches.old_kernel &&
        ht_launch_name_place(plan->model, site, &print.place, &print.arguments)) {
        print.part = HT_LAUNCH_KERNEL_OR_OLD;
        size_t name = print.place.begin;
        print.place.begin = qualifier_begin(plan->model->text, name);
        print.qualifier = (ht_range){print.place.begin, name};
        ht_plan_print(plan, print.place, params, "kernel or old", &print, true);
    }
}

/* Requires blocks that are no smaller than the original's, for plans whose launches cannot
 * choose. */
static void require_enough(ht_plan *plan, int axis, const char *unless) {
    char *per_block = ht_plan_per_block(plan, axis);
    char *text = ht_format("%s%s%s >= %lld", unless ? unless : "", unless ? " || " : "", per_block,
                           (long long)plan->model->axes[axis].block);
    bool known = false;
    for (size_t i = 0; i < plan->requires.count; ++i)
        known = known || strcmp(plan->requires.items[i], text) == 0;
    if (!known)
        ht_plan_require(plan, "%s", text);
    free(text);
    free(per_block);
}

static bool names_any(const char *text, const char *names) {
    bool found = false;
    char *copy = ht_strdup(names);
    for (char *save = NULL, *name = strtok_r(copy, ",", &save); name;
         name = strtok_r(NULL, ",", &save))
        found = found || strstr(text, name) != NULL;
    free(copy);
    return found;
}

/* Returns "STAGE_IN == false && COARSEN_X == 1": the parameters at their defaults; free(). */
static char *at_defaults(const ht_plan *plan, const char *names) {
    ht_text text = {0};
    char *copy = ht_strdup(names);
    for (char *save = NULL, *name = strtok_r(copy, ",", &save); name;
         name = strtok_r(NULL, ",", &save))
        for (size_t i = 0; i < plan->params.count; ++i)
            if (strcmp(plan->params.items[i].name, name) == 0)
                ht_text_printf(&text, "%s%s == %s", text.length ? " && " : "", name,
                               plan->params.items[i].default_value);
    free(copy);
    return text.length ? ht_text_take(&text) : NULL;
}

/* Requires large enough blocks in configurations whose edits write the block into the kernel, which
 * otherwise works with any block. */
static void require_tied(ht_plan *plan, int axis) {
    char *names = block_names(plan);
    size_t count = plan->edits.count;
    ht_range kernel = plan->model->definition.range;
    for (size_t i = 0; i < count; ++i) {
        const ht_edit *edit = &plan->edits.items[i];
        if (edit->range.begin < kernel.begin || edit->range.end > kernel.end ||
            !names_any(edit->text, names))
            continue;
        char *unless = edit->param ? at_defaults(plan, edit->param) : NULL;
        require_enough(plan, axis, unless);
        free(unless);
    }
    free(names);
}

/* Keeps indices from overflowing. The last blocks of a grid may reach past n, up to the next
 * multiple of the threads that a block serves. For an n near 2^31 that overflows an index of 32
 * bits, unless this number of threads divides 2^31. */
static void require_inside(ht_plan *plan, const ht_grid *grid) {
    int64_t block = plan->model->axes[0].block, value;
    const ht_form *form = &grid->form[0];
    bool wide = false, fixed = form->term_count > 0;
    for (size_t i = 0; i < form->term_count; ++i) {
        wide = wide || form->terms[i].symbol->bits > 32;
        fixed = fixed && ht_symbol_value(form->terms[i].symbol, &value) && value < INT32_MAX / 64;
    }
    if (block < 1 || (block & (block - 1)) == 0 || !ht_plan_cover_param(plan, 0) || wide || fixed)
        return;
    char *per_block = ht_plan_per_block(plan, 0);
    ht_plan_require(plan, "%s <= %lld || is_pow2(%s)", per_block, (long long)block, per_block);
    free(per_block);
}

/* Requires large enough blocks where blocks are divided into pieces: the pieces' numbers are
 * written into the kernel, so that it works with no other block. */
static void require_whole(ht_plan *plan, const ht_grid *grid) {
    const ht_launches *launches = &plan->model->facts->launches;
    for (int axis = 1; axis < 3; ++axis) {
        bool any = false;
        for (size_t i = 0; i < launches->count && ht_plan_axis_changed(plan, axis); ++i) {
            const ht_launch_site *site = &launches->items[i];
            any = any || (ht_launch_divides(plan, grid, site, axis) &&
                          !ht_symbol_is_assumed(site->block.axis[axis]) &&
                          !is_bounded(plan, grid, site, axis, 1));
        }
        if (any)
            require_enough(plan, axis, NULL);
    }
}

void ht_launch_limits(ht_plan *plan, const ht_grid *grid) {
    const ht_launches *launches = &plan->model->facts->launches;
    require_inside(plan, grid);
    require_whole(plan, grid);
    bool any = false, choose = plan->unit.followed_count == 0 && !plan->stack.param, wanted[3];
    for (int axis = 0; axis < 3; ++axis) {
        wanted[axis] = asks(plan, grid, axis, 1);
        any = any || wanted[axis];
    }
    if (!any || plan->stack.param)
        return;
    for (size_t i = 0; i < launches->count; ++i)
        choose = choose && can_choose(plan, &launches->items[i]);
    plan->launches.choose = choose;
    if (choose && can_keep(plan)) {
        char *name = ht_format("%s_plain", plan->model->name);
        plan->launches.old_kernel = ht_plan_name(plan, name);
        free(name);
    }
    for (int axis = 0; axis < 3; ++axis) {
        bool assumed = launches->count && ht_symbol_is_assumed(launches->items[0].block.axis[axis]);
        if (!wanted[axis] || assumed || plan->launches.old_kernel)
            continue;
        if (choose)
            require_tied(plan, axis);
        else
            require_enough(plan, axis, NULL);
    }
    if (!choose)
        return;
    char *params = all_params(plan);
    for (size_t i = 0; i < launches->count; ++i)
        choose_at(plan, grid, &launches->items[i], params);
    size_t end = plan->model->definition.range.end;
    ht_launch_print print = {.part = HT_LAUNCH_OLD_KERNEL,
                             .grid = grid,
                             .site = &launches->items[0],
                             .place = {end, end}};
    if (plan->launches.old_kernel)
        ht_plan_print(plan, print.place, params, "the original kernel", &print, false);
    free(params);
}
