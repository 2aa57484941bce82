#include "refactor/kernel/supposed.h"
#include "refactor/kernel/facts.h"

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

/* Returns the number of axes with a guarded global index; 0: threads differ by something else,
 * too. */
static int guarded_axes(const ht_model *model) {
    int count = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const ht_axis *of = &model->axes[axis];
        if (of->uses_thread || of->uses_block || of->uses_block_dim || of->uses_grid_dim ||
            of->fixed_pitch || (of->uses_global && (!of->guard || axis != count)))
            return 0;
        count += of->uses_global;
    }
    return count;
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

ht_problem_entry *ht_supposed_make(const ht_model *model) {
    static const int blocks[3][3] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}};
    const ht_launches *launches = &model->facts->launches;
    int axes = guarded_axes(model);
    if (launches->count || launches->other_use_line || !axes || shares(model) ||
        !counts_blocks_alike(model, axes))
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
