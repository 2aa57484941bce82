#include "refactor/kernel_model/footprint.h"
#include "refactor/kernel_model/build.h"
#include "refactor/kernel_model/sets.h"
#include "refactor/kernel_model/step.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct group {
    ht_kernel_model *km;
    const ht_km_access **items;
    size_t count;
    ht_km_footprint *out;
} group;

/* ---- through isl ---- */

/* Returns an affine function without divisions as a polynomial; NULL: it has divisions. */
static const ht_poly *as_poly(const ht_km_layout *layout, isl_aff *aff) {
    ht_poly_pool *pool = &layout->km->pool;
    isl_val *denominator = isl_aff_get_denominator_val(aff);
    bool whole = isl_aff_dim(aff, isl_dim_div) == 0 && isl_val_is_one(denominator) == isl_bool_true;
    isl_val_free(denominator);
    isl_val *constant = isl_aff_get_constant_val(aff);
    const ht_poly *sum = constant ? ht_poly_constant(pool, isl_val_get_num_si(constant)) : NULL;
    isl_val_free(constant);
    for (size_t i = 0; i < layout->param_count && whole && sum; ++i) {
        isl_val *value = isl_aff_get_coefficient_val(aff, isl_dim_param, (int)i);
        sum =
            ht_poly_add(pool, sum, ht_poly_of(pool, layout->params[i]), isl_val_get_num_si(value));
        isl_val_free(value);
    }
    return whole && isl_aff_dim(aff, isl_dim_param) == (int)layout->param_count ? sum : NULL;
}

typedef struct pieces {
    const ht_km_layout *layout;
    const ht_poly *poly;
    size_t count;
} pieces;

static isl_stat on_piece(isl_set *set, isl_aff *aff, void *user) {
    pieces *in = user;
    in->poly = as_poly(in->layout, aff);
    ++in->count;
    isl_set_free(set);
    isl_aff_free(aff);
    return isl_stat_ok;
}

static void read_end(const ht_km_layout *layout, isl_pw_aff *end, const ht_poly **out_poly,
                     char **out_text) {
    pieces in = {layout, NULL, 0};
    end = isl_pw_aff_coalesce(isl_pw_aff_gist_params(end, isl_pw_aff_domain(isl_pw_aff_copy(end))));
    isl_pw_aff_foreach_piece(end, on_piece, &in);
    *out_poly = in.count == 1 ? in.poly : NULL;
    if (*out_poly)
        *out_text = ht_poly_text(&layout->km->pool, *out_poly);
    else if (end) {
        char *text = isl_pw_aff_to_str(end);
        *out_text = ht_strdup(text ? text : "?");
        free(text);
    }
    isl_pw_aff_free(end);
}

static isl_set *image_of(ht_km_layout *layout, const ht_km_access *access, isl_set **params) {
    isl_set *domain = ht_km_layout_domain(layout, &access->control, false);
    isl_map *map = ht_km_layout_access(layout, access, domain);
    *params = isl_set_intersect(*params, isl_set_params(domain));
    return isl_map_range(map);
}

static bool hull_by_sets(group *of) {
    ht_km_layout layout;
    ht_km_footprint *out = of->out;
    ht_km_layout_init(&layout, of->km, true);
    for (size_t i = 0; i < of->count; ++i) {
        ht_km_layout_reach_control(&layout, &of->items[i]->control, false);
        for (size_t d = 0; d < out->dimension_count; ++d)
            ht_km_layout_reach(&layout, of->items[i]->dimensions[d].index);
    }
    isl_set *params = isl_set_universe(isl_space_params(ht_km_layout_space(&layout))), *all = NULL;
    for (size_t i = 0; i < of->count; ++i) {
        isl_set *image = image_of(&layout, of->items[i], &params);
        all = all ? isl_set_union(all, image) : image;
    }
    all = isl_set_intersect_params(all, params);
    bool bounded = all != NULL;
    for (size_t d = 0; d < out->dimension_count && bounded; ++d)
        bounded = isl_set_dim_has_lower_bound(all, isl_dim_set, (unsigned)d) == isl_bool_true &&
                  isl_set_dim_has_upper_bound(all, isl_dim_set, (unsigned)d) == isl_bool_true;
    for (size_t d = 0; d < out->dimension_count && bounded; ++d) {
        isl_pw_aff *low = isl_set_dim_min(isl_set_copy(all), (int)d);
        isl_pw_aff *high = isl_set_dim_max(isl_set_copy(all), (int)d);
        bounded = low && high;
        if (bounded && !out->low_text[d]) {
            isl_pw_aff *extent = isl_pw_aff_sub(isl_pw_aff_copy(high), isl_pw_aff_copy(low));
            extent = isl_pw_aff_add_constant_val(extent, isl_val_one(of->km->context));
            const ht_poly *ignored;
            read_end(&layout, isl_pw_aff_copy(low), &out->low[d], &out->low_text[d]);
            read_end(&layout, isl_pw_aff_copy(high), &out->high[d], &out->high_text[d]);
            read_end(&layout, extent, &ignored, &out->extent_text[d]);
        }
        isl_pw_aff_free(low);
        isl_pw_aff_free(high);
    }
    isl_set_free(all);
    ht_km_layout_free(&layout);
    ht_km_step(of->km);
    return bounded;
}

/* ---- by intervals, where a step is an argument ---- */

/* Returns the largest value of a thread's index or an iteration's number, the smallest being 0.
 * NULL: unknown. */
static const ht_poly *largest(ht_kernel_model *km, size_t index) {
    const ht_km_symbol symbol = km->pool.symbols[index];
    const ht_poly *end = NULL;
    int64_t step;
    if (symbol.kind == HT_KM_THREAD)
        end = km->tied[symbol.axis]
                  ? ht_poly_constant(&km->pool, km->facts->axes[symbol.axis].block)
                  : ht_poly_of(&km->pool, ht_builtin_symbol(km, HT_KM_BLOCK_DIM, symbol.axis));
    else if (symbol.kind == HT_KM_LOOP) {
        const ht_km_loop *loop = &km->loops[symbol.loop];
        if (loop->normal && loop->bound && ht_poly_is_constant(loop->step, &step) && step == 1)
            end = ht_poly_add(&km->pool, loop->bound, loop->first, -1);
    }
    return ht_poly_plus(&km->pool, end, -1);
}

/* Returns the upper end (`high`) or lower end of the index's range, with arguments taken as not
 * negative. */
static const ht_poly *range_end(ht_kernel_model *km, const ht_poly *index, bool high) {
    const ht_poly *sum = ht_poly_constant(&km->pool, 0);
    for (size_t i = 0; i < index->count && sum; ++i) {
        ht_term rest = index->terms[i];
        const ht_poly *value = NULL;
        for (size_t j = 0; j < rest.count && !value; ++j) {
            const ht_km_symbol *symbol = &km->pool.symbols[rest.symbols[j]];
            if (symbol->scope == HT_SCOPE_LAUNCH || symbol->kind == HT_KM_BLOCK ||
                symbol->kind == HT_KM_ORIGIN)
                continue;
            value = (rest.coefficient > 0) == high ? largest(km, rest.symbols[j])
                                                   : ht_poly_constant(&km->pool, 0);
            if (!value)
                return NULL;
            memmove(&rest.symbols[j], &rest.symbols[j + 1],
                    (rest.count - j - 1) * sizeof *rest.symbols);
            --rest.count;
        }
        const ht_poly *part = ht_poly_make(&km->pool, &rest, 1);
        if (value)
            part = ht_poly_multiply(&km->pool, part, value);
        sum = ht_poly_add(&km->pool, sum, part, 1);
    }
    return sum;
}

static bool hull_by_intervals(group *of) {
    ht_kernel_model *km = of->km;
    ht_km_footprint *out = of->out;
    for (size_t d = 0; d < out->dimension_count; ++d) {
        const ht_poly *low = NULL, *high = NULL;
        for (size_t i = 0; i < of->count; ++i) {
            const ht_poly *index = of->items[i]->dimensions[d].index;
            const ht_poly *a = range_end(km, index, false), *b = range_end(km, index, true);
            low = i ? ht_poly_outer(&km->pool, low, a, false) : a;
            high = i ? ht_poly_outer(&km->pool, high, b, true) : b;
            if (!low || !high)
                return false;
        }
        const ht_poly *extent = ht_poly_plus(&km->pool, ht_poly_add(&km->pool, high, low, -1), 1);
        if (!extent)
            return false;
        out->low[d] = low;
        out->high[d] = high;
        free(out->low_text[d]);
        free(out->high_text[d]);
        free(out->extent_text[d]);
        out->low_text[d] = ht_poly_text(&km->pool, low);
        out->high_text[d] = ht_poly_text(&km->pool, high);
        out->extent_text[d] = ht_poly_text(&km->pool, extent);
    }
    return true;
}

/* ---- an array ---- */

static void out_make(ht_kernel_model *km, ht_km_footprint *out, const ht_km_access *like) {
    size_t count = like->dimension_count;
    out->dimension_count = count;
    out->strides = ht_poly_pool_alloc(&km->pool, count, sizeof *out->strides);
    out->low = ht_poly_pool_alloc(&km->pool, count, sizeof *out->low);
    out->high = ht_poly_pool_alloc(&km->pool, count, sizeof *out->high);
    out->before = ht_poly_pool_alloc(&km->pool, count, sizeof *out->before);
    out->behind = ht_poly_pool_alloc(&km->pool, count, sizeof *out->behind);
    out->low_text = ht_alloc(count + 1, sizeof *out->low_text);
    out->high_text = ht_alloc(count + 1, sizeof *out->high_text);
    out->extent_text = ht_alloc(count + 1, sizeof *out->extent_text);
    for (size_t d = 0; d < count; ++d)
        out->strides[d] = like->dimensions[d].stride;
}

static const ht_km_access *unlike(const group *of) {
    for (size_t i = 0; i < of->count; ++i) {
        const ht_km_access *access = of->items[i];
        bool same = access->dimension_count == of->out->dimension_count;
        for (size_t d = 0; d < of->out->dimension_count && same; ++d)
            same = access->dimensions[d].stride == of->out->strides[d];
        if (!same)
            return access;
    }
    return NULL;
}

static void settle(ht_km_footprint *out, const char *problem, const ht_km_access *at) {
    out->problem = problem;
    out->problem_place = at->place;
}

static void find_hull(group *of) {
    ht_km_footprint *out = of->out;
    out_make(of->km, out, of->items[0]);
    const ht_km_access *other = unlike(of);
    if (other) {
        settle(out, "its accesses have different strides", other);
        return;
    }
    bool affine = true;
    for (size_t i = 0; i < of->count; ++i) {
        if (!of->items[i]->affine && !out->problem)
            settle(out, of->items[i]->problem, of->items[i]);
        affine = affine && of->items[i]->affine;
    }
    out->known = affine ? hull_by_sets(of) : hull_by_intervals(of);
    if (out->known)
        out->problem = NULL;
    else if (affine)
        settle(out, "nothing but guards bounds it", of->items[0]);
}

static void footprint(ht_kernel_model *km, size_t array, bool written) {
    group of = {.km = km};
    for (size_t i = 0; i < km->access_count; ++i)
        if (km->accesses[i].array == array &&
            (written ? km->accesses[i].write : km->accesses[i].read)) {
            HT_GROW(of.items, of.count);
            of.items[of.count++] = &km->accesses[i];
        }
    if (of.count) {
        HT_GROW(km->footprints, km->footprint_count);
        of.out = &km->footprints[km->footprint_count++];
        *of.out = (ht_km_footprint){.array = array, .written = written};
        if (km->arrays[array].mixed)
            settle(of.out, "it is accessed as elements of different sizes", of.items[0]);
        else
            find_hull(&of);
    }
    free(of.items);
}

static const ht_poly *reach(ht_kernel_model *km, const ht_poly *from, const ht_poly *to) {
    const ht_poly *gap = ht_poly_add(&km->pool, to, from, -1);
    return gap && ht_poly_scope(&km->pool, gap) == HT_SCOPE_LAUNCH ? gap : NULL;
}

/* Computes how far the reads reach past the block's outputs, matching dimensions from the
 * innermost. */
static void halo(ht_kernel_model *km, ht_km_footprint *read, const ht_km_footprint *outputs) {
    for (size_t d = 0;
         d < read->dimension_count && read->dimension_count == outputs->dimension_count; ++d) {
        size_t own = read->dimension_count - 1 - d, other = outputs->dimension_count - 1 - d;
        read->before[own] = reach(km, read->low[own], outputs->low[other]);
        read->behind[own] = reach(km, outputs->high[other], read->high[own]);
        if (!read->before[own] || !read->behind[own])
            read->before[own] = read->behind[own] = NULL;
    }
}

void ht_kernel_model_footprints(ht_kernel_model *km) {
    for (size_t i = 0; i < km->array_count; ++i) {
        if (km->arrays[i].space == HT_SPACE_PRIVATE)
            continue;
        footprint(km, i, false);
        footprint(km, i, true);
    }
    for (size_t i = 0; i < km->footprint_count; ++i) {
        ht_km_footprint *read = &km->footprints[i];
        const ht_km_footprint *outputs = NULL;
        for (size_t j = 0; j < km->footprint_count && !outputs; ++j)
            if (km->footprints[j].written && km->footprints[j].known &&
                !ht_km_is_shared(km, km->footprints[j].array))
                outputs = &km->footprints[j];
        if (!read->written && read->known && outputs && !ht_km_is_shared(km, read->array))
            halo(km, read, outputs);
    }
    km->mark = km->pool;
}
