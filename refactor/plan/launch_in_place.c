#include "refactor/plan/launch_in_place.h"
#include "refactor/plan/launch_ahead.h"
#include "refactor/plan/launch_edit.h"

#include "refactor/kernel/launch_words.h"
#include "refactor/plan/coverage.h"

#include <stdlib.h>
#include <string.h>

/* A declaration with one variable: `dim3 block(16, 16);` or `= dim3(16, 16);`. */
typedef struct declarator {
    size_t begin, name_end;
    ht_range value; /* "(16, 16)" or "dim3(16, 16)" */
    bool bare;      /* the value has no type */
    size_t end;     /* past the `;` */
} declarator;

static bool is_blank_from(const char *text, size_t at) {
    at += strspn(text + at, " \t\r");
    return !text[at] || text[at] == '\n';
}

/* Reads the declaration of a dim3 that serves this kernel's launch alone. Returns false for other
 * forms. */
static bool declarator_read(const ht_plan *plan, const ht_launch_site *site, CXCursor variable,
                            declarator *out) {
    const ht_source *source = plan->model->facts->source;
    const ht_tokens *tokens = ht_source_tokens(source, 0);
    size_t file, function_file;
    ht_range range, function;
    if (!ht_extent_is_record(variable) || ht_variable_writes(variable) > 0 ||
        !ht_source_range(source, variable, &file, &range) || file != 0 ||
        !ht_source_range(source, site->function, &function_file, &function) || function_file != 0 ||
        range.begin < function.begin || range.end > function.end ||
        !ht_launch_owns_variable(plan, variable))
        return false;
    size_t at = ht_tokens_at(tokens, ht_ast_offset(variable)), value = at + 1;
    *out = (declarator){.begin = range.begin, .name_end = tokens->items[at].end};
    out->bare = !ht_tokens_is(tokens, value, "=");
    value += out->bare ? 0 : 1;
    size_t open = out->bare ? value : value + 1;
    if (!out->bare && !ht_tokens_is(tokens, value, "dim3"))
        return false;
    if (open >= tokens->count || !ht_tokens_is(tokens, open, "("))
        return false;
    size_t close = ht_tokens_close(tokens, open);
    if (close + 1 >= tokens->count || !ht_tokens_is(tokens, close + 1, ";"))
        return false;
    out->value = (ht_range){tokens->items[value].begin, tokens->items[close].end};
    out->end = tokens->items[close + 1].end;
    size_t first = ht_tokens_at(tokens, range.begin);
    bool alone = first > 0 && ht_tokens_is_any(tokens, first - 1,
                                               (const char *const[]){";", "{", "}", ")", NULL});
    return alone && ht_model_is_plain(plan->model, range.begin) &&
           is_blank_from(source->text, out->end);
}

/* Returns true if the axis can be written for a block that is named, whatever it is. */
static bool is_axis_fit(const ht_plan *plan, const ht_grid *grid, int axis, ht_range value) {
    const ht_form *form = &grid->form[axis];
    bool sum = form->kind == HT_FORM_CEIL && form->dividend && form->addend;
    bool more = form->kind == HT_FORM_OVER && form->divisor;
    bool pieces = form->kind == HT_FORM_WHOLE && form->divisor && form->divisor->has_place &&
                  !ht_plan_cover_param(plan, axis);
    if (!(sum || more || pieces) || !form->quotient || !form->quotient->has_place ||
        form->quotient->is_float || form->quotient->place.begin < value.begin ||
        form->quotient->place.end > value.end || plan->axes[axis].falls_back)
        return false;
    bool atom;
    char *items = ht_form_items(form, &atom);
    free(items);
    return items != NULL;
}

/* Returns true if every variable of the number of items has, at an earlier place of the function,
 * the value that it has at the grid's declaration. */
static bool is_known_at(const ht_symbol *symbol, size_t at) {
    if (symbol->kind == HT_SYMBOL_UNKNOWN || symbol->kind == HT_SYMBOL_CALL)
        return false;
    if (symbol->kind == HT_SYMBOL_VARIABLE &&
        (!clang_Cursor_isNull(symbol->base) || ht_variable_writes(symbol->declaration) > 0 ||
         ht_ast_offset(symbol->declaration) >= at))
        return false;
    for (int i = 0; i < 3; ++i)
        if (symbol->arguments[i] && !is_known_at(symbol->arguments[i], at))
            return false;
    return true;
}

static bool are_items_known(const ht_plan *plan, const ht_grid *grid, size_t at) {
    bool known = true;
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; ht_plan_axis_changed(plan, axis) && i < grid->form[axis].term_count; ++i)
            known = known && is_known_at(grid->form[axis].terms[i].symbol, at);
    return known;
}

/* Returns true if nothing stands between two places of the source. */
static bool is_next(const ht_plan *plan, size_t end, size_t begin) {
    const ht_tokens *tokens = ht_source_tokens(plan->model->facts->source, 0);
    size_t at = ht_tokens_at(tokens, end);
    return at < tokens->count && tokens->items[at].begin == begin;
}

/* Returns true if the launch's block is constant. */
static bool is_constant(const ht_launch_site *site) {
    bool good = true;
    for (int axis = 0; axis < 3; ++axis) {
        const ht_symbol *symbol = site->block.axis[axis];
        good = good && (!symbol || symbol->kind == HT_SYMBOL_CONSTANT);
    }
    return good;
}

/* Returns true if the launch writes its block, which is constant. */
static bool is_constant_block(const ht_plan *plan, const ht_launch_site *site) {
    const char *text = plan->model->facts->source->text + site->block.argument.begin;
    return site->block.has_argument && clang_Cursor_isNull(site->block.variable) &&
           !site->block.is_call && strncmp(text, "dim3(", 5) == 0 && is_constant(site);
}

/* Returns the lines of a declaration, which has them for itself; empty: it does not. */
static ht_range lines_of(const ht_plan *plan, const declarator *of) {
    const char *text = plan->model->facts->source->text;
    ht_range lines = {ht_blank_begin(text, of->begin), of->end};
    bool first = lines.begin > 0 && text[lines.begin - 1] == '\n';
    lines.end += strcspn(text + lines.end, "\n");
    return first && text[lines.end] ? (ht_range){lines.begin, lines.end + 1} : (ht_range){0, 0};
}

/* Returns true if the block is declared right after the grid, and can be declared right ahead of
 * it. *out_line is where the grid's line begins. */
static bool is_exchangeable(const ht_plan *plan, const ht_launch_site *site, const declarator *grid,
                            const declarator *block, size_t *out_line) {
    ht_range lines = lines_of(plan, grid);
    *out_line = lines.begin;
    return lines.end > 0 && lines_of(plan, block).end > 0 && is_constant(site) &&
           is_next(plan, grid->end, block->begin) && lines.end == lines_of(plan, block).begin;
}

/* Returns where the line of the grid's declaration begins, if one may be put ahead of it. */
static bool line_ahead(const ht_plan *plan, const ht_launch_site *site, const declarator *grid,
                       size_t *out_line) {
    const char *text = plan->model->facts->source->text;
    size_t line;
    *out_line = ht_blank_begin(text, grid->begin);
    /* nothing jumps in the function */
    return *out_line > 0 && text[*out_line - 1] == '\n' && ht_launch_ahead_place(plan, site, &line);
}

bool ht_launch_in_place_edit(ht_plan *plan, const ht_grid *grid, const ht_launch_site *site,
                             const char *params, const char *name, bool *out_named) {
    declarator rows, block = {0};
    size_t line = 0;
    bool good = plan->model->facts->launches.count == 1 && site->file == 0 && !site->in_macro &&
                !plan->launches.lds_times && !site->grid.is_call &&
                declarator_read(plan, site, site->grid.variable, &rows);
    for (int axis = 0; axis < 3 && good; ++axis)
        good = !ht_symbol_is_assumed(site->block.axis[axis]) &&
               (!ht_plan_axis_changed(plan, axis) || is_axis_fit(plan, grid, axis, rows.value));
    bool declared = good && declarator_read(plan, site, site->block.variable, &block);
    bool later = declared && is_exchangeable(plan, site, &rows, &block, &line);
    if (declared)
        good = later || (block.end <= rows.begin && (is_next(plan, block.end, rows.begin) ||
                                                     are_items_known(plan, grid, block.name_end)));
    else
        good = good && is_constant_block(plan, site) && line_ahead(plan, site, &rows, &line);
    if (!good)
        return false;
    ht_launch_print print = {.grid = grid, .site = site};
    print.block = declared ? NULL : name; /* NULL: the author's */
    if (declared && !later) {
        print.part = HT_LAUNCH_BLOCK_DECLARED;
        print.place = (ht_range){block.name_end, block.end};
        print.value = block.value;
        print.bare = block.bare;
    } else {
        print.part = HT_LAUNCH_BLOCK_AHEAD;
        print.place = (ht_range){line, line};
        print.value = later ? block.value : site->block.argument;
        print.bare = later && block.bare;
        print.qualifier = later ? (ht_range){block.begin, block.name_end} : (ht_range){0, 0};
    }
    ht_plan_print(plan, print.place, params, "block in place", &print, true);
    if (later) {
        print.part = HT_LAUNCH_BLOCK_GONE;
        print.place = lines_of(plan, &block);
        ht_plan_print(plan, print.place, params, "block exchanged", &print, true);
    }
    *out_named = !declared;
    for (int axis = 0; axis < 3; ++axis)
        if (ht_plan_axis_changed(plan, axis)) {
            print.part = HT_LAUNCH_GRID_BY_BLOCK;
            print.axis = axis;
            print.place = grid->form[axis].quotient->place;
            ht_plan_print(plan, print.place, params, "grid by block", &print, true);
        }
    return true;
}
