#include "refactor/staging/bounds.h"
#include "refactor/kernel_model/sets.h"
#include "refactor/kernel_model/step.h"
#include "refactor/staging/place.h"
#include "refactor/staging/print.h"
#include "refactor/staging/stage.h"

#include "base/text.h"

#include <isl/constraint.h>
#include <stdlib.h>
#include <string.h>

enum { ALTERNATIVES_MAX = 4 };

typedef struct bounding {
    ht_stage *stage;
    ht_km_layout layout;
    size_t moving[HT_STAGE_DIMENSIONS_MAX]; /* the dimensions that are not uniform */
    unsigned count;
    isl_set *image, *context;
    isl_set *passing; /* elements that pass the tests */
} bounding;

/* ---- the image ---- */

static void init(bounding *in, ht_stage *stage) {
    *in = (bounding){.stage = stage};
    ht_km_layout_init_given(&in->layout, stage->km, ht_stage_is_given, stage);
    for (size_t d = 0; d < stage->dimension_count; ++d)
        if (!stage->dimensions[d].uniform)
            in->moving[in->count++] = d;
    for (size_t i = 0; i < stage->read_count; ++i) {
        const ht_km_access *access = stage->reads[i].access;
        ht_km_layout_reach_control(&in->layout, &access->control, true);
        for (unsigned m = 0; m < in->count; ++m)
            ht_km_layout_reach(&in->layout, access->dimensions[in->moving[m]].index);
    }
}

static isl_set *image_of(bounding *in, const ht_km_access *access) {
    isl_set *domain = ht_km_layout_domain(&in->layout, &access->control, true);
    const ht_poly *indices[HT_STAGE_DIMENSIONS_MAX];
    for (unsigned m = 0; m < in->count; ++m)
        indices[m] = access->dimensions[in->moving[m]].index;
    isl_map *map = ht_km_layout_map(&in->layout, indices, in->count, domain);
    isl_set_free(domain);
    return isl_map_range(map);
}

static bool find_image(bounding *in) {
    ht_stage *stage = in->stage;
    ht_km_control nothing = {0};
    for (size_t i = 0; i < stage->read_count; ++i) {
        const ht_km_access *access = stage->reads[i].access;
        for (unsigned m = 0; m < in->count; ++m)
            if (!ht_poly_is_affine(&stage->km->pool, access->dimensions[in->moving[m]].index))
                return ht_stage_fail(stage, access->from->at, "a step is an argument");
        in->layout.exact = true;
        isl_set *image = image_of(in, access);
        in->image = in->image ? isl_set_union(in->image, image) : image;
        if (!in->layout.exact)
            return ht_stage_fail(stage, access->from->at,
                                 "which elements are read depends on more than indices and sizes");
    }
    in->context = isl_set_params(ht_km_layout_domain(&in->layout, &nothing, false));
    in->image = isl_set_coalesce(isl_set_gist_params(in->image, isl_set_copy(in->context)));
    return in->image != NULL;
}

/* ---- tests ---- */

static int64_t coefficient(isl_constraint *constraint, enum isl_dim_type type, unsigned at) {
    isl_val *value = isl_constraint_get_coefficient_val(constraint, type, (int)at);
    int64_t number = isl_val_get_num_si(value);
    isl_val_free(value);
    return number;
}

typedef struct reading {
    bounding *in;
    size_t alternative;
    bool ends[HT_STAGE_DIMENSIONS_MAX]; /* by moving dimension: this alternative tests an end */
    bool proved; /* the tests are proved, so a missing test for an end is no longer a problem */
    bool failed, open; /* `open`: an alternative lets everything through */
} reading;

/* Returns true if the constraint mentions the size of the grid or the block. */
static bool counts_threads(const bounding *in, isl_constraint *constraint) {
    for (size_t i = 0; i < in->layout.param_count; ++i) {
        ht_km_symbol_kind kind = in->stage->km->pool.symbols[in->layout.params[i]].kind;
        if ((kind == HT_KM_GRID_DIM || kind == HT_KM_BLOCK_DIM) &&
            coefficient(constraint, isl_dim_param, (unsigned)i))
            return true;
    }
    return false;
}

static const ht_poly *value_of(const bounding *in, isl_constraint *constraint, bool negative) {
    ht_poly_pool *pool = &in->stage->km->pool;
    int64_t sign = negative ? -1 : 1;
    isl_val *constant = isl_constraint_get_constant_val(constraint);
    const ht_poly *sum = ht_poly_constant(pool, sign * isl_val_get_num_si(constant));
    isl_val_free(constant);
    for (size_t i = 0; i < in->layout.param_count && sum; ++i)
        sum = ht_poly_add(pool, sum, ht_poly_of(pool, in->layout.params[i]),
                          sign * coefficient(constraint, isl_dim_param, (unsigned)i));
    for (unsigned m = 0; m < in->count && sum; ++m)
        sum = ht_poly_add(pool, sum, ht_poly_of(pool, in->stage->coordinates[in->moving[m]]),
                          sign * coefficient(constraint, isl_dim_set, m));
    return sum;
}

static void add_bound(reading *of, isl_constraint *constraint, bool negative) {
    ht_stage *stage = of->in->stage;
    const ht_poly *value = value_of(of->in, constraint, negative);
    if (!value || stage->bound_count == HT_STAGE_BOUNDS_MAX)
        of->failed = true;
    else
        stage->bounds[stage->bound_count++] = (ht_stage_bound){of->alternative, value};
}

/* Returns true if the condition may depend on a symbol that moves the index. */
static bool may_ask(const ht_poly_pool *pool, const ht_km_test *test, const ht_poly *index) {
    if (test->kind == HT_TEST_TRUE || test->kind == HT_TEST_FALSE)
        return false;
    if (test->kind == HT_TEST_AND || test->kind == HT_TEST_OR)
        return may_ask(pool, test->left, index) || may_ask(pool, test->right, index);
    if (test->kind == HT_TEST_UNKNOWN || !test->value)
        return true;
    for (size_t i = 0; i < test->value->count; ++i)
        for (size_t j = 0; j < test->value->terms[i].count; ++j) {
            const ht_km_symbol *symbol = &pool->symbols[test->value->terms[i].symbols[j]];
            bool plain = symbol->kind <= HT_KM_LOOP;
            if (symbol->scope != HT_SCOPE_LAUNCH &&
                (!plain || ht_poly_mentions(index, test->value->terms[i].symbols[j])))
                return true;
        }
    return false;
}

/* Returns true if a condition may keep some threads of the block from reading, so that a test for
 * the end is needed. */
static bool may_end_early(const bounding *in, unsigned m) {
    const ht_stage *stage = in->stage;
    for (size_t r = 0; r < stage->read_count; ++r) {
        const ht_km_access *access = stage->reads[r].access;
        const ht_poly *index = access->dimensions[in->moving[m]].index;
        for (size_t g = 0; g < access->control.guard_count; ++g)
            if (may_ask(&stage->km->pool, access->control.guards[g].test, index))
                return true;
    }
    return false;
}

static isl_stat on_constraint(isl_constraint *constraint, void *user) {
    reading *of = user;
    bool counts = counts_threads(of->in, constraint);
    bool equal = isl_constraint_is_equality(constraint) == isl_bool_true;
    for (unsigned m = 0; m < of->in->count; ++m)
        if (equal || coefficient(constraint, isl_dim_set, m) < 0)
            of->ends[m] |= !counts && coefficient(constraint, isl_dim_set, m) != 0;
    if (!counts) {
        add_bound(of, constraint, false);
        if (isl_constraint_is_equality(constraint) == isl_bool_true)
            add_bound(of, constraint, true);
    }
    isl_constraint_free(constraint);
    return isl_stat_ok;
}

static isl_stat on_alternative(isl_basic_set *set, void *user) {
    reading *of = user;
    size_t before = of->in->stage->bound_count;
    memset(of->ends, 0, sizeof of->ends);
    set = isl_basic_set_remove_redundancies(set);
    if (!set || isl_basic_set_foreach_constraint(set, on_constraint, of) < 0)
        of->failed = true;
    isl_basic_set_free(set);
    for (unsigned m = 0; m < of->in->count; ++m)
        if (!of->proved && !of->ends[m] && may_end_early(of->in, m))
            of->failed = true;
    of->open = of->open || of->in->stage->bound_count == before;
    ++of->alternative;
    return isl_stat_ok;
}

static bool read_tests(bounding *in, isl_set *passing, bool proved) {
    reading of = {.in = in, .proved = proved};
    in->stage->bound_count = 0;
    bool done =
        passing && isl_set_foreach_basic_set(passing, on_alternative, &of) >= 0 && !of.failed;
    if (of.open)
        in->stage->bound_count = 0;
    return done;
}

/* Tests each dimension by itself: the simplest tests. */
static bool find_box(bounding *in) {
    isl_basic_set *all = isl_basic_set_universe(isl_set_get_space(in->image));
    for (unsigned m = 0; m < in->count; ++m) {
        isl_set *line = isl_set_copy(in->image);
        line = isl_set_project_out(line, isl_dim_set, m + 1, in->count - 1 - m);
        line = isl_set_project_out(line, isl_dim_set, 0, m);
        isl_basic_set *hull = isl_set_simple_hull(isl_set_remove_divs(isl_set_coalesce(line)));
        hull = isl_basic_set_insert_dims(hull, isl_dim_set, 0, m);
        hull = isl_basic_set_add_dims(hull, isl_dim_set, in->count - 1 - m);
        all = isl_basic_set_intersect(all, hull);
    }
    in->passing = isl_set_from_basic_set(all);
    return read_tests(in, in->passing, false);
}

/* ---- limits that the box implies ---- */

/* Adds `factor` times a value of arguments to the left side of a constraint >= 0; NULL: it cannot
 * be expressed. */
static isl_constraint *with_value(const bounding *in, isl_constraint *bound, const ht_poly *value,
                                  int factor) {
    for (size_t i = 0; i < value->count; ++i) {
        const ht_term *term = &value->terms[i];
        size_t at = 0;
        while (term->count == 1 && at < in->layout.param_count &&
               in->layout.params[at] != term->symbols[0])
            ++at;
        if (term->count > 1 || (term->count == 1 && at == in->layout.param_count) ||
            term->coefficient != (int)term->coefficient) {
            isl_constraint_free(bound);
            return NULL;
        }
        int times = factor * (int)term->coefficient;
        bound = term->count
                    ? isl_constraint_set_coefficient_si(bound, isl_dim_param, (int)at, times)
                    : isl_constraint_set_constant_si(bound, times);
    }
    return bound;
}

/* Returns the points with at - end >= 0 (`behind`) or end - at >= 0; all points if that cannot be
 * expressed. */
static isl_basic_set *beside(const bounding *in, unsigned m, const ht_poly *end, bool behind) {
    isl_space *space = isl_set_get_space(in->image);
    isl_constraint *bound = isl_constraint_alloc_inequality(isl_local_space_from_space(space));
    int sign = behind ? 1 : -1;
    bound = isl_constraint_set_coefficient_si(bound, isl_dim_set, (int)m, sign);
    bound = with_value(in, bound, end, -sign);
    return bound ? isl_basic_set_from_constraint(bound)
                 : isl_basic_set_universe(isl_set_get_space(in->image));
}

/* Returns the elements of the box. Outputs' indices are not negative. In dimensions that outputs do
 * not move, the box is as long as loops and neighbours make it. */
static isl_set *box_of(const bounding *in) {
    ht_poly_pool *pool = &in->stage->km->pool;
    isl_basic_set *box = isl_basic_set_universe(isl_set_get_space(in->image));
    for (unsigned m = 0; m < in->count; ++m) {
        const ht_stage_dimension *of = &in->stage->dimensions[in->moving[m]];
        if (!of->low || !of->span || of->factor[0] < 0 || of->factor[1] < 0 || of->factor[2] < 0)
            continue;
        box = isl_basic_set_intersect(box, beside(in, m, of->low, true));
        const ht_poly *high = ht_poly_add(pool, of->low, of->span, 1);
        if (high && !of->factor[0] && !of->factor[1] && !of->factor[2])
            box = isl_basic_set_intersect(box, beside(in, m, high, false));
    }
    return isl_set_from_basic_set(box);
}

/* Drops tests that all elements of the box pass, once that is proved. */
static void forget_implied(bounding *in) {
    ht_stage_bound before[HT_STAGE_BOUNDS_MAX];
    size_t count = in->stage->bound_count;
    memcpy(before, in->stage->bounds, sizeof before);
    isl_set *known = isl_set_intersect_params(box_of(in), isl_set_copy(in->context));
    isl_set *asked = isl_set_gist(isl_set_copy(in->passing), known);
    bool done = read_tests(in, asked, true);
    isl_set_free(asked);
    if (done && in->stage->bound_count <= count)
        return;
    memcpy(in->stage->bounds, before, sizeof before);
    in->stage->bound_count = count;
}

/* Takes the pieces of the image as tests, for shapes without corners such as stars. */
static bool find_pieces(bounding *in) {
    isl_set_free(in->passing);
    in->passing = isl_set_coalesce(isl_set_remove_divs(isl_set_copy(in->image)));
    return isl_set_n_basic_set(in->passing) <= ALTERNATIVES_MAX &&
           read_tests(in, in->passing, false);
}

/* ---- proof ---- */

/* Returns all points for which a read element exists that is nowhere smaller (`up`), or nowhere
 * larger. */
static isl_set *beyond(const bounding *in, bool up) {
    isl_space *space = isl_space_map_from_set(isl_set_get_space(in->image));
    isl_map *map = isl_map_universe(space);
    for (unsigned m = 0; m < in->count; ++m)
        map = up ? isl_map_order_le(map, isl_dim_in, (int)m, isl_dim_out, (int)m)
                 : isl_map_order_ge(map, isl_dim_in, (int)m, isl_dim_out, (int)m);
    return isl_set_apply(isl_set_copy(in->image), map);
}

static bool prove(bounding *in) {
    isl_set *passing =
        isl_set_intersect_params(isl_set_copy(in->passing), isl_set_copy(in->context));
    isl_set *above = beyond(in, true), *below = beyond(in, false);
    bool proved = isl_set_is_subset(passing, above) == isl_bool_true &&
                  isl_set_is_subset(passing, below) == isl_bool_true;
    isl_set_free(passing);
    isl_set_free(above);
    isl_set_free(below);
    return proved;
}

/* ---- windows as wide as their steps ---- */

/* Returns where the value is not negative; NULL: it cannot be expressed. */
static isl_set *not_negative(const bounding *in, const ht_poly *value) {
    isl_space *space = isl_set_get_space(in->image);
    isl_constraint *bound = isl_constraint_alloc_inequality(isl_local_space_from_space(space));
    bound = with_value(in, bound, value, 1);
    return bound ? isl_set_params(isl_set_from_basic_set(isl_basic_set_from_constraint(bound)))
                 : NULL;
}

/* Requires that windows are as wide as their distance. Between narrower windows there are elements
 * that no thread reads, and the last one read would not be the one before the end. The width of a
 * staged window is a constant of the template, so a require can demand it. Returns false if there
 * is nothing to require. */
static bool assume_wide(bounding *in) {
    ht_stage *stage = in->stage;
    ht_poly_pool *pool = &stage->km->pool;
    ht_text asked = {0};
    bool any = false;
    for (unsigned m = 0; m < in->count; ++m) {
        const ht_stage_dimension *of = &stage->dimensions[in->moving[m]];
        int64_t apart = 1, number;
        for (int axis = 0; axis < 3; ++axis)
            apart = of->factor[axis] > apart ? of->factor[axis] : apart;
        if (apart == 1 || !of->span || ht_poly_is_constant(of->span, &number))
            continue;
        const ht_poly *more = ht_poly_add(pool, of->span, ht_poly_constant(pool, 1), 1 - apart);
        isl_set *wide = more ? not_negative(in, more) : NULL;
        if (!wide)
            continue;
        in->context = isl_set_intersect(in->context, wide);
        ht_text one = {0};
        any = ht_stage_print_constant(stage, more, &one);
        ht_text_append(&one, " >= 0");
        if (!asked.length || !strstr(asked.data, one.data))
            ht_text_printf(&asked, asked.length ? " && %s" : "%s", one.data);
        ht_text_free(&one);
        if (!any)
            break;
    }
    if (any)
        stage->wide = ht_text_take(&asked);
    ht_text_free(&asked);
    return any;
}

static bool asks_block(const ht_poly_pool *pool, const ht_poly *poly, int axis) {
    for (size_t i = 0; i < poly->count; ++i)
        for (size_t j = 0; j < poly->terms[i].count; ++j) {
            const ht_km_symbol *symbol = &pool->symbols[poly->terms[i].symbols[j]];
            if ((symbol->kind == HT_KM_BLOCK || symbol->kind == HT_KM_ORIGIN) &&
                symbol->axis == axis)
                return true;
            for (int k = 0; k < 2 && symbol->kind != HT_KM_QUOTIENT; ++k)
                if (symbol->operands[k] && asks_block(pool, symbol->operands[k], axis))
                    return true;
        }
    return false;
}

bool ht_stage_asks_block(const ht_stage *stage, int axis) {
    for (size_t i = 0; i < stage->bound_count; ++i)
        if (asks_block(&stage->km->pool, stage->bounds[i].value, axis))
            return true;
    return false;
}

/* Tries tests of single dimensions, then of pieces. */
static bool find_tests(bounding *in) {
    isl_set_free(in->passing);
    in->passing = NULL;
    return (find_box(in) && prove(in)) || (find_pieces(in) && prove(in));
}

bool ht_stage_bounds(ht_stage *stage) {
    bounding in;
    for (size_t d = 0; d < stage->dimension_count; ++d)
        stage->coordinates[d] = ht_stage_coordinate(stage->km, d);
    init(&in, stage);
    bool done = find_image(&in) && (find_tests(&in) || (assume_wide(&in) && find_tests(&in)));
    if (done)
        forget_implied(&in);
    isl_set_free(in.image);
    isl_set_free(in.context);
    isl_set_free(in.passing);
    ht_km_layout_free(&in.layout);
    ht_km_step(stage->km);
    return done || ht_stage_fail(stage, stage->reads[0].access->from->at,
                                 "that all elements of the box are of the array is not proved");
}
