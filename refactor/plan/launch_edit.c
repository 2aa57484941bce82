/* Rewrites the launches of a kernel: literal by literal where the code that computes block and grid
 * serves this kernel alone, else at the launch itself. */
#include "refactor/plan/launch_edit.h"
#include "refactor/plan/launch_stack.h"
#include "refactor/plan/launch_tiles.h"
#include "refactor/plan/plan.h"

#include "base/memory.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/launch/symbol.h"
#include "refactor/plan/coverage.h"
#include "refactor/plan/launch_text.h"
#include "refactor/source/names.h"
#include "refactor/source/printed.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8 };

typedef struct editing {
    ht_plan *plan;
    const ht_grid *grid;
    const ht_launches *launches;
    const ht_source *source;
    const ht_launch_site *site;
    CXCursor *followed; /* variables whose initialiser was edited: their uses have the new value
                           without an edit */
    size_t followed_count;
    size_t first_edit;   /* index of the launches' first edit */
    CXCursor *rewritten; /* grids whose initialiser was rewritten */
    size_t rewritten_count;
    bool follow; /* a grid would change twice, or with a constant with which it must not change */
    bool formed[3]; /* the axis of the site's grid is edited by its form */
} editing;

/* ---- code that serves this kernel alone ---- */

static bool in_launch(const editing *in, ht_range place) {
    for (size_t i = 0; i < in->launches->count; ++i) {
        const ht_launch_site *site = &in->launches->items[i];
        if ((site->grid.has_argument && ht_range_within(place, site->grid.argument)) ||
            (site->block.has_argument && ht_range_within(place, site->block.argument)))
            return true;
    }
    return false;
}

static bool exclusive(const editing *in, CXCursor variable, int depth);

typedef struct owner_search {
    const editing *in;
    CXCursor variable;
    ht_range place;
    bool owned;
    bool all;
    int depth;
} owner_search;

/* Notes whether the place is in the initialiser of a variable that serves this kernel alone. */
static bool on_owner(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    owner_search *search = context;
    if (search->owned || clang_getCursorKind(cursor) != CXCursor_VarDecl ||
        clang_equalCursors(cursor, search->variable))
        return true;
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(cursor);
    ht_range range;
    if (!clang_Cursor_isNull(initializer) &&
        ht_source_anywhere(search->in->source, initializer, &range) &&
        ht_range_within(search->place, range) && exclusive(search->in, cursor, search->depth + 1))
        search->owned = true;
    return true;
}

static CXCursor scope_of(CXCursor variable) {
    CXCursor scope = clang_getCursorSemanticParent(variable);
    return clang_getCursorKind(scope) == CXCursor_Namespace
               ? clang_getTranslationUnitCursor(clang_Cursor_getTranslationUnit(variable))
               : scope;
}

static bool owned(const editing *in, CXCursor scope, CXCursor variable, ht_range place, int depth) {
    if (in_launch(in, place))
        return true;
    owner_search search = {in, variable, place, false, false, depth};
    ht_ast_walk(scope, on_owner, &search);
    return search.owned;
}

static bool on_use(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    owner_search *search = context;
    if (clang_getCursorKind(cursor) != CXCursor_DeclRefExpr ||
        !clang_equalCursors(clang_getCursorReferenced(cursor), search->variable))
        return true;
    ht_range place;
    search->all =
        search->all && ht_source_anywhere(search->in->source, cursor, &place) &&
        (ht_source_is_printed(search->in->source, place.begin) || /* what is launched */
         owned(search->in, scope_of(search->variable), search->variable, place, search->depth));
    return true;
}

/* Returns true if every use of the variable serves the block and grid of this kernel's launches, or
 * prints them. */
static bool exclusive(const editing *in, CXCursor variable, int depth) {
    if (depth > DEPTH_MAX)
        return false;
    CXCursor scope = scope_of(variable);
    if (clang_getCursorKind(scope) == CXCursor_TranslationUnit) /* other files may use it */
        return false;
    owner_search search = {in, variable, {0, 0}, false, true, depth};
    ht_ast_walk(scope, on_use, &search);
    return search.all;
}

/* Returns true if this text may be replaced. */
static bool editable(const editing *in, const ht_symbol *symbol) {
    if (!symbol || !symbol->has_place)
        return false;
    if (in_launch(in, symbol->place))
        return true;
    CXCursor scope = in->site->function;
    return !in->plan->request.stay && !clang_Cursor_isNull(scope) &&
           owned(in, scope, clang_getNullCursor(), symbol->place, 0);
}

/* ---- block ---- */

static void follow(editing *in, CXCursor variable) {
    HT_GROW(in->followed, in->followed_count);
    in->followed[in->followed_count++] = variable;
}

static bool follows(const editing *in, const ht_symbol *symbol) {
    for (size_t i = 0; symbol->name && i < in->plan->unit.followed_count; ++i)
        if (strcmp(in->plan->unit.followed[i], symbol->name) == 0)
            return true;
    for (size_t i = 0; i < in->followed_count; ++i)
        if (clang_equalCursors(in->followed[i], symbol->declaration))
            return true;
    return false;
}

/* Returns the literal in the initialiser of a variable that serves this kernel alone; NULL: there
 * is none. */
static ht_symbol *initial_literal(const editing *in, CXCursor variable) {
    if (clang_Cursor_isNull(variable) || clang_getCursorKind(variable) != CXCursor_VarDecl ||
        ht_variable_writes(variable) > 0 || !exclusive(in, variable, 0))
        return NULL;
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(variable);
    if (clang_Cursor_isNull(initializer))
        return NULL;
    ht_symbol *symbol = ht_symbol_read(in->source, initializer);
    if (symbol->kind == HT_SYMBOL_CONSTANT && symbol->has_place &&
        symbol->origin == HT_ORIGIN_LITERAL)
        return symbol;
    ht_symbol_free(symbol);
    return NULL;
}

static bool is_plain_name(const ht_symbol *symbol) {
    return symbol->name && !strchr(symbol->name, '.') &&
           (symbol->kind == HT_SYMBOL_VARIABLE || symbol->origin == HT_ORIGIN_VARIABLE);
}

static ht_launch_print print_of(const editing *in, ht_launch_part part, int axis, ht_range place) {
    return (ht_launch_print){.part = part,
                             .grid = in->grid,
                             .site = in->site,
                             .axis = axis,
                             .place = place,
                             .assumed = ht_symbol_is_assumed(in->site->block.axis[axis])};
}

static bool leaf_edit(editing *in, ht_range place, int axis) {
    ht_launch_print print = print_of(in, HT_LAUNCH_LEAF, axis, place);
    char *key = ht_format("${%s}", in->plan->axes[axis].block);
    bool done = ht_plan_print(in->plan, place, NULL, key, &print, false);
    free(key);
    return done;
}

/* Edits the leaf that gives one axis of a block. Returns false if it must not be replaced. */
static bool edit_block_axis(editing *in, const ht_symbol *symbol, int axis) {
    if (!symbol)
        return false;
    if (follows(in, symbol))
        return true;
    if (is_plain_name(symbol) && !in->plan->request.stay) {
        ht_symbol *literal = initial_literal(in, symbol->declaration);
        /* one variable for two axes can take one value only */
        bool shared = false;
        for (int other = 0; other < 3; ++other) {
            const ht_symbol *of = in->site->block.axis[other];
            shared = shared || (other != axis && of && is_plain_name(of) &&
                                clang_equalCursors(of->declaration, symbol->declaration));
        }
        if (literal && !shared) {
            bool done = leaf_edit(in, literal->place, axis);
            ht_symbol_free(literal);
            if (done)
                follow(in, symbol->declaration);
            return done;
        }
        ht_symbol_free(literal);
    }
    return editable(in, symbol) && leaf_edit(in, symbol->place, axis);
}

/* Returns true if the axis has another block; rows along y are the launch's choice. */
static bool is_resized(const ht_plan *plan, int axis) {
    return plan->axes[axis].changed && !(axis == 1 && plan->launches.block_rows);
}

static bool block_changed(const ht_plan *plan) {
    return is_resized(plan, 0) || is_resized(plan, 1) || is_resized(plan, 2);
}

/* Returns true if the number of threads along an axis must stay as it was and the kernel still
 * works with the old block (the threads are chosen at run time, or their places are computed). The
 * new block is then launched where it divides that number, else the old one. */
static bool divides_or_not(const editing *in, int axis) {
    return ht_launch_divides(in->plan, in->grid, in->site, axis);
}

static bool any_divides_or_not(const editing *in) {
    bool any = false;
    for (int axis = 0; axis < 3; ++axis)
        any = any || (ht_plan_axis_changed(in->plan, axis) && divides_or_not(in, axis));
    return any;
}

/* Returns the parameters of all axes, separated by commas; free(). An edit that names them is left
 * out if they all have their defaults. */
static char *block_params(const editing *in) {
    ht_text text = {0};
    for (int axis = 0; axis < 3; ++axis) {
        char *names =
            ht_plan_axis_changed(in->plan, axis) ? ht_plan_axis_params(in->plan, axis) : NULL;
        if (names && names[0])
            ht_text_printf(&text, "%s%s", text.length ? "," : "", names);
        free(names);
    }
    return ht_text_take(&text);
}

/* Returns the new extent, or the choice between it and the old one; free(). NULL: it cannot be
 * written. */
static char *block_axis(const editing *in, int axis) {
    const char *block = in->plan->axes[axis].block;
    if (!in->plan->axes[axis].changed || !divides_or_not(in, axis))
        return ht_format("${%s}", block);
    char *test = ht_launch_division(in->plan, in->site, axis),
         *old = ht_launch_axis_text(in->plan->model, &in->site->block, axis);
    char *text = test && old ? ht_format("%s ? ${%s} : %s", test, block, old) : NULL;
    free(test);
    free(old);
    return text;
}

static bool whole_block(editing *in) {
    const ht_plan *plan = in->plan;
    const ht_extent3 *block = &in->site->block;
    if (!block->has_argument)
        return false;
    int last = plan->launches.block_rows ? 0 : 2;
    while (last > 0 && strcmp(plan->axes[last].block, "1") == 0)
        --last;
    char *axes[3] = {NULL};
    bool good = true;
    for (int axis = 0; axis <= last; ++axis) {
        axes[axis] = block_axis(in, axis);
        good = good && axes[axis];
    }
    char *text = good ? ht_dim3_text(axes, last) : NULL;
    ht_launch_print print = print_of(in, HT_LAUNCH_BLOCK, 0, block->argument);
    char *params = block_params(in);
    bool done = good && (any_divides_or_not(in)
                             ? ht_plan_edit(in->plan, block->argument, params, text)
                             : ht_plan_print(in->plan, block->argument, NULL, text, &print, false));
    for (int axis = 0; axis < 3; ++axis)
        free(axes[axis]);
    free(params);
    free(text);
    return done;
}

static bool edit_block(editing *in) {
    ht_plan *plan = in->plan;
    const ht_extent3 *block = &in->site->block;
    if (!block_changed(plan))
        return true;
    bool leaves = (clang_Cursor_isNull(block->variable) || exclusive(in, block->variable, 0)) &&
                  !any_divides_or_not(in);
    for (int axis = 0; axis < 3; ++axis)
        if (is_resized(plan, axis))
            leaves = leaves && block->axis[axis] &&
                     (is_plain_name(block->axis[axis]) || follows(in, block->axis[axis]) ||
                      editable(in, block->axis[axis]));
    size_t before = plan->edits.count, followed = in->followed_count;
    for (int axis = 0; leaves && axis < 3; ++axis)
        if (is_resized(plan, axis))
            leaves = edit_block_axis(in, block->axis[axis], axis);
    if (leaves) {
        if (!clang_Cursor_isNull(block->variable))
            follow(in, block->variable);
        return true;
    }
    plan->running.failed = false;
    in->followed_count = followed;
    ht_plan_edits_drop(plan, before);
    return whole_block(in);
}

/* ---- grid ---- */

typedef struct follow_search {
    const editing *in;
    int depth;
    bool found;
} follow_search;

static bool hangs_on_followed(const editing *in, CXCursor variable, int depth);

static bool on_followed(CXCursor cursor, CXCursor parent, void *context) {
    (void)parent;
    follow_search *search = context;
    if (search->found || clang_getCursorKind(cursor) != CXCursor_DeclRefExpr)
        return !search->found;
    CXCursor named = clang_getCursorReferenced(cursor);
    for (size_t i = 0; i < search->in->followed_count; ++i)
        search->found = search->found || clang_equalCursors(named, search->in->followed[i]);
    search->found = search->found || hangs_on_followed(search->in, named, search->depth + 1);
    return true;
}

/* Returns true if the variable's initialiser, understood or not, names one whose initialiser was
 * edited, or a constant with another definition. */
static bool hangs_on_followed(const editing *in, CXCursor variable, int depth) {
    if (clang_Cursor_isNull(variable) || clang_getCursorKind(variable) != CXCursor_VarDecl)
        return false;
    CXCursor value = clang_Cursor_getVarDeclInitializer(variable);
    if (clang_Cursor_isNull(value))
        return false;
    if (depth > DEPTH_MAX)
        return true;
    follow_search search = {in, depth, false};
    on_followed(value, value, &search);
    ht_ast_walk(value, on_followed, &search);
    ht_range range;
    bool placed = ht_source_anywhere(in->source, value, &range);
    for (size_t i = 0; i < in->plan->unit.followed_count && placed; ++i)
        search.found =
            search.found || ht_name_stands(in->source->text + range.begin, range.end - range.begin,
                                           in->plan->unit.followed[i]);
    return search.found;
}

/* Returns true if a part of the expression other than its divisor and addend changes with an edited
 * definition. */
static bool follows_inside(const editing *in, const ht_symbol *symbol, const ht_form *form) {
    if (!symbol ||
        (form && (symbol == form->divisor || symbol == form->again || symbol == form->addend ||
                  symbol == form->blocks[0] || symbol == form->blocks[1])))
        return false;
    if (follows(in, symbol))
        return true;
    if (!symbol->value_of && hangs_on_followed(in, symbol->declaration, 0))
        return true; /* a value that is not understood */
    for (int i = 0; i < 3; ++i)
        if (follows_inside(in, symbol->arguments[i], form))
            return true;
    return follows_inside(in, symbol->value_of, form);
}

/* Returns true if the launch's block is a variable that has the new extents at a place, for which
 * its declaration is edited, or which it has anyway. */
static bool is_block_declared(const editing *in, ht_range place) {
    const ht_extent3 *block = &in->site->block;
    size_t file, function_file;
    ht_range own, function;
    bool known = ht_extent_is_record(block->variable) && ht_variable_writes(block->variable) == 0 &&
                 ht_source_range(in->source, block->variable, &file, &own) && file == 0 &&
                 ht_source_range(in->source, in->site->function, &function_file, &function) &&
                 function_file == 0;
    bool edited = !block_changed(in->plan);
    for (size_t i = 0; i < in->followed_count; ++i)
        edited = edited || clang_equalCursors(in->followed[i], block->variable);
    return known && edited && function.begin <= own.begin && own.end <= place.begin &&
           place.end <= function.end && !in->plan->launches.block_rows;
}

static bool print_items(editing *in, int axis, const char *per_block, const ht_symbol *block) {
    ht_launch_print print =
        print_of(in, HT_LAUNCH_ITEMS, axis, in->grid->form[axis].quotient->place);
    print.divisor_follows = follows(in, block);
    print.by_block = is_block_declared(in, print.place);
    char *key = ht_format("${%s}", per_block);
    bool done = ht_plan_print(in->plan, print.place, NULL, key, &print, false);
    free(key);
    return done;
}

/* Edits an axis that divides by the outputs of a thread and the block at once. */
static bool edit_joined(editing *in, int axis, const char *per_block) {
    const ht_form *form = &in->grid->form[axis];
    bool good = form->editable && in->site == in->launches->items && !divides_or_not(in, axis) &&
                editable(in, form->quotient) &&
                !follows_inside(in, in->site->grid.axis[axis], form);
    for (size_t i = 0; i < form->block_count && good; ++i)
        good = follows(in, form->blocks[i]) == follows(in, form->blocks[0]) &&
               (follows(in, form->blocks[0]) || editable(in, form->blocks[i]));
    in->formed[axis] = good && print_items(in, axis, per_block, form->blocks[0]);
    return in->formed[axis];
}

static bool edit_form(editing *in, int axis, const char *per_block) {
    const ht_form *form = &in->grid->form[axis];
    if (form->joined)
        return edit_joined(in, axis, per_block);
    if (form->kind == HT_FORM_GENERIC || form->kind == HT_FORM_WHOLE || !form->editable ||
        in->site != in->launches->items || divides_or_not(in, axis) ||
        !editable(in, form->quotient) || !editable(in, form->divisor) ||
        (form->again && !editable(in, form->again)) ||
        (form->addend && !editable(in, form->addend)) ||
        follows_inside(in, in->site->grid.axis[axis], form))
        return false;
    char *items = ht_form_items(form, &(bool){false});
    bool done = items && print_items(in, axis, per_block, form->divisor);
    free(items);
    return done;
}

/* Edits one axis of the grid as a whole. The edit is left out if the axis's parameters have their
 * defaults. */
static bool wrap_axis(editing *in, int axis) {
    const ht_symbol *symbol = in->site->grid.axis[axis];
    if (!symbol || !editable(in, symbol))
        return false;
    ht_launch_print print = print_of(in, HT_LAUNCH_AXIS, axis, symbol->place);
    char *params = ht_plan_axis_params(in->plan, axis), *key = ht_format("axis %d", axis);
    bool done = ht_plan_print(in->plan, symbol->place, params, key, &print, false);
    free(key);
    free(params);
    return done;
}

/* Edits the grid at the launch, where it is a variable or the result of a function that does
 * nothing else. */
static bool whole_grid(editing *in) {
    const ht_extent3 *grid = &in->site->grid;
    if (!grid->has_argument || (!ht_extent_is_record(grid->variable) && !grid->is_call))
        return false;
    ht_launch_print print = print_of(in, HT_LAUNCH_GRID, 0, grid->argument);
    char *params = any_divides_or_not(in) ? block_params(in) : NULL;
    bool done = ht_plan_print(in->plan, grid->argument, params, "grid", &print, false);
    free(params);
    return done;
}

/* Returns true if a constant whose definition is edited changes an extent. That is right if the
 * extent is rewritten leaf by leaf, and wrong elsewhere. */
static bool grid_follows(const editing *in, bool leaves) {
    for (int axis = 0; axis < 3; ++axis) {
        const ht_form *form = &in->grid->form[axis];
        bool changed = ht_plan_axis_changed(in->plan, axis);
        if (form->block_count && !(leaves && in->formed[axis])) /* the sum could overflow */
            return true;
        if ((!leaves || !changed || form->kind == HT_FORM_GENERIC || form->kind == HT_FORM_WHOLE ||
             in->site != in->launches->items || (form->joined && !in->formed[axis])) &&
            follows_inside(in, in->site->grid.axis[axis], NULL))
            return true;
    }
    return false;
}

/* Returns true if the grid of an earlier launch edited something from which this one is
 * computed. */
static bool touched(const editing *in, const ht_symbol *symbol) {
    if (!symbol || follows(in, symbol))
        return false;
    for (size_t i = in->first_edit; symbol->has_place && i < in->plan->edits.count; ++i)
        if (ht_range_within(in->plan->edits.items[i].range, symbol->place))
            return true;
    for (int i = 0; i < 3; ++i)
        if (touched(in, symbol->arguments[i]))
            return true;
    return touched(in, symbol->value_of);
}

static bool is_rewritten(const editing *in, CXCursor grid) {
    for (size_t i = 0; i < in->rewritten_count; ++i)
        if (clang_equalCursors(in->rewritten[i], grid))
            return true;
    return false;
}

static bool edit_grid(editing *in) {
    ht_plan *plan = in->plan;
    const ht_extent3 *grid = &in->site->grid;
    bool named = ht_extent_is_record(grid->variable);
    if (named && is_rewritten(in, grid->variable))
        return true;
    for (int axis = 0; axis < 3; ++axis)
        in->follow = in->follow || touched(in, grid->axis[axis]);
    bool done = !named || (!plan->request.stay && exclusive(in, grid->variable, 0) &&
                           !any_divides_or_not(in));
    size_t before = plan->edits.count;
    memset(in->formed, 0, sizeof in->formed);
    for (int axis = 0; done && axis < 3; ++axis) {
        if (!ht_plan_axis_changed(plan, axis))
            continue;
        char *per_block = ht_plan_per_block(plan, axis);
        /* the block may be declared after the grid */
        bool at_launch = named && (plan->axes[axis].falls_back ||
                                   ht_symbol_is_assumed(in->site->block.axis[axis]));
        done = edit_form(in, axis, per_block) || (!at_launch && wrap_axis(in, axis));
        free(per_block);
    }
    in->follow = in->follow || grid_follows(in, done);
    if (done && named) {
        HT_GROW(in->rewritten, in->rewritten_count);
        in->rewritten[in->rewritten_count++] = grid->variable;
    }
    if (done)
        return !in->follow;
    plan->running.failed = false;
    ht_plan_edits_drop(plan, before);
    return whole_grid(in) && !in->follow;
}

void ht_plan_follow(ht_plan *plan, const char *name) {
    HT_GROW(plan->unit.followed, plan->unit.followed_count);
    plan->unit.followed[plan->unit.followed_count++] = ht_strdup(name);
}

bool ht_launch_owns(const ht_plan *plan, ht_range place) {
    const ht_launches *launches = &plan->model->facts->launches;
    editing in = {.plan = (ht_plan *)(size_t)plan,
                  .launches = launches,
                  .source = plan->model->facts->source};
    ht_symbol symbol = {.has_place = true, .place = place};
    for (size_t i = 0; i < launches->count; ++i) {
        in.site = &launches->items[i];
        if (editable(&in, &symbol))
            return true;
    }
    return false;
}

bool ht_launch_owns_variable(const ht_plan *plan, CXCursor variable) {
    editing in = {.plan = (ht_plan *)(size_t)plan,
                  .launches = &plan->model->facts->launches,
                  .source = plan->model->facts->source};
    return exclusive(&in, variable, 0);
}

/* Leaves a launch as it is, in another file or where that is asked for: the template does not need
 * it, but there can be no tuned source. */
static void leave(editing *in, size_t before) {
    ht_plan *plan = in->plan;
    plan->running.failed = false;
    ht_plan_edits_drop(plan, before);
    free(plan->launches.unapplied);
    plan->launches.unapplied =
        ht_format("its launch at %s:%d cannot be rewritten",
                  plan->model->facts->source->files[in->site->file].path, in->site->line);
}

char *ht_launches_edit(ht_plan *plan, const ht_grid *grid, bool *out_follow) {
    editing in = {.plan = plan,
                  .grid = grid,
                  .launches = &plan->model->facts->launches,
                  .source = plan->model->facts->source,
                  .first_edit = plan->edits.count};
    char *problem = NULL;
    bool changed = plan->launches.tiles.param != NULL;
    for (int axis = 0; axis < 3; ++axis)
        changed = changed || ht_plan_axis_changed(plan, axis) || plan->axes[axis].changed;
    for (size_t i = 0; changed && i < in.launches->count && !problem; ++i) {
        in.site = &in.launches->items[i];
        size_t before = plan->edits.count;
        bool done = plan->stack.param ? ht_launch_edit_stacked(plan, in.site)
                                      : edit_block(&in) && edit_grid(&in);
        if (done && ht_launch_edit_row_blocks(plan, in.site) &&
            ht_launch_edit_block_rows(plan, in.site) && ht_launch_edit_tiles(plan) &&
            ht_launch_edit_lds(plan, in.site))
            continue;
        if (in.site->file == 0 && !plan->request.leaves)
            problem = ht_format("the launch at line %d cannot be rewritten", in.site->line);
        else
            leave(&in, before);
    }
    free(in.followed);
    free(in.rewritten);
    *out_follow = in.follow;
    return problem;
}
