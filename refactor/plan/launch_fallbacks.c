#include "refactor/plan/launch_fallbacks.h"
#include "refactor/plan/launch_ahead.h"
#include "refactor/plan/launch_in_place.h"
#include "refactor/plan/launch_limits.h"
#include "refactor/plan/plan.h"

#include "base/memory.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/launch/extent.h"
#include "refactor/plan/coverage.h"
#include "refactor/source/names.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_BLOCK = 4 /* no smaller one is offered, other than the original's */ };

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

/* Returns a name for what is declared for a launch: "blur_grid". The plan owns it. */
static const char *named_after(ht_plan *plan, const char *what) {
    char *name = ht_name_joined(plan->model->name, what);
    const char *given = ht_plan_name(plan, name);
    free(name);
    return given;
}

/* Returns true if the function around a launch has no other, of any kernel. */
static bool is_only_launch(const ht_plan *plan, const ht_launch_site *site) {
    static const char *const words[] = {"<<<", "hipLaunchKernelGGL", NULL};
    const ht_source *source = plan->model->facts->source;
    size_t file;
    ht_range function;
    return ht_source_range(source, site->function, &file, &function) &&
           ht_tokens_count(ht_source_tokens(source, file), function, words) == 1;
}

static void choose_at(ht_plan *plan, const ht_grid *grid, const ht_launch_site *site,
                      const char *params) {
    ht_launch_print print = {.grid = grid, .site = site};
    const char *block = named_after(plan, "block"); /* other kernels are launched there, too */
    print.block = is_only_launch(plan, site) ? ht_plan_name(plan, "block") : block;
    print.in_place = ht_launch_in_place_edit(plan, grid, site, params, print.block, &print.named);
    print.block = print.in_place ? print.block : block;
    for (int axis = 0; axis < 3; ++axis)
        print.assumed = print.assumed || ht_symbol_is_assumed(site->block.axis[axis]);
    size_t line;
    if (ht_launch_ahead_place(plan, site, &line)) {
        print.fits = named_after(plan, "fits");
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
        print.place.begin = ht_qualifier_begin(plan->model->text, name);
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

/* Requires large enough blocks in configurations whose edits write the block into the kernel, which
 * otherwise works with any block. */
static void require_tied(ht_plan *plan, int axis) {
    char *names = ht_launch_block_names(plan);
    size_t count = plan->edits.count;
    ht_range kernel = plan->model->definition.range;
    for (size_t i = 0; i < count; ++i) {
        const ht_edit *edit = &plan->edits.items[i];
        if (edit->range.begin < kernel.begin || edit->range.end > kernel.end ||
            !names_any(edit->text, names))
            continue;
        char *unless = edit->param ? ht_plan_at_defaults(plan, edit->param) : ht_strdup("");
        require_enough(plan, axis, *unless ? unless : NULL);
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
                          !ht_launch_is_bounded(plan, grid, site, axis, 1));
        }
        if (any)
            require_enough(plan, axis, NULL);
    }
}

void ht_launch_fallbacks(ht_plan *plan, const ht_grid *grid) {
    const ht_launches *launches = &plan->model->facts->launches;
    require_inside(plan, grid);
    require_whole(plan, grid);
    bool any = false, choose = plan->unit.followed_count == 0 && !plan->stack.param, wanted[3];
    for (int axis = 0; axis < 3; ++axis) {
        bool again = plan->axes[axis].each != NULL; /* the original's launch changes, too */
        wanted[axis] = ht_launch_asks_of(plan, grid, axis, again ? LEAST_BLOCK : 1);
        choose = choose && !(again && wanted[axis]);
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
