/* Domains as isl's sets. */
#include "refactor/kernel_model/sets.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const ht_km_symbol *symbol_at(const ht_km_layout *layout, size_t symbol) {
    return &layout->km->pool.symbols[symbol];
}

size_t ht_builtin_symbol(ht_kernel_model *km, ht_km_symbol_kind kind, int axis) {
    static const char *const prefixes[] = {[HT_KM_THREAD] = "t",
                                           [HT_KM_BLOCK] = "b",
                                           [HT_KM_ORIGIN] = "o",
                                           [HT_KM_BLOCK_DIM] = "D",
                                           [HT_KM_GRID_DIM] = "G"};
    char name[3] = {prefixes[kind][0], (char)('x' + axis), 0};
    ht_km_symbol symbol = {.kind = kind,
                           .scope = kind == HT_KM_THREAD                          ? HT_SCOPE_THREAD
                                    : kind == HT_KM_BLOCK || kind == HT_KM_ORIGIN ? HT_SCOPE_BLOCK
                                                                                  : HT_SCOPE_LAUNCH,
                           .axis = axis,
                           .name = name};
    return ht_poly_symbol(&km->pool, &symbol);
}

bool ht_axis_used(const ht_kernel_model *km, int axis) {
    const ht_axis *of = &km->facts->axes[axis];
    return of->uses_thread || of->uses_block || of->uses_global || of->uses_block_dim ||
           of->uses_grid_dim;
}

/* ---- layouts ---- */

static bool is_given(const ht_km_layout *layout, size_t symbol) {
    return layout->given && layout->given(layout->given_context, symbol);
}

static bool is_param(const ht_km_layout *layout, size_t symbol) {
    const ht_km_symbol *of = symbol_at(layout, symbol);
    return of->scope == HT_SCOPE_LAUNCH || is_given(layout, symbol) ||
           (layout->block_given && (of->kind == HT_KM_BLOCK || of->kind == HT_KM_ORIGIN));
}

static bool has(const size_t *items, size_t count, size_t symbol) {
    for (size_t i = 0; i < count; ++i)
        if (items[i] == symbol)
            return true;
    return false;
}

static void reach_test(ht_km_layout *layout, const ht_km_test *test);

static void reach_symbol(ht_km_layout *layout, size_t symbol) {
    bool param = is_param(layout, symbol);
    if (has(layout->params, layout->param_count, symbol) ||
        has(layout->dims, layout->dim_count, symbol))
        return;
    if (param) {
        HT_GROW(layout->params, layout->param_count);
        layout->params[layout->param_count++] = symbol;
    } else {
        HT_GROW(layout->dims, layout->dim_count);
        layout->dims[layout->dim_count++] = symbol;
    }
    ht_km_symbol of = *symbol_at(layout, symbol); /* a copy, since the pool may grow */
    if (of.kind == HT_KM_PRODUCT)
        return;
    for (size_t i = 0; i < 2; ++i)
        if (of.operands[i])
            ht_km_layout_reach(layout, of.operands[i]);
    if (of.test)
        reach_test(layout, of.test);
    if (of.kind == HT_KM_LOOP) {
        ht_km_loop loop = layout->km->loops[of.loop];
        if (loop.step)
            ht_km_layout_reach(layout, loop.step);
        reach_test(layout, loop.condition);
    }
}

static bool is_argument_product(const ht_poly_pool *pool, const ht_term *term) {
    for (size_t i = 0; i < term->count; ++i)
        if (pool->symbols[term->symbols[i]].scope != HT_SCOPE_LAUNCH)
            return false;
    return term->count > 1;
}

static size_t product_symbol(ht_kernel_model *km, const ht_term *term) {
    ht_term bare = *term;
    bare.coefficient = 1;
    ht_km_symbol symbol = {.kind = HT_KM_PRODUCT,
                           .scope = HT_SCOPE_LAUNCH,
                           .operands = {ht_poly_make(&km->pool, &bare, 1), NULL}};
    return ht_poly_symbol(&km->pool, &symbol);
}

void ht_km_layout_reach(ht_km_layout *layout, const ht_poly *poly) {
    for (size_t i = 0; i < poly->count; ++i) {
        const ht_term *term = &poly->terms[i];
        if (is_argument_product(&layout->km->pool, term)) {
            reach_symbol(layout, product_symbol(layout->km, term));
            for (size_t j = 0; j < term->count; ++j)
                if (symbol_at(layout, term->symbols[j])->kind == HT_KM_BLOCK_DIM)
                    reach_symbol(layout, term->symbols[j]);
        } else
            for (size_t j = 0; j < term->count; ++j)
                reach_symbol(layout, term->symbols[j]);
    }
}

static void reach_test(ht_km_layout *layout, const ht_km_test *test) {
    if (test->kind == HT_TEST_AND || test->kind == HT_TEST_OR) {
        reach_test(layout, test->left);
        reach_test(layout, test->right);
    } else if (test->value)
        ht_km_layout_reach(layout, test->value);
}

void ht_km_layout_reach_control(ht_km_layout *layout, const ht_km_control *control, bool guards) {
    for (size_t i = 0; i < control->loop_count; ++i)
        reach_symbol(layout, layout->km->loops[control->loops[i]].symbol);
    for (size_t i = 0; guards && i < control->guard_count; ++i)
        reach_test(layout, control->guards[i].test);
}

static void reach_builtins(ht_km_layout *layout) {
    static const ht_km_symbol_kind kinds[] = {HT_KM_THREAD, HT_KM_BLOCK, HT_KM_ORIGIN};
    ht_kernel_model *km = layout->km;
    for (size_t kind = 0; kind < 3; ++kind)
        for (int axis = 0; axis < 3; ++axis)
            reach_symbol(layout, ht_builtin_symbol(km, kinds[kind], axis));
    for (int axis = 0; axis < 3; ++axis)
        if (ht_axis_used(km, axis)) {
            reach_symbol(layout, ht_builtin_symbol(km, HT_KM_BLOCK_DIM, axis));
            reach_symbol(layout, ht_builtin_symbol(km, HT_KM_GRID_DIM, axis));
        }
}

void ht_km_layout_init(ht_km_layout *layout, ht_kernel_model *km, bool block_given) {
    *layout = (ht_km_layout){.km = km, .block_given = block_given, .exact = true};
    reach_builtins(layout);
}

void ht_km_layout_init_given(ht_km_layout *layout, ht_kernel_model *km,
                             bool (*given)(const void *context, size_t symbol),
                             const void *context) {
    *layout = (ht_km_layout){.km = km, .given = given, .given_context = context, .exact = true};
    reach_builtins(layout);
}

void ht_km_layout_free(ht_km_layout *layout) {
    free(layout->dims);
    free(layout->params);
    *layout = (ht_km_layout){0};
}

/* ---- spaces and functions ---- */

/* Returns a name that isl can print, different for different symbols. */
static isl_id *id_of(const ht_km_layout *layout, size_t symbol) {
    char *text = ht_km_symbol_text(&layout->km->pool, symbol);
    bool argument = symbol_at(layout, symbol)->kind == HT_KM_ARGUMENT;
    bool plain = symbol_at(layout, symbol)->kind <= HT_KM_ARGUMENT;
    for (char *at = text; *at; ++at)
        if (!isalnum((unsigned char)*at) && *at != '_') {
            *at = '_';
            plain = plain && !argument;
        }
    if (strlen(text) > 40)
        text[40] = 0;
    char *name = plain ? ht_strdup(text) : ht_format("%s_%zu", text, symbol);
    isl_id *id = isl_id_alloc(layout->km->context, name, NULL);
    free(name);
    free(text);
    return id;
}

isl_space *ht_km_layout_space(const ht_km_layout *layout) {
    isl_space *space = isl_space_set_alloc(layout->km->context, (unsigned)layout->param_count,
                                           (unsigned)layout->dim_count);
    for (size_t i = 0; i < layout->param_count; ++i)
        space = isl_space_set_dim_id(space, isl_dim_param, (unsigned)i,
                                     id_of(layout, layout->params[i]));
    for (size_t i = 0; i < layout->dim_count; ++i)
        space =
            isl_space_set_dim_id(space, isl_dim_set, (unsigned)i, id_of(layout, layout->dims[i]));
    return space;
}

bool ht_poly_is_affine(const ht_poly_pool *pool, const ht_poly *poly) {
    for (size_t i = 0; i < poly->count; ++i)
        if (poly->terms[i].count > 1 && !is_argument_product(pool, &poly->terms[i]))
            return false;
    return true;
}

static isl_aff *add_symbol(const ht_km_layout *layout, isl_aff *aff, size_t symbol,
                           int64_t factor) {
    isl_val *value = isl_val_int_from_si(layout->km->context, factor);
    for (size_t i = 0; i < layout->param_count; ++i)
        if (layout->params[i] == symbol)
            return isl_aff_add_coefficient_val(aff, isl_dim_param, (int)i, value);
    for (size_t i = 0; i < layout->dim_count; ++i)
        if (layout->dims[i] == symbol)
            return isl_aff_add_coefficient_val(aff, isl_dim_in, (int)i, value);
    isl_val_free(value);
    return isl_aff_free(aff);
}

isl_aff *ht_km_layout_affine(const ht_km_layout *layout, const ht_poly *poly) {
    const ht_poly_pool *pool = &layout->km->pool;
    if (!ht_poly_is_affine(pool, poly))
        return NULL;
    isl_aff *aff = isl_aff_zero_on_domain(isl_local_space_from_space(ht_km_layout_space(layout)));
    for (size_t i = 0; i < poly->count && aff; ++i) {
        const ht_term *term = &poly->terms[i];
        if (term->count == 0)
            aff = isl_aff_add_constant_val(
                aff, isl_val_int_from_si(layout->km->context, term->coefficient));
        else
            aff = add_symbol(layout, aff,
                             term->count > 1 ? product_symbol(layout->km, term) : term->symbols[0],
                             term->coefficient);
    }
    return aff;
}

isl_map *ht_km_layout_map(const ht_km_layout *layout, const ht_poly *const *values, size_t count,
                          isl_set *domain) {
    isl_aff_list *list = isl_aff_list_alloc(layout->km->context, (int)count);
    for (size_t i = 0; i < count; ++i)
        list = isl_aff_list_add(list, ht_km_layout_affine(layout, values[i]));
    isl_basic_map *map = isl_basic_map_from_aff_list(isl_set_get_space(domain), list);
    return isl_map_intersect_domain(isl_map_from_basic_map(map), isl_set_copy(domain));
}

isl_map *ht_km_layout_access(const ht_km_layout *layout, const ht_km_access *access,
                             isl_set *domain) {
    const ht_poly *indices[HT_KM_DIMENSIONS_MAX];
    for (size_t d = 0; d < access->dimension_count; ++d)
        indices[d] = access->dimensions[d].index;
    return ht_km_layout_map(layout, indices, access->dimension_count, domain);
}

static isl_pw_aff *piecewise(ht_km_layout *layout, const ht_poly *poly) {
    isl_aff *aff = ht_km_layout_affine(layout, poly);
    return aff ? isl_pw_aff_from_aff(aff) : NULL;
}

static isl_set *universe(const ht_km_layout *layout) {
    return isl_set_universe(ht_km_layout_space(layout));
}

static isl_set *lost(ht_km_layout *layout) {
    layout->exact = false;
    return universe(layout);
}

static isl_set *test_set(ht_km_layout *layout, const ht_km_test *test) {
    isl_pw_aff *value;
    switch (test->kind) {
    case HT_TEST_TRUE:
        return universe(layout);
    case HT_TEST_FALSE:
        return isl_set_empty(ht_km_layout_space(layout));
    case HT_TEST_AND:
        return isl_set_intersect(test_set(layout, test->left), test_set(layout, test->right));
    case HT_TEST_OR:
        return isl_set_union(test_set(layout, test->left), test_set(layout, test->right));
    case HT_TEST_UNKNOWN:
        return lost(layout);
    default:
        break;
    }
    value = piecewise(layout, test->value);
    if (!value)
        return lost(layout);
    return test->kind == HT_TEST_NOT_NEGATIVE ? isl_pw_aff_nonneg_set(value)
           : test->kind == HT_TEST_ZERO       ? isl_pw_aff_zero_set(value)
                                              : isl_pw_aff_non_zero_set(value);
}

/* ---- facts about symbols ---- */

static isl_pw_aff *itself(ht_km_layout *layout, size_t symbol) {
    return piecewise(layout, ht_poly_of(&layout->km->pool, symbol));
}

static isl_set *at_least(ht_km_layout *layout, size_t symbol, int64_t value) {
    isl_pw_aff *aff = itself(layout, symbol);
    isl_val *by = isl_val_int_from_si(layout->km->context, -value);
    return isl_pw_aff_nonneg_set(isl_pw_aff_add_constant_val(aff, by));
}

/* Bounds a quotient or remainder by an argument: it is between 0 and the dividend (the divisor, for
 * a remainder) if the dividend is not negative. */
static isl_set *loose_division(ht_km_layout *layout, size_t symbol, const ht_km_symbol *of) {
    isl_pw_aff *a = piecewise(layout, of->operands[0]), *b = piecewise(layout, of->operands[1]);
    layout->exact = false;
    if (!a || !b) {
        isl_pw_aff_free(a);
        isl_pw_aff_free(b);
        return universe(layout);
    }
    isl_set *negative = isl_set_complement(isl_pw_aff_nonneg_set(isl_pw_aff_copy(a)));
    isl_set *bounded = at_least(layout, symbol, 0);
    if (of->kind == HT_KM_QUOTIENT)
        bounded = isl_set_intersect(bounded,
                                    isl_pw_aff_le_set(itself(layout, symbol), isl_pw_aff_copy(a)));
    else
        bounded = isl_set_intersect(bounded,
                                    isl_pw_aff_lt_set(itself(layout, symbol), isl_pw_aff_copy(b)));
    isl_pw_aff_free(a);
    isl_pw_aff_free(b);
    return isl_set_union(negative, bounded);
}

static isl_set *derived(ht_km_layout *layout, size_t symbol, const ht_km_symbol *of) {
    int64_t by;
    bool divides = of->kind == HT_KM_QUOTIENT || of->kind == HT_KM_REMAINDER;
    if (divides && !ht_poly_is_constant(of->operands[1], &by))
        return loose_division(layout, symbol, of);
    isl_pw_aff *a = piecewise(layout, of->operands[0]), *b = piecewise(layout, of->operands[1]);
    if (!a || !b) {
        isl_pw_aff_free(a);
        isl_pw_aff_free(b);
        return lost(layout);
    }
    switch (of->kind) {
    case HT_KM_QUOTIENT:
        return isl_pw_aff_eq_set(itself(layout, symbol), isl_pw_aff_tdiv_q(a, b));
    case HT_KM_REMAINDER:
        return isl_pw_aff_eq_set(itself(layout, symbol), isl_pw_aff_tdiv_r(a, b));
    case HT_KM_MIN:
        return isl_pw_aff_eq_set(itself(layout, symbol), isl_pw_aff_min(a, b));
    case HT_KM_MAX:
        return isl_pw_aff_eq_set(itself(layout, symbol), isl_pw_aff_max(a, b));
    default:
        break;
    }
    isl_set *yes =
        isl_set_intersect(test_set(layout, of->test), isl_pw_aff_eq_set(itself(layout, symbol), a));
    bool exact = layout->exact;
    layout->exact = true;
    isl_set *holds = test_set(layout, of->test);
    isl_set *no =
        layout->exact ? isl_set_complement(holds) : (isl_set_free(holds), universe(layout));
    layout->exact = layout->exact && exact;
    return isl_set_union(yes, isl_set_intersect(no, isl_pw_aff_eq_set(itself(layout, symbol), b)));
}

static isl_set *loop_set(ht_km_layout *layout, size_t symbol, const ht_km_symbol *of) {
    const ht_km_loop *loop = &layout->km->loops[of->loop];
    int64_t step;
    isl_set *set = at_least(layout, symbol, 0);
    if (loop->leaves || !loop->normal || !ht_poly_is_constant(loop->step, &step))
        layout->exact = false;
    return loop->normal ? isl_set_intersect(set, test_set(layout, loop->condition)) : set;
}

static isl_set *thread_set(ht_km_layout *layout, size_t symbol, const ht_km_symbol *of) {
    ht_kernel_model *km = layout->km;
    isl_set *set = at_least(layout, symbol, 0);
    const ht_axis *axis = &km->facts->axes[of->axis];
    bool idle = of->kind == HT_KM_THREAD && !axis->uses_thread && !axis->uses_global;
    if (!ht_axis_used(km, of->axis) || idle)
        return isl_set_intersect(set, isl_pw_aff_zero_set(itself(layout, symbol)));
    if (of->kind == HT_KM_ORIGIN) {
        if (km->tied[of->axis]) {
            const ht_poly *origin = ht_poly_multiply(
                &km->pool, ht_poly_constant(&km->pool, km->facts->axes[of->axis].block),
                ht_poly_of(&km->pool, ht_builtin_symbol(km, HT_KM_BLOCK, of->axis)));
            return isl_set_intersect(
                set, isl_pw_aff_eq_set(itself(layout, symbol), piecewise(layout, origin)));
        }
        size_t block = ht_builtin_symbol(km, HT_KM_BLOCK, of->axis);
        return isl_set_intersect(set,
                                 isl_pw_aff_ge_set(itself(layout, symbol), itself(layout, block)));
    }
    size_t bound = ht_builtin_symbol(
        km, of->kind == HT_KM_THREAD ? HT_KM_BLOCK_DIM : HT_KM_GRID_DIM, of->axis);
    return isl_set_intersect(set, isl_pw_aff_lt_set(itself(layout, symbol), itself(layout, bound)));
}

/* Bounds blockDim.a * gridDim.a: every block's origin is at least a block below it. */
static isl_set *product_set(ht_km_layout *layout, size_t symbol, const ht_km_symbol *of) {
    const ht_term *term = &of->operands[0]->terms[0];
    const ht_km_symbol *a = symbol_at(layout, term->symbols[0]);
    const ht_km_symbol *b = symbol_at(layout, term->symbols[1]);
    layout->exact = false;
    if (term->count != 2 || a->axis != b->axis ||
        !((a->kind == HT_KM_BLOCK_DIM && b->kind == HT_KM_GRID_DIM) ||
          (b->kind == HT_KM_BLOCK_DIM && a->kind == HT_KM_GRID_DIM)))
        return universe(layout);
    int axis = a->axis;
    isl_pw_aff *end =
        isl_pw_aff_add(itself(layout, ht_builtin_symbol(layout->km, HT_KM_ORIGIN, axis)),
                       itself(layout, ht_builtin_symbol(layout->km, HT_KM_BLOCK_DIM, axis)));
    return isl_pw_aff_le_set(end, itself(layout, symbol));
}

static isl_set *symbol_set(ht_km_layout *layout, size_t symbol) {
    ht_km_symbol of = *symbol_at(layout, symbol);
    isl_set *set;
    if (is_given(layout, symbol))
        return universe(layout);
    switch (of.kind) {
    case HT_KM_THREAD:
    case HT_KM_BLOCK:
    case HT_KM_ORIGIN:
        return thread_set(layout, symbol, &of);
    case HT_KM_BLOCK_DIM:
        if (layout->km->tied[of.axis])
            return isl_pw_aff_eq_set(
                itself(layout, symbol),
                piecewise(layout, ht_poly_constant(&layout->km->pool,
                                                   layout->km->facts->axes[of.axis].block)));
        set = isl_pw_aff_nonneg_set(
            isl_pw_aff_add_constant_val(isl_pw_aff_neg(itself(layout, symbol)),
                                        isl_val_int_from_si(layout->km->context, 1024)));
        return isl_set_intersect(set, at_least(layout, symbol, 1));
    case HT_KM_GRID_DIM:
        return at_least(layout, symbol, 1);
    case HT_KM_SUM: {
        isl_pw_aff *sum = piecewise(layout, of.operands[0]);
        return sum ? isl_pw_aff_eq_set(itself(layout, symbol), sum) : lost(layout);
    }
    case HT_KM_PRODUCT:
        return product_set(layout, symbol, &of);
    case HT_KM_LOOP:
        return loop_set(layout, symbol, &of);
    case HT_KM_OPAQUE:
        return lost(layout);
    case HT_KM_ARGUMENT:
        return universe(layout);
    default:
        return derived(layout, symbol, &of);
    }
}

isl_set *ht_km_layout_domain(ht_km_layout *layout, const ht_km_control *control, bool guards) {
    isl_set *set = universe(layout);
    for (size_t i = 0; i < layout->param_count; ++i)
        set = isl_set_intersect(set, symbol_set(layout, layout->params[i]));
    for (size_t i = 0; i < layout->dim_count; ++i)
        set = isl_set_intersect(set, symbol_set(layout, layout->dims[i]));
    for (size_t i = 0; guards && i < control->guard_count; ++i)
        set = isl_set_intersect(set, test_set(layout, control->guards[i].test));
    return isl_set_coalesce(set);
}
