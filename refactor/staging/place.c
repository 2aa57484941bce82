#include "refactor/staging/place.h"
#include "refactor/staging/stage.h"

#include "base/memory.h"
#include "refactor/kernel_model/build.h"
#include "refactor/staging/bounds.h"
#include "refactor/staging/box.h"
#include "refactor/staging/clamp.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ht_stage_fail(ht_stage *stage, ht_position at, const char *format, ...) {
    if (stage->problem)
        return false;
    va_list args;
    va_start(args, format);
    stage->problem = ht_poly_pool_keep(&stage->km->pool, ht_format_list(format, args));
    stage->problem_at = at;
    va_end(args);
    return false;
}

bool ht_stage_all_given(const ht_stage *stage, const ht_poly *poly) {
    const ht_poly_pool *pool = &stage->km->pool;
    for (size_t i = 0; i < poly->count; ++i)
        for (size_t j = 0; j < poly->terms[i].count; ++j) {
            size_t symbol = poly->terms[i].symbols[j];
            if (pool->symbols[symbol].scope != HT_SCOPE_LAUNCH && !ht_stage_is_given(stage, symbol))
                return false;
        }
    return true;
}

bool ht_stage_is_given(const void *context, size_t index) {
    const ht_stage *stage = context;
    const ht_km_symbol *symbol = &stage->km->pool.symbols[index];
    switch (symbol->kind) {
    case HT_KM_THREAD:
        return false;
    case HT_KM_BLOCK:
    case HT_KM_ORIGIN:
        return !stage->frame->axis[symbol->axis];
    case HT_KM_BLOCK_DIM:
    case HT_KM_GRID_DIM:
        return false; /* a parameter by itself */
    case HT_KM_SUM:
        return false;
    case HT_KM_LOOP:
        return !ht_stage_is_inner(stage, symbol->loop);
    case HT_KM_QUOTIENT:
    case HT_KM_REMAINDER:
        return ht_stage_all_given(stage, symbol->operands[0]) &&
               ht_stage_all_given(stage, symbol->operands[1]);
    default:
        return symbol->scope == HT_SCOPE_LAUNCH;
    }
}

bool ht_stage_is_inner(const ht_stage *stage, size_t loop) {
    for (size_t i = 0; i < stage->outer_count; ++i)
        if (stage->outer[i] == loop)
            return false;
    return true;
}

/* ---- the place of the load ---- */

/* Returns 1 if the loop alone moves the dimensions whose index has it, 0 if no index has it, -1 if
 * something else moves one of these as well. */
static int owns_dimensions(const ht_stage *stage, const ht_km_access *access, size_t loop) {
    const ht_poly_pool *pool = &stage->km->pool;
    int found = 0;
    for (size_t d = 0; d < access->dimension_count; ++d) {
        const ht_poly *index = ht_stage_core(stage, access->dimensions[d].index);
        bool in = ht_poly_mentions(index, stage->km->loops[loop].symbol), shared = false;
        for (size_t i = 0; i < index->count; ++i)
            for (size_t j = 0; j < index->terms[i].count; ++j) {
                const ht_km_symbol *symbol = &pool->symbols[index->terms[i].symbols[j]];
                bool moves = symbol->kind == HT_KM_THREAD || symbol->kind > HT_KM_ARGUMENT;
                shared = shared ||
                         (moves && symbol->scope != HT_SCOPE_LAUNCH &&
                          !(symbol->kind == HT_KM_LOOP &&
                            (symbol->loop == loop || !ht_stage_is_inner(stage, symbol->loop))));
            }
        if (in && shared)
            return -1;
        if (in)
            found = 1;
    }
    return found;
}

static bool moves_with_outputs(const ht_stage *stage, const ht_km_access *access) {
    for (size_t d = 0; d < access->dimension_count; ++d) {
        const ht_poly *index = ht_stage_core(stage, access->dimensions[d].index);
        for (size_t i = 0; i < index->count; ++i)
            for (size_t j = 0; j < index->terms[i].count; ++j)
                if (stage->km->pool.symbols[index->terms[i].symbols[j]].kind == HT_KM_THREAD)
                    return true;
    }
    return false;
}

static bool runs_constantly(ht_stage *stage, size_t loop) {
    bool constant = ht_stage_trips(stage, &stage->km->loops[loop]) != NULL;
    stage->problem = NULL;
    return constant;
}

/* Chooses the loops around the load: as many as possible without losing reuse. Reads that are the
 * same for all outputs, as of a filter, are loaded as far outside as their size is known. */
static void choose_place(ht_stage *stage, const ht_km_access *access) {
    const ht_km_control *control = &access->control;
    bool moves = moves_with_outputs(stage, access);
    size_t kept = 0;
    stage->outer_count = 0;
    for (size_t i = 0; i < control->loop_count && i < HT_STAGE_LOOPS_MAX; ++i) {
        size_t loop = control->loops[i];
        int owns = owns_dimensions(stage, access, loop);
        if (owns < 0 ||
            !stage->frame->is_uniform(stage->frame->context, stage->km->loops[loop].node))
            break;
        stage->outer[stage->outer_count++] = loop;
        if (owns > 0 && (moves || !runs_constantly(stage, loop)))
            kept = stage->outer_count;
    }
    stage->outer_count = kept;
}

static bool stands_inside(const ht_stage *stage, const ht_km_access *access) {
    bool inside = access->control.loop_count >= stage->outer_count;
    for (size_t i = 0; inside && i < stage->outer_count; ++i)
        inside = access->control.loops[i] == stage->outer[i];
    return inside;
}

/* ---- the reads ---- */

/* Returns true if both reads have the same dimensions, and the indices in each differ by a constant
 * and inner loops. */
static bool belongs(const ht_stage *stage, const ht_km_access *seed, const ht_km_access *access) {
    ht_poly_pool *pool = &stage->km->pool;
    bool same = access->array == seed->array && access->read && !access->write &&
                access->dimension_count == seed->dimension_count && stands_inside(stage, access);
    for (size_t d = 0; same && d < seed->dimension_count; ++d) {
        const ht_poly *gap = ht_poly_add(pool, ht_stage_core(stage, access->dimensions[d].index),
                                         ht_stage_core(stage, seed->dimensions[d].index), -1);
        same = gap && access->dimensions[d].stride == seed->dimensions[d].stride;
        for (size_t i = 0; same && i < gap->count; ++i) {
            const ht_term *term = &gap->terms[i];
            const ht_km_symbol *symbol = term->count ? &pool->symbols[term->symbols[0]] : NULL;
            same = !symbol || (term->count == 1 && symbol->kind == HT_KM_LOOP &&
                               ht_stage_is_inner(stage, symbol->loop));
        }
    }
    return same;
}

static void collect(ht_stage *stage, const ht_km_access *seed) {
    const ht_kernel_model *km = stage->km;
    stage->read_count = 0;
    choose_place(stage, seed);
    for (size_t i = 0; i < km->access_count; ++i)
        if (belongs(stage, seed, &km->accesses[i])) {
            HT_GROW(stage->reads, stage->read_count);
            stage->reads[stage->read_count++] = (ht_stage_read){.access = &km->accesses[i]};
        }
}

/* Returns the read that shares a tile with the most others; reads that move with the outputs come
 * first. */
static const ht_km_access *choose_seed(ht_stage *stage) {
    const ht_km_access *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < stage->km->access_count; ++i) {
        const ht_km_access *access = &stage->km->accesses[i];
        if (access->array != stage->array || !access->read || access->write ||
            access->dimension_count > HT_STAGE_DIMENSIONS_MAX)
            continue;
        collect(stage, access);
        size_t served = stage->read_count * (moves_with_outputs(stage, access) ? 1000 : 1);
        if (served > most) {
            most = served;
            best = access;
        }
    }
    return best;
}

bool ht_stage_counters_differ(const ht_kernel_model *km, const ht_km_control *control) {
    for (size_t i = 0; i < control->loop_count; ++i)
        for (size_t j = 0; j < i; ++j)
            if (strcmp(km->loops[control->loops[i]].counter,
                       km->loops[control->loops[j]].counter) == 0)
                return false;
    return true;
}

/* ---- memory that may change ---- */

/* Returns true if nothing that may be the same memory is written between the load and the read. The
 * tile is loaded earlier than the original reads. (A write by another thread would be a race in the
 * original.) */
static bool stays_same(ht_stage *stage) {
    const ht_kernel_model *km = stage->km;
    size_t last = 0;
    for (size_t i = 0; i < stage->read_count; ++i)
        if (stage->reads[i].access->order > last)
            last = stage->reads[i].access->order;
    for (size_t i = 0; i < km->access_count; ++i) {
        const ht_km_access *access = &km->accesses[i];
        if (!access->write || ht_kernel_model_alias(km, access->array, stage->array) == HT_NO)
            continue;
        bool within = stage->outer_count && stands_inside(stage, access);
        if (access->order < last || within)
            for (size_t r = 0; r < stage->read_count; ++r) {
                const ht_km_control *a = &access->control;
                const ht_km_control *b = &stage->reads[r].access->control;
                bool meets =
                    access->order < stage->reads[r].access->order ||
                    (a->loop_count > stage->outer_count && b->loop_count > stage->outer_count &&
                     a->loops[stage->outer_count] == b->loops[stage->outer_count]);
                if (meets)
                    return ht_stage_fail(stage, access->from->at,
                                         "'%s' may be the same memory as '%s' and is written "
                                         "between its reads",
                                         km->arrays[access->array].name,
                                         km->arrays[stage->array].name);
            }
    }
    return true;
}

static bool has_guard(const ht_km_access *access, const ht_km_test *test) {
    for (size_t i = 0; i < access->control.guard_count; ++i)
        if (access->control.guards[i].test == test)
            return true;
    return false;
}

/* Returns true if every output reads these elements. Their index is the same for all outputs and so
 * does not show which threads exist; therefore no condition may be on the read that is not on the
 * outputs' writes as well. */
static bool is_read_for_each_output(ht_stage *stage) {
    const ht_kernel_model *km = stage->km;
    for (size_t r = 0; r < stage->read_count; ++r) {
        const ht_km_access *read = stage->reads[r].access;
        for (size_t g = 0; g < read->control.guard_count; ++g)
            for (size_t i = 0; i < km->access_count; ++i)
                if (km->accesses[i].write &&
                    !has_guard(&km->accesses[i], read->control.guards[g].test))
                    return ht_stage_fail(stage, read->from->at,
                                         "not every output reads it, and its subscript does not "
                                         "depend on the output");
    }
    return true;
}

bool ht_stage_may_run_ahead(const ht_stage *stage) {
    const ht_kernel_model *km = stage->km;
    int64_t step;
    if (stage->outer_count == 0)
        return false;
    const ht_km_loop *loop = &km->loops[stage->outer[stage->outer_count - 1]];
    bool may = loop->normal && !loop->leaves && loop->bound && loop->counter[0] &&
               ht_poly_is_constant(loop->step, &step) && step == 1 &&
               ht_stage_all_given(stage, loop->bound);
    for (size_t i = 0; i < km->access_count && may; ++i) {
        const ht_km_access *access = &km->accesses[i];
        may = !access->write || !stands_inside(stage, access) ||
              ht_kernel_model_alias(km, access->array, stage->array) == HT_NO;
    }
    return may;
}

const char *ht_stage_index_type(const ht_km_access *const *reads, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const ht_syntax *read = ht_syntax_strip_implicit(reads[i]->from);
        const ht_syntax *index =
            read->kind == HT_SYNTAX_SUBSCRIPT ? ht_syntax_strip_implicit(read->children[1]) : NULL;
        if (!index || index->type != HT_TYPE_INTEGER || !index->is_signed || index->bits > 32 ||
            index->bits < 16)
            return "long long";
    }
    return "int";
}

static const char *type_of_reads(const ht_stage *stage) {
    for (size_t i = 0; i < stage->read_count; ++i)
        if (strcmp(ht_stage_index_type(&stage->reads[i].access, 1), "int") != 0)
            return "long long";
    return "int";
}

bool ht_stage_find(ht_stage *stage, ht_kernel_model *km, size_t array,
                   const ht_stage_frame *frame) {
    const ht_km_array *of = &km->arrays[array];
    *stage = (ht_stage){.km = km, .frame = frame, .array = array};
    if (!km->complete)
        return ht_stage_fail(stage, HT_AT_KERNEL, "%s", km->incomplete);
    if (of->written || of->atomic || of->escapes || of->mixed)
        return ht_stage_fail(stage, of->declaration ? of->declaration->at : HT_AT_KERNEL,
                             of->escapes ? "'%s' is handed to something unknown"
                             : of->mixed ? "'%s' is read in units of different size"
                                         : "'%s' is written",
                             of->name);
    const ht_km_access *seed = choose_seed(stage);
    if (seed && !ht_stage_counters_differ(km, &seed->control))
        return ht_stage_fail(stage, seed->from->at,
                             "two loops around it have counters of one name");
    if (!seed)
        return ht_stage_fail(stage, of->declaration ? of->declaration->at : HT_AT_KERNEL,
                             "no element of '%s' is read by its index", of->name);
    collect(stage, seed);
    stage->type = type_of_reads(stage);
    if (!moves_with_outputs(stage, seed) && !is_read_for_each_output(stage))
        return false;
    return stays_same(stage) && ht_stage_box(stage) && ht_stage_bounds(stage);
}

void ht_stage_free(ht_stage *stage) {
    for (size_t d = 0; d < stage->dimension_count; ++d)
        free(stage->dimensions[d].extent);
    free(stage->reads);
    free(stage->wide);
    *stage = (ht_stage){0};
}
