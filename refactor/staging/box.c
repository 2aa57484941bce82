#include "refactor/staging/box.h"
#include "refactor/staging/clamp.h"
#include "refactor/staging/place.h"
#include "refactor/staging/print.h"
#include "refactor/staging/stage.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_WINDOW = 3 }; /* assumed if it is an argument */

/* One dimension of a read, split. */
typedef struct parts {
    int64_t factor[3];
    const ht_poly *low, *high; /* ends without the outputs' part */
    const ht_poly *inside;     /* the index without that part */
} parts;

/* ---- loops ---- */

static bool is_constant_sum(ht_stage *stage, const ht_poly *poly) {
    ht_text text = {0};
    bool constant = ht_stage_print_constant(stage, poly, &text);
    ht_text_free(&text);
    return constant;
}

/* Returns the iterations of an inner loop: a number, or a sum of arguments that are template
 * constants. */
const ht_poly *ht_stage_trips(ht_stage *stage, const ht_km_loop *loop) {
    ht_position at = loop->from->at;
    ht_poly_pool *pool = &stage->km->pool;
    int64_t step = 0, gap = 0;
    if (!loop->normal || loop->leaves || !loop->bound || !ht_poly_is_constant(loop->step, &step) ||
        step == 0) {
        ht_stage_fail(stage, at, "how often this loop runs is not known");
        return NULL;
    }
    const ht_poly *distance = ht_poly_add(pool, loop->bound, loop->first, -1);
    if (step < 0)
        distance = ht_poly_negate(pool, distance);
    step = step < 0 ? -step : step;
    if (distance && ht_poly_is_constant(distance, &gap))
        distance = gap > 0 ? ht_poly_constant(pool, (gap + step - 1) / step) : NULL;
    else if (distance && (step != 1 || !is_constant_sum(stage, distance)))
        distance = NULL;
    if (!distance)
        ht_stage_fail(stage, at, "how often this loop runs is not a constant of the template");
    return distance;
}

/* Adds an inner loop's range to the ends. */
static bool add_loop(ht_stage *stage, const ht_term *term, parts *to) {
    ht_poly_pool *pool = &stage->km->pool;
    const ht_km_symbol symbol = pool->symbols[term->symbols[0]];
    const ht_poly *last = ht_stage_trips(stage, &stage->km->loops[symbol.loop]);
    last = ht_poly_plus(pool, last, -1);
    to->inside = ht_poly_add(&stage->km->pool, to->inside, ht_poly_of(pool, term->symbols[0]),
                             term->coefficient);
    if (term->coefficient > 0)
        to->high = ht_poly_add(&stage->km->pool, to->high, last, term->coefficient);
    else
        to->low = ht_poly_add(&stage->km->pool, to->low, last, term->coefficient);
    return to->high && to->low && to->inside;
}

/* ---- a dimension ---- */

typedef struct origins {
    int64_t thread[3], block[3], origin[3];
} origins;

/* Returns true if threadIdx comes with the block's origin, so that the sum is a global index. */
static bool is_global(const ht_stage *stage, const origins *of, int axis) {
    int64_t pitch = stage->km->facts->axes[axis].block;
    bool whole = of->block[axis] == 0 && of->origin[axis] == of->thread[axis];
    bool tied = stage->km->tied[axis] && of->origin[axis] == 0 &&
                of->block[axis] == of->thread[axis] * pitch;
    return of->thread[axis] >= 0 && (whole || tied);
}

static bool add_term(ht_stage *stage, const ht_term *term, const ht_km_access *access, origins *of,
                     parts *out) {
    ht_poly_pool *pool = &stage->km->pool;
    const ht_km_symbol *symbol = term->count == 1 ? &pool->symbols[term->symbols[0]] : NULL;
    bool place = symbol && (symbol->kind == HT_KM_THREAD || symbol->kind == HT_KM_BLOCK ||
                            symbol->kind == HT_KM_ORIGIN);
    if (place && stage->frame->axis[symbol->axis]) {
        int64_t *sums = symbol->kind == HT_KM_THREAD  ? of->thread
                        : symbol->kind == HT_KM_BLOCK ? of->block
                                                      : of->origin;
        sums[symbol->axis] += term->coefficient;
        return true;
    }
    if (symbol && symbol->kind == HT_KM_LOOP && ht_stage_is_inner(stage, symbol->loop))
        return add_loop(stage, term, out);
    ht_term copy = *term;
    const ht_poly *part = ht_poly_make(pool, &copy, 1);
    for (size_t i = 0; i < term->count; ++i) {
        const ht_km_symbol *each = &pool->symbols[term->symbols[i]];
        if (each->scope != HT_SCOPE_LAUNCH && !ht_stage_is_given(stage, term->symbols[i])) {
            char *name = ht_km_symbol_text(pool, term->symbols[i]);
            ht_stage_fail(stage, access->from->at,
                          "an index is not a sum of outputs' indices and loops' counters: %s",
                          term->count > 1 ? "a step is an argument" : name);
            free(name);
            return false;
        }
    }
    out->low = ht_poly_add(&stage->km->pool, out->low, part, 1);
    out->high = ht_poly_add(&stage->km->pool, out->high, part, 1);
    out->inside = ht_poly_add(&stage->km->pool, out->inside, part, 1);
    return out->low && out->high && out->inside;
}

static bool take_apart(ht_stage *stage, const ht_km_access *access, size_t d, parts *out) {
    const ht_poly *zero = ht_poly_constant(&stage->km->pool, 0);
    const ht_poly *index = ht_stage_core(stage, access->dimensions[d].index);
    origins of = {{0}, {0}, {0}};
    *out = (parts){.low = zero, .high = zero, .inside = zero};
    for (size_t i = 0; i < index->count; ++i)
        if (!add_term(stage, &index->terms[i], access, &of, out))
            return ht_stage_fail(stage, access->from->at, "an index is too long");
    for (int axis = 0; axis < 3; ++axis) {
        if (!is_global(stage, &of, axis))
            return ht_stage_fail(stage, access->from->at,
                                 "an index holds part of a thread's place in the grid");
        out->factor[axis] = of.thread[axis];
    }
    return true;
}

static bool write_extent(ht_stage *stage, ht_stage_dimension *dimension) {
    ht_text text = {0};
    ht_poly_pool *pool = &stage->km->pool;
    const ht_poly *rest = ht_poly_plus(pool, dimension->span, 1);
    bool first = true;
    for (int axis = 0; axis < 3; ++axis) {
        int64_t factor = dimension->factor[axis];
        if (!factor)
            continue;
        const char *tile = stage->frame->tile[axis];
        const char *product = strpbrk(tile, "+-") ? "(%s)" : "%s";
        ht_text_append(&text, first ? "" : " + ");
        ht_text_printf(&text, factor == 1 ? product : "(%s)", tile);
        if (factor != 1)
            ht_text_printf(&text, " * %lld", (long long)factor);
        rest = ht_poly_plus(pool, rest, -factor);
        dimension->extent_usual += factor * (stage->frame->tile_usual[axis] - 1);
        first = false;
    }
    bool done = rest && (first ? ht_stage_print_constant(stage, rest, &text)
                               : ht_stage_print_constant_more(stage, rest, &text));
    int64_t span;
    if (!ht_poly_is_constant(dimension->span, &span))
        span = USUAL_WINDOW - 1;
    dimension->extent_usual += span + 1;
    dimension->extent = ht_text_take(&text);
    return done || ht_stage_fail(stage, stage->reads[0].access->from->at,
                                 "the box's width is not a constant of the template");
}

static bool box_dimension(ht_stage *stage, size_t d) {
    ht_stage_dimension *dimension = &stage->dimensions[d];
    const ht_poly *low = NULL, *high = NULL;
    parts *each = ht_alloc(stage->read_count, sizeof *each);
    bool done = true;
    for (size_t i = 0; i < stage->read_count && done; ++i) {
        done = take_apart(stage, stage->reads[i].access, d, &each[i]);
        low = !done ? NULL
              : i   ? ht_poly_outer(&stage->km->pool, low, each[i].low, false)
                    : each[i].low;
        high = !done ? NULL
               : i   ? ht_poly_outer(&stage->km->pool, high, each[i].high, true)
                     : each[i].high;
        if (done && (!low || !high))
            done = ht_stage_fail(stage, stage->reads[i].access->from->at,
                                 "its distance from another read is not constant");
    }
    dimension->stride = stage->reads[0].access->dimensions[d].stride;
    dimension->low = low;
    dimension->span = done ? ht_poly_add(&stage->km->pool, high, low, -1) : NULL;
    for (size_t i = 0; i < stage->read_count && done; ++i) {
        stage->reads[i].inside[d] = ht_poly_add(&stage->km->pool, each[i].inside, low, -1);
        done = stage->reads[i].inside[d] != NULL;
    }
    if (done)
        memcpy(dimension->factor, each[0].factor, sizeof dimension->factor);
    free(each);
    int64_t span;
    dimension->uniform = done && ht_poly_is_constant(dimension->span, &span) && span == 0 &&
                         !dimension->factor[0] && !dimension->factor[1] && !dimension->factor[2];
    return done && write_extent(stage, dimension);
}

/* Returns true if the block reads elements more often than it would load them. */
static bool is_read_again(ht_stage *stage) {
    int64_t outputs = 1, elements = 1;
    double reads = 0;
    for (int axis = 0; axis < 3; ++axis)
        outputs *= stage->frame->axis[axis] ? stage->frame->tile_usual[axis] : 1;
    for (size_t d = 0; d < stage->dimension_count; ++d)
        elements *= stage->dimensions[d].extent_usual;
    for (size_t i = 0; i < stage->read_count; ++i) {
        const ht_km_control *control = &stage->reads[i].access->control;
        double times = 1;
        for (size_t l = 0; l < control->loop_count; ++l) {
            int64_t trip;
            if (!ht_stage_is_inner(stage, control->loops[l]))
                continue;
            const ht_poly *known = ht_stage_trips(stage, &stage->km->loops[control->loops[l]]);
            if (!known || !ht_poly_is_constant(known, &trip))
                trip = USUAL_WINDOW;
            times *= (double)trip;
        }
        reads += times * (double)outputs;
    }
    stage->problem = NULL; /* set by loops whose number of iterations does not matter here */
    return reads > (double)elements || ht_stage_fail(stage, stage->reads[0].access->from->at,
                                                     "a block reads no element of '%s' twice",
                                                     stage->km->arrays[stage->array].name);
}

bool ht_stage_box(ht_stage *stage) {
    stage->dimension_count = stage->reads[0].access->dimension_count;
    for (size_t d = 0; d < stage->dimension_count; ++d) {
        if (!box_dimension(stage, d))
            return false;
        for (size_t i = 0; i < stage->read_count; ++i) {
            const ht_poly *index = stage->reads[i].access->dimensions[d].index;
            stage->reads[i].held[d] = ht_stage_core(stage, index) != index;
            if (stage->reads[i].held[d] && !ht_stage_stays_inside(stage, stage->reads[i].access, d))
                return false;
        }
    }
    bool any = false;
    for (size_t d = 0; d < stage->dimension_count; ++d)
        any = any || !stage->dimensions[d].uniform;
    if (!any)
        return ht_stage_fail(stage, stage->reads[0].access->from->at,
                             "all read the same element of '%s'",
                             stage->km->arrays[stage->array].name);
    return is_read_again(stage);
}
