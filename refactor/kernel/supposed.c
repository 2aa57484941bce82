#include "refactor/kernel/supposed.h"
#include "refactor/kernel/expression.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel/grid_stride.h"

#include "base/memory.h"

#include <stdlib.h>

static bool shares(const ht_model *model) {
    static const ht_feature features[] = {HT_FEATURE_SHARED,      HT_FEATURE_DYNAMIC_LDS,
                                          HT_FEATURE_BARRIER,     HT_FEATURE_WAVEFRONT,
                                          HT_FEATURE_COOPERATIVE, HT_FEATURE_ASM,
                                          HT_FEATURE_INDEX_ESCAPE};
    for (size_t i = 0; i < sizeof features / sizeof *features; ++i)
        if (model->feature[features[i]])
            return true;
    return false;
}

/* Returns true if threads differ along the axis by their global index alone, if by anything. */
static bool by_index_alone(const ht_axis *of) {
    return !of->uses_thread && !of->uses_block && !of->uses_block_dim && !of->fixed_pitch;
}

/* Returns the number of axes with a guarded global index; 0: threads differ by something else,
 * too. */
static int guarded_axes(const ht_model *model) {
    int count = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const ht_axis *of = &model->axes[axis];
        if (!by_index_alone(of) || of->uses_grid_dim ||
            (of->uses_global && (!of->guard || axis != count)))
            return 0;
        count += of->uses_global;
    }
    return count;
}

/* Returns the bound of a loop over the whole grid along x that is all the kernel does; NULL: there
 * is none. free(). */
static char *strided_bound(const ht_model *model) {
    bool alone = by_index_alone(&model->axes[0]) && !model->facts->uses[0].raw_grid_dim;
    for (int axis = 1; axis < 3; ++axis) {
        const ht_axis *of = &model->axes[axis];
        alone = alone && by_index_alone(of) && !of->uses_grid_dim && !of->uses_global;
    }
    const ht_syntax *bound = alone ? ht_grid_stride_bound(model, 0) : NULL;
    return bound ? ht_syntax_expression(bound) : NULL;
}

/* Returns true if blocks that are counted over two axes of the grid are so wherever an index is
 * computed: in a grid of one row, as it is chosen, they are those of any grid. */
static bool counts_blocks_alike(const ht_model *model, int axes) {
    const ht_kernel_facts *facts = model->facts;
    return !facts->flat_uses ||
           (axes == 1 && facts->flat_uses == facts->uses[0].global && !facts->uses[0].total);
}

static bool parse(ht_expr **out, char *text) {
    bool good = ht_expr_parse(text, (ht_place){0}, out, NULL) == HT_OK;
    free(text);
    return good;
}

/* Chooses blocks of 256 threads, and so few that most threads run two iterations of the loop. */
static ht_problem_entry *strided_make(char *bound) {
    ht_problem_entry *entry = ht_alloc(1, sizeof *entry);
    bool good = parse(&entry->block[0], ht_strdup("256")) &&
                parse(&entry->grid[0], ht_format("ceil_div(%s, 512)", bound));
    free(bound);
    if (good)
        return entry;
    ht_supposed_free(entry);
    return NULL;
}

ht_problem_entry *ht_supposed_make(const ht_model *model) {
    static const int blocks[3][3] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}};
    const ht_launches *launches = &model->facts->launches;
    if (launches->count || launches->other_use_line || shares(model))
        return NULL;
    char *bound = strided_bound(model);
    if (bound)
        return strided_make(bound);
    int axes = guarded_axes(model);
    if (!axes || !counts_blocks_alike(model, axes))
        return NULL;
    ht_problem_entry *entry = ht_alloc(1, sizeof *entry);
    bool good = true;
    for (int axis = 0; axis < axes && good; ++axis) {
        int block = blocks[axes - 1][axis];
        good = parse(&entry->block[axis], ht_format("%d", block)) &&
               parse(&entry->grid[axis],
                     ht_format("ceil_div(%s, %d)", model->axes[axis].guard, block));
    }
    if (good)
        return entry;
    ht_supposed_free(entry);
    return NULL;
}

ht_problem_entry *ht_supposed_line(void) {
    ht_problem_entry *entry = ht_alloc(1, sizeof *entry);
    bool good = parse(&entry->block[0], ht_strdup("256")) && parse(&entry->grid[0], ht_strdup("1"));
    (void)good; /* numbers */
    return entry;
}

void ht_supposed_free(ht_problem_entry *entry) {
    for (int axis = 0; entry && axis < 3; ++axis) {
        if (entry->block[axis])
            ht_expr_free(entry->block[axis]);
        if (entry->grid[axis])
            ht_expr_free(entry->grid[axis]);
    }
    free(entry);
}
