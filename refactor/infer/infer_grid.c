#include "refactor/infer/infer_grid.h"
#include "refactor/infer/infer_size.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/geometry.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Makes a field for the blocks along an axis. Returns its name in expressions; free(). */
static char *field_make(ht_infer *in, int axis) {
    char *name = ht_format("blocks_%c", 'x' + axis);
    for (size_t i = 0; i < in->field_count; ++i)
        if (strcmp(in->fields[i].name, name) == 0) { /* one of the host's: another name */
            char *longer = ht_format("%s_of_grid", name);
            free(name);
            name = longer;
        }
    HT_GROW(in->fields, in->field_count);
    in->fields[in->field_count++] =
        (ht_infer_field){.name = name, .declaration = clang_getNullCursor(), .in_grid = true};
    return ht_format("problem.%s", name);
}

/* Returns true if blocks along the axis differ in anything. */
static bool uses_blocks(const ht_model *model, int axis) {
    const ht_axis *of = &model->axes[axis];
    return of->uses_block || of->uses_global || of->uses_grid_dim;
}

/* Lets the sizes that may bound the grid's indices grow with it. */
static void sizes_grow(ht_infer *in) {
    for (size_t i = 0; i < in->field_count; ++i)
        in->fields[i].in_grid = in->fields[i].in_grid || !ht_sizes_has_small_name(&in->fields[i]);
}

static bool extents_set(ht_infer *in, const ht_grid *grid, int axis) {
    char *text = grid->original[axis]           ? ht_strdup(grid->original[axis])
                 : uses_blocks(in->model, axis) ? field_make(in, axis)
                                                : ht_strdup("1");
    bool good =
        ht_expr_parse(text, (ht_place){0}, &in->entry->grid[axis], NULL) == HT_OK &&
        ht_expr_parse(grid->block[axis], (ht_place){0}, &in->entry->block[axis], NULL) == HT_OK;
    free(text);
    return good;
}

void ht_infer_grid_own(ht_infer *in) {
    ht_grid grid;
    ht_grid_read(in->model, &grid);
    in->own_grid =
        in->model->facts->launches.count && grid.block[0] && grid.block[1] && grid.block[2];
    sizes_grow(in);
    for (int axis = 0; axis < 3 && in->own_grid; ++axis)
        if (!extents_set(in, &grid, axis))
            break; /* the launch stays unknown */
    ht_grid_free(&grid);
}

void ht_infer_grid_free(ht_infer *in) {
    for (int axis = 0; in->own_grid && axis < 3; ++axis) {
        ht_expr_free(in->entry->block[axis]);
        ht_expr_free(in->entry->grid[axis]);
    }
}
