/* Finds the reads that form a window. */
#include "refactor/staging/window.h"

#include "base/memory.h"
#include "refactor/kernel_model/build.h"
#include "refactor/staging/bounds.h"
#include "refactor/staging/place.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS_MAX = 32,
    SLOTS_A_READ = 4
}; /* larger windows take more registers than they save reads */

/* ---- the motion of an index ---- */

typedef enum motion { MOTION_NONE, MOTION_STEP, MOTION_OTHER } motion;

static bool is_moving(const ht_km_symbol *symbol, const ht_window_along *along) {
    if (along->is_loop)
        return symbol->kind == HT_KM_LOOP && symbol->loop == along->loop;
    return symbol->kind == HT_KM_THREAD && symbol->axis == along->axis;
}

static bool mentions(const ht_poly_pool *pool, const ht_poly *poly, const ht_window_along *along);

/* Returns true if the symbol's value depends, or may depend, on the index that steps. */
static bool depends(const ht_poly_pool *pool, size_t index, const ht_window_along *along) {
    const ht_km_symbol *symbol = &pool->symbols[index];
    if (is_moving(symbol, along))
        return true;
    if (symbol->kind == HT_KM_OPAQUE || symbol->kind == HT_KM_CHOICE)
        return symbol->scope != HT_SCOPE_LAUNCH;
    for (int i = 0; i < 2; ++i)
        if (symbol->operands[i] && mentions(pool, symbol->operands[i], along))
            return true;
    return false;
}

static bool mentions(const ht_poly_pool *pool, const ht_poly *poly, const ht_window_along *along) {
    for (size_t i = 0; i < poly->count; ++i)
        for (size_t j = 0; j < poly->terms[i].count; ++j)
            if (depends(pool, poly->terms[i].symbols[j], along))
                return true;
    return false;
}

static motion motion_of(const ht_poly_pool *pool, const ht_poly *index,
                        const ht_window_along *along) {
    motion found = MOTION_NONE;
    for (size_t i = 0; i < index->count; ++i) {
        const ht_term *term = &index->terms[i];
        bool moves = false;
        for (size_t j = 0; j < term->count; ++j)
            moves = moves || depends(pool, term->symbols[j], along);
        if (!moves)
            continue;
        bool step = term->count == 1 && term->coefficient == 1 &&
                    is_moving(&pool->symbols[term->symbols[0]], along);
        if (!step || found != MOTION_NONE)
            return MOTION_OTHER;
        found = MOTION_STEP;
    }
    return found;
}

/* Returns the dimension that steps by one while the others stay; SIZE_MAX: there is none. */
static size_t dimension_of(const ht_kernel_model *km, const ht_km_access *access,
                           const ht_window_along *along) {
    size_t found = SIZE_MAX;
    for (size_t d = 0; d < access->dimension_count; ++d) {
        motion moves = motion_of(&km->pool, access->dimensions[d].index, along);
        if (moves == MOTION_OTHER || (moves == MOTION_STEP && found != SIZE_MAX))
            return SIZE_MAX;
        if (moves == MOTION_STEP)
            found = d;
    }
    return found;
}

/* ---- the reads of a window ---- */

/* Computes the distance from the first read in the dimension that moves. Returns false if the
 * access is not a neighbour. */
static bool is_neighbour(ht_kernel_model *km, const ht_km_access *first, const ht_km_access *access,
                         size_t dimension, int64_t *out_gap) {
    if (access->array != first->array || access->dimension_count != first->dimension_count)
        return false;
    for (size_t d = 0; d < first->dimension_count; ++d) {
        const ht_km_dimension *a = &access->dimensions[d], *b = &first->dimensions[d];
        if (a->stride != b->stride || (d != dimension && a->index != b->index))
            return false;
    }
    const ht_poly *gap = ht_poly_add(&km->pool, access->dimensions[dimension].index,
                                     first->dimensions[dimension].index, -1);
    return gap && ht_poly_is_constant(gap, out_gap);
}

static bool is_candidate(const ht_kernel_model *km, const ht_km_access *access) {
    const ht_km_array *array = &km->arrays[access->array];
    return access->read && !access->write && !access->atomic && !array->written && !array->atomic &&
           !array->escapes && !array->mixed && array->is_parameter && access->dimension_count > 0 &&
           access->dimension_count <= HT_STAGE_DIMENSIONS_MAX;
}

/* Returns true if both are in the loop that steps; if no loop does, if any loop is around both. */
static bool shares_loop(const ht_km_access *a, const ht_km_access *b,
                        const ht_window_along *along) {
    for (size_t i = 0; i < a->control.loop_count; ++i)
        for (size_t j = 0; j < b->control.loop_count; ++j)
            if (a->control.loops[i] == b->control.loops[j] &&
                (!along->is_loop || a->control.loops[i] == along->loop))
                return true;
    return false;
}

/* Returns a write to what may be the same memory between the load and a read; NULL: there is none.
 * The window is loaded earlier than the original reads. (Outputs are written by other threads of
 * the original, where that would be a race.) */
static const ht_km_access *overtaken(const ht_kernel_model *km, const ht_window *window,
                                     const ht_window_along *along,
                                     bool (*apart)(const ht_kernel_model *, size_t, size_t)) {
    for (size_t i = 0; i < km->access_count; ++i) {
        const ht_km_access *write = &km->accesses[i];
        if (!write->write || ht_kernel_model_alias(km, write->array, window->array) == HT_NO ||
            (apart && apart(km, write->array, window->array)))
            continue;
        for (size_t r = 0; r < window->read_count; ++r)
            if (shares_loop(write, window->served[r], along) ||
                (!along->is_loop && write->order < window->served[r]->order))
                return write;
    }
    return NULL;
}

typedef struct gathering {
    ht_kernel_model *km;
    const ht_window_along *along;
    bool *taken; /* by access */
    int64_t *gaps;
} gathering;

/* Collects the window of an access. Returns false if it is alone. */
static bool gather(gathering *in, size_t seed, size_t dimension, ht_window *out_window) {
    ht_kernel_model *km = in->km;
    const ht_km_access *first = &km->accesses[seed];
    int64_t low = 0, high = 0;
    ht_window window = {.array = first->array, .dimension = dimension};
    window.served = ht_alloc(km->access_count, sizeof(ht_km_access *));
    for (size_t i = seed; i < km->access_count; ++i) {
        int64_t gap;
        const ht_km_access *access = &km->accesses[i];
        if (in->taken[i] || !is_candidate(km, access) ||
            (in->along->is_loop && !shares_loop(access, access, in->along)) ||
            !is_neighbour(km, first, access, dimension, &gap))
            continue;
        in->taken[i] = true;
        in->gaps[window.read_count] = gap;
        window.served[window.read_count++] = access;
        low = gap < low ? gap : low;
        high = gap > high ? gap : high;
    }
    bool fits = high > low && high - low < SLOTS_MAX &&
                high - low < SLOTS_A_READ * (int64_t)window.read_count;
    if (!fits) {
        free(window.served);
        return false;
    }
    window.slots = (size_t)(high - low + 1);
    window.reads = ht_alloc(window.slots, sizeof(ht_km_access *));
    window.slot_of = ht_alloc(window.read_count, sizeof *window.slot_of);
    for (size_t r = 0; r < window.read_count; ++r) {
        size_t slot = (size_t)(in->gaps[r] - low);
        window.slot_of[r] = slot;
        if (!window.reads[slot])
            window.reads[slot] = window.served[r];
    }
    *out_window = window;
    return true;
}

ht_windows ht_windows_find(ht_kernel_model *km, const ht_window_along *along,
                           bool (*apart)(const ht_kernel_model *, size_t, size_t)) {
    ht_windows windows = {0};
    gathering in = {km, along, ht_alloc(km->access_count + 1, sizeof(bool)),
                    ht_alloc(km->access_count + 1, sizeof(int64_t))};
    for (size_t i = 0; i < km->access_count && km->complete; ++i) {
        const ht_km_access *access = &km->accesses[i];
        if (in.taken[i] || !is_candidate(km, access) ||
            (along->is_loop && !shares_loop(access, access, along)))
            continue;
        size_t dimension = dimension_of(km, access, along);
        ht_window window;
        if (dimension == SIZE_MAX || !gather(&in, i, dimension, &window))
            continue;
        window.overtook = overtaken(km, &window, along, apart);
        HT_GROW(windows.items, windows.count);
        windows.items[windows.count++] = window;
    }
    free(in.taken);
    free(in.gaps);
    return windows;
}

void ht_windows_free(ht_windows *windows) {
    for (size_t i = 0; i < windows->count; ++i) {
        free(windows->items[i].reads);
        free(windows->items[i].served);
        free(windows->items[i].slot_of);
    }
    free(windows->items);
    *windows = (ht_windows){0};
}

/* ---- tests of loaded elements ---- */

const ht_poly *ht_window_index(const ht_window *window, ht_kernel_model *km, size_t dimension,
                               size_t slot) {
    const ht_poly *first = window->reads[0]->dimensions[dimension].index;
    if (dimension != window->dimension)
        return first;
    return ht_poly_add(&km->pool, first, ht_poly_constant(&km->pool, (int64_t)slot), 1);
}

static bool is_uniform(const ht_stage *stage, const ht_poly *index) {
    for (size_t i = 0; i < index->count; ++i)
        for (size_t j = 0; j < index->terms[i].count; ++j)
            if (!ht_stage_is_given(stage, index->terms[i].symbols[j]))
                return false;
    return true;
}

bool ht_window_stage(const ht_window *window, ht_kernel_model *km, const ht_window_along *along,
                     const ht_stage_frame *frame, ht_stage *out_stage) {
    ht_stage *stage = out_stage;
    *stage = (ht_stage){.km = km, .frame = frame, .array = window->array};
    const ht_km_access *first = window->reads[0];
    const ht_km_control *control = &first->control;
    if (!ht_stage_counters_differ(km, control))
        return ht_stage_fail(stage, first->from->at,
                             "two loops around it have counters of one name");
    for (size_t i = 0; along->is_loop && i < control->loop_count && i < HT_STAGE_LOOPS_MAX; ++i) {
        if (control->loops[i] == along->loop)
            break;
        stage->outer[stage->outer_count++] = control->loops[i];
    }
    stage->type = ht_stage_index_type(window->served, window->read_count);
    stage->dimension_count = first->dimension_count;
    for (size_t d = 0; d < first->dimension_count; ++d) {
        stage->dimensions[d].stride = first->dimensions[d].stride;
        stage->dimensions[d].uniform = is_uniform(stage, first->dimensions[d].index);
    }
    for (size_t r = 0; r < window->read_count; ++r) {
        HT_GROW(stage->reads, stage->read_count);
        stage->reads[stage->read_count++] = (ht_stage_read){.access = window->served[r]};
    }
    return ht_stage_bounds(stage);
}
