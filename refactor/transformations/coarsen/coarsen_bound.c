#include "refactor/transformations/coarsen/coarsen_bound.h"
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/geometry.h"
#include "refactor/kernel/launch_words.h"
#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/coverage.h"
#include "refactor/transformations/coarsen/coarsen_state.h"

#include <stdlib.h>

/* Returns the only launch's geometry if its blocks along x are items, rounded up. */
static bool read_items(const ht_coarsen *c, ht_grid *out_grid) {
    const ht_launches *launches = &c->model->facts->launches;
    *out_grid = (ht_grid){0};
    if (launches->count != 1 || launches->other_use_line ||
        ht_symbol_is_assumed(launches->items[0].block.axis[0]))
        return false;
    ht_grid_read(c->model, out_grid);
    const ht_form *form = &out_grid->form[0];
    if (form->kind == HT_FORM_CEIL && form->items && form->quotient && !form->quotient->is_float)
        return true;
    ht_grid_free(out_grid);
    *out_grid = (ht_grid){0};
    return false;
}

/* Returns true if the term tests the index that the model's guard tests. */
static bool is_models(const ht_coarsen *c, const ht_guard_term *term) {
    const ht_axis *axis = &c->model->axes[0];
    return axis->guard && axis->guard_bound && term->kind == HT_TERM_INDEX && term->upper &&
           term->op == HT_BINARY_LT &&
           ht_syntax_is_same_text(ht_syntax_strip(axis->guard_bound), ht_syntax_strip(term->bound));
}

bool ht_bound_is_positive(const ht_coarsen *c, const ht_guard *guard) {
    ht_grid grid;
    bool found = false;
    for (size_t i = 0; i < guard->term_count; ++i)
        found = found || is_models(c, &guard->terms[i]);
    if (!found || !read_items(c, &grid))
        return false;
    const char *bound = c->model->axes[0].guard, *items = grid.form[0].items;
    /* of a sum, `n + 255`: (n - 1) / 256 + 1 is a block where n is 0 */
    bool same = grid.form[0].dividend && grid.form[0].addend && ht_grid_is_part(bound, items) &&
                ht_grid_is_part(items, bound);
    ht_grid_free(&grid);
    return same;
}

char *ht_bound_sum_fits(const ht_coarsen *c, const ht_guard_term *term) {
    const ht_syntax *index = c->tree->variables[c->x].declaration;
    ht_grid grid;
    if (index->type == HT_TYPE_INTEGER && index->bits == 64 && !index->is_open)
        return ht_strdup("1");
    if (index->type != HT_TYPE_INTEGER || index->bits != 32 || !index->is_signed ||
        index->is_open || !is_models(c, term) || !read_items(c, &grid))
        return NULL;
    /* a sum of ints rounds up, `n + 255`: it has no meaning where that overflows, so that n leaves
     * as much room as the block has threads */
    const ht_symbol *sum = grid.form[0].dividend;
    bool room = sum && sum->bits == 32 && !sum->is_unsigned && !sum->is_float &&
                grid.form[0].addend && ht_grid_is_part(c->model->axes[0].guard, grid.form[0].items);
    ht_grid_free(&grid);
    return room ? ht_format("%s <= %lld", c->names.factor, (long long)c->model->axes[0].block)
                : NULL;
}
