#include "refactor/kernel_model/split.h"
#include "refactor/kernel_model/sets.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MAX = 32 };

typedef struct level {
    ht_term stride; /* a product of arguments, or a constant */
    const ht_poly *index;
    bool proved; /* the index below this stride is proved to be less than the ratio to the next
                    stride */
} level;

typedef struct splitting {
    ht_kernel_model *km;
    const ht_km_access *access;
    const ht_poly *subscript;
    level levels[HT_KM_DIMENSIONS_MAX]; /* innermost first */
    size_t count;
} splitting;

/* ---- terms ---- */

static bool is_argument(const splitting *in, size_t symbol) {
    return in->km->pool.symbols[symbol].scope == HT_SCOPE_LAUNCH;
}

/* Separates the arguments in a term from its variables. Returns false if it multiplies
 * variables. */
static bool arguments_of(const splitting *in, const ht_term *term, ht_term *out,
                         size_t *variables) {
    *out = (ht_term){.coefficient = 1};
    *variables = 0;
    for (size_t i = 0; i < term->count; ++i)
        if (is_argument(in, term->symbols[i]))
            out->symbols[out->count++] = term->symbols[i];
        else
            ++*variables;
    return *variables <= 1;
}

static const ht_poly *product(const splitting *in, const ht_term *term) {
    ht_term copy = *term;
    return ht_poly_make(&in->km->pool, &copy, 1);
}

/* ---- proofs ---- */

/* Returns true if 0 <= index < bound is proved wherever the access is made. */
static bool lies_below(const splitting *in, const ht_poly *index, const ht_poly *bound) {
    ht_km_layout layout;
    if (!ht_poly_is_affine(&in->km->pool, index) || !ht_poly_is_affine(&in->km->pool, bound))
        return false;
    ht_km_layout_init(&layout, in->km, false);
    ht_km_layout_reach_control(&layout, &in->access->control, true);
    ht_km_layout_reach(&layout, index);
    ht_km_layout_reach(&layout, bound);
    isl_set *domain = ht_km_layout_domain(&layout, &in->access->control, true);
    isl_pw_aff *value = isl_pw_aff_from_aff(ht_km_layout_affine(&layout, index));
    isl_pw_aff *limit = isl_pw_aff_from_aff(ht_km_layout_affine(&layout, bound));
    isl_set *fits = isl_pw_aff_lt_set(isl_pw_aff_copy(value), limit);
    fits = isl_set_intersect(fits, isl_pw_aff_nonneg_set(value));
    bool proved = isl_set_is_subset(domain, fits) == isl_bool_true;
    isl_set_free(domain);
    isl_set_free(fits);
    ht_km_layout_free(&layout);
    return proved;
}

/* Returns true if the index takes values within a block that differ by less than `stride`. */
static bool spans_below(const splitting *in, const ht_poly *index, int64_t stride) {
    ht_km_layout layout;
    if (!ht_poly_is_affine(&in->km->pool, index))
        return false;
    ht_km_layout_init(&layout, in->km, true);
    ht_km_layout_reach_control(&layout, &in->access->control, false);
    ht_km_layout_reach(&layout, index);
    isl_set *domain = ht_km_layout_domain(&layout, &in->access->control, false);
    isl_aff *value = ht_km_layout_affine(&layout, index);
    isl_set *image = isl_set_apply(domain, isl_map_from_basic_map(isl_basic_map_from_aff(value)));
    isl_set *gaps = isl_map_deltas(isl_map_from_domain_and_range(image, isl_set_copy(image)));
    isl_aff *gap =
        isl_aff_var_on_domain(isl_local_space_from_space(isl_set_get_space(gaps)), isl_dim_set, 0);
    gap = isl_aff_add_constant_si(gap, (int)-stride);
    isl_set *wide = isl_set_intersect(gaps, isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(gap)));
    bool proved = isl_set_is_empty(wide) == isl_bool_true;
    isl_set_free(wide);
    ht_km_layout_free(&layout);
    return proved;
}

/* ---- levels ---- */

/* Distributes the subscript's terms to the levels. Returns false if a level gets too many. */
static bool distribute(splitting *in) {
    ht_term *terms = ht_alloc(in->subscript->count + 1, sizeof *terms);
    bool *taken = ht_alloc(in->subscript->count + 1, sizeof *taken);
    bool fits = true;
    for (size_t l = in->count; l-- > 0;) {
        size_t count = 0;
        for (size_t i = 0; i < in->subscript->count; ++i)
            if (!taken[i] &&
                ht_term_divide(&in->subscript->terms[i], &in->levels[l].stride, &terms[count])) {
                taken[i] = true;
                ++count;
            }
        in->levels[l].index = ht_poly_make(&in->km->pool, terms, count);
        fits = fits && in->levels[l].index;
    }
    free(terms);
    free(taken);
    return fits;
}

static bool moves_with_thread(const splitting *in, const ht_poly *poly) {
    return ht_poly_scope(&in->km->pool, poly) >= HT_SCOPE_BLOCK;
}

/* Takes a product of arguments as a stride if the indices below it allow that. */
static void try_stride(splitting *in, const ht_term *stride) {
    ht_term ratio;
    level *top = &in->levels[in->count - 1];
    if (in->count == HT_KM_DIMENSIONS_MAX || !ht_term_divide(stride, &top->stride, &ratio))
        return;
    in->levels[in->count++] = (level){.stride = *stride};
    bool accepted = distribute(in);
    bool proved = accepted && lies_below(in, top->index, product(in, &ratio));
    bool moves = false;
    for (size_t l = 0; l + 1 < in->count && accepted; ++l)
        moves = moves || moves_with_thread(in, in->levels[l].index);
    if (!accepted || (!proved && !moves))
        --in->count;
    else
        top->proved = proved;
}

static int by_size(const void *a, const void *b) {
    const ht_term *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return memcmp(x->symbols, y->symbols, x->count * sizeof *x->symbols);
}

static const char *find_levels(splitting *in) {
    ht_term candidates[CANDIDATES_MAX];
    size_t count = 0, variables;
    for (size_t i = 0; i < in->subscript->count; ++i) {
        ht_term stride;
        if (!arguments_of(in, &in->subscript->terms[i], &stride, &variables))
            return "it multiplies values that change";
        bool known = stride.count == 0 || variables == 0;
        for (size_t c = 0; c < count; ++c)
            known = known || by_size(&candidates[c], &stride) == 0;
        if (!known && count < CANDIDATES_MAX)
            candidates[count++] = stride;
    }
    if (count)
        qsort(candidates, count, sizeof *candidates, by_size);
    in->levels[0] = (level){.stride = {.coefficient = 1}};
    in->count = 1;
    for (size_t c = 0; c < count; ++c)
        try_stride(in, &candidates[c]);
    return distribute(in) ? NULL : "it is too long";
}

/* ---- constant strides ---- */

static int64_t coefficient_of(const splitting *in, const ht_poly *index, ht_km_symbol_kind kind,
                              int axis) {
    for (size_t i = 0; i < index->count; ++i) {
        const ht_term *term = &index->terms[i];
        if (term->count == 1 && in->km->pool.symbols[term->symbols[0]].kind == kind &&
            in->km->pool.symbols[term->symbols[0]].axis == axis)
            return term->coefficient;
    }
    return 0;
}

/* Returns true if the index is blockIdx * 16 + threadIdx: a global index, which must not be split
 * into a tile's number and a place in the tile. */
static bool parts_global_index(const splitting *in, const ht_poly *index, int64_t stride) {
    for (int axis = 0; axis < 3; ++axis) {
        int64_t block = coefficient_of(in, index, HT_KM_BLOCK, axis);
        int64_t thread = coefficient_of(in, index, HT_KM_THREAD, axis);
        if (thread && block == stride && thread * in->km->facts->axes[axis].block == block)
            return true;
    }
    return false;
}

/* Writes a level's index as high * stride + low, with the terms that the stride does not divide in
 * low. */
static bool split_constant(splitting *in, const level *from, int64_t stride, level *low,
                           level *high) {
    const ht_poly *index = from->index;
    ht_term *lows = ht_alloc(index->count + 1, sizeof *lows);
    ht_term *highs = ht_alloc(index->count + 1, sizeof *highs);
    size_t low_count = 0, high_count = 0, variables = 0;
    for (size_t i = 0; i < index->count; ++i) {
        ht_term term = index->terms[i];
        if (term.count == 0) { /* a constant goes to the nearer multiple */
            int64_t rest = term.coefficient % stride;
            rest -= rest > stride / 2 ? stride : rest < -(stride / 2) ? -stride : 0;
            lows[low_count] = highs[high_count] = term;
            lows[low_count++].coefficient = rest;
            highs[high_count++].coefficient = (term.coefficient - rest) / stride;
        } else if (term.coefficient % stride == 0) {
            term.coefficient /= stride;
            highs[high_count++] = term;
        } else {
            lows[low_count++] = term;
            ++variables;
        }
    }
    *low = *high = *from;
    low->index = ht_poly_make(&in->km->pool, lows, low_count);
    high->index = ht_poly_make(&in->km->pool, highs, high_count);
    high->stride.coefficient = from->stride.coefficient * stride;
    free(lows);
    free(highs);
    return variables && high_count && low->index && high->index && high->index->count &&
           spans_below(in, low->index, stride);
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void split_level(splitting *in, size_t at) {
    int64_t strides[64];
    size_t count = 0;
    const ht_poly *index = in->levels[at].index;
    for (size_t i = 0; i < index->count && count < 64; ++i) {
        int64_t value = llabs(index->terms[i].coefficient);
        if (index->terms[i].count && value > 1 && value < 1 << 30)
            strides[count++] = value;
    }
    if (count)
        qsort(strides, count, sizeof *strides, by_value);
    for (size_t i = 0; i < count && in->count < HT_KM_DIMENSIONS_MAX; ++i) {
        level low, high;
        if (parts_global_index(in, index, strides[i]) ||
            !split_constant(in, &in->levels[at], strides[i], &low, &high))
            continue;
        memmove(&in->levels[at + 2], &in->levels[at + 1],
                (in->count - at - 1) * sizeof *in->levels);
        ++in->count;
        low.proved = lies_below(in, low.index, ht_poly_constant(&in->km->pool, strides[i]));
        in->levels[at] = low;
        in->levels[at + 1] = high;
        split_level(in, at + 1);
        return;
    }
}

/* Moves the common factor of a level's index into its stride: 9 * m with the stride C is m with the
 * stride 9 * C. */
static void take_out_factor(splitting *in, level *of) {
    int64_t factor = 0;
    for (size_t i = 0; i < of->index->count; ++i) {
        int64_t a = llabs(of->index->terms[i].coefficient), b = factor;
        while (b) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        factor = a;
    }
    if (factor < 2 || of == in->levels)
        return;
    ht_term *terms = ht_alloc(of->index->count, sizeof *terms);
    memcpy(terms, of->index->terms, of->index->count * sizeof *terms);
    for (size_t i = 0; i < of->index->count; ++i)
        terms[i].coefficient /= factor;
    of->index = ht_poly_make(&in->km->pool, terms, of->index->count);
    of->stride.coefficient *= factor;
    free(terms);
}

/* ---- an access ---- */

static void keep_levels(const splitting *in, ht_km_access *access) {
    ht_kernel_model *km = in->km;
    access->aligned = true;
    access->dimension_count = in->count;
    access->dimensions = ht_poly_pool_alloc(&km->pool, in->count, sizeof *access->dimensions);
    for (size_t l = 0; l < in->count; ++l) {
        ht_km_dimension *dimension = &access->dimensions[in->count - 1 - l];
        dimension->index = in->levels[l].index;
        dimension->stride = product(in, &in->levels[l].stride);
        access->aligned = access->aligned && (l + 1 == in->count || in->levels[l].proved);
    }
}

static void split_flat(ht_kernel_model *km, ht_km_access *access) {
    splitting in = {.km = km, .access = access, .subscript = access->subscripts[0]};
    access->problem = find_levels(&in);
    if (access->problem) {
        in.levels[0] = (level){.stride = {.coefficient = 1}, .index = in.subscript};
        in.count = 1;
    } else {
        for (size_t l = in.count; l-- > 0;) {
            take_out_factor(&in, &in.levels[l]);
            split_level(&in, l);
        }
    }
    keep_levels(&in, access);
}

static void split_declared(ht_kernel_model *km, ht_km_access *access) {
    access->aligned = true;
    access->dimension_count = access->subscript_count;
    access->dimensions =
        ht_poly_pool_alloc(&km->pool, access->subscript_count, sizeof *access->dimensions);
    for (size_t i = 0; i < access->subscript_count; ++i)
        access->dimensions[i] =
            (ht_km_dimension){access->subscripts[i], ht_poly_constant(&km->pool, 1)};
}

/* Returns why a dimension is not affine, in words. */
static const char *not_affine(ht_kernel_model *km, const ht_poly *index) {
    for (size_t i = 0; i < index->count; ++i)
        for (size_t j = 0; j < index->terms[i].count; ++j) {
            const ht_km_symbol *symbol = &km->pool.symbols[index->terms[i].symbols[j]];
            bool opaque = symbol->kind == HT_KM_OPAQUE && symbol->scope != HT_SCOPE_LAUNCH;
            bool by_argument =
                (symbol->kind == HT_KM_QUOTIENT || symbol->kind == HT_KM_REMAINDER) &&
                symbol->scope != HT_SCOPE_LAUNCH &&
                ht_poly_scope(&km->pool, symbol->operands[1]) == HT_SCOPE_LAUNCH &&
                (symbol->operands[1]->count != 1 || symbol->operands[1]->terms[0].count);
            if (opaque || by_argument) {
                char *name = ht_km_symbol_text(&km->pool, index->terms[i].symbols[j]);
                return ht_poly_pool_keep(
                    &km->pool, opaque ? name : (free(name), ht_strdup("divided by an argument")));
            }
        }
    return ht_poly_is_affine(&km->pool, index) ? NULL : "a step is an argument";
}

void ht_km_split(ht_kernel_model *km, ht_km_access *access) {
    if (access->subscript_count == 1)
        split_flat(km, access);
    else
        split_declared(km, access);
    access->affine = !access->problem;
    for (size_t i = 0; i < access->dimension_count && !access->problem; ++i) {
        access->problem = not_affine(km, access->dimensions[i].index);
        access->affine = ht_poly_is_affine(&km->pool, access->dimensions[i].index) &&
                         access->affine && !access->problem;
    }
}
