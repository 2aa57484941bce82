#include "refactor/kernel_model/dependence.h"
#include "refactor/kernel_model/build.h"
#include "refactor/kernel_model/sets.h"

#include "base/memory.h"
#include "refactor/kernel_model/step.h"
#include "refactor/kernel_model/test.h"

#include <isl/constraint.h>

#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 300 };

/* ---- two threads ---- */

static isl_map *universe_between(isl_set *a, isl_set *b) {
    return isl_map_from_domain_and_range(isl_set_universe(isl_set_get_space(a)),
                                         isl_set_universe(isl_set_get_space(b)));
}

static isl_map *all_equal(isl_map *map, unsigned first, unsigned count) {
    for (unsigned i = first; i < first + count; ++i)
        map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
    return map;
}

/* Returns the pairs with in[i] + step <= out[j]; unless `forward`, those with out[j] + step <=
 * in[i]. */
static isl_map *apart(isl_map *universe, const ht_km_layout *a, const ht_poly *step, unsigned i,
                      unsigned j, bool forward) {
    isl_space *space = isl_map_get_space(universe);
    isl_constraint *constraint =
        isl_constraint_alloc_inequality(isl_local_space_from_space(isl_space_copy(space)));
    constraint =
        isl_constraint_set_coefficient_si(constraint, isl_dim_in, (int)i, forward ? -1 : 1);
    constraint =
        isl_constraint_set_coefficient_si(constraint, isl_dim_out, (int)j, forward ? 1 : -1);
    isl_aff *aff = ht_km_layout_affine(a, step);
    for (size_t p = 0; p < a->param_count; ++p) {
        isl_val *value = isl_aff_get_coefficient_val(aff, isl_dim_param, (int)p);
        const char *name = isl_aff_get_dim_name(aff, isl_dim_param, (unsigned)p);
        int at = isl_map_find_dim_by_name(universe, isl_dim_param, name);
        if (at >= 0)
            constraint = isl_constraint_set_coefficient_val(constraint, isl_dim_param, at,
                                                            isl_val_neg(value));
        else
            isl_val_free(value);
    }
    constraint =
        isl_constraint_set_constant_val(constraint, isl_val_neg(isl_aff_get_constant_val(aff)));
    isl_aff_free(aff);
    isl_space_free(space);
    return isl_map_add_constraint(universe, constraint);
}

/* Restricts the pairs to multiples of one step: they are equal, or at least a step apart. */
static isl_map *on_lattice(isl_map *map, const ht_km_layout *a, const ht_poly *step, unsigned i,
                           unsigned j) {
    isl_space *space = isl_map_get_space(map);
    isl_map *same = isl_map_equate(isl_map_universe(isl_space_copy(space)), isl_dim_in, (int)i,
                                   isl_dim_out, (int)j);
    isl_map *before = apart(isl_map_universe(isl_space_copy(space)), a, step, i, j, true);
    isl_map *behind = apart(isl_map_universe(space), a, step, i, j, false);
    return isl_map_intersect(map, isl_map_union(same, isl_map_union(before, behind)));
}

static size_t position(const ht_km_layout *layout, size_t symbol) {
    for (size_t i = 0; i < layout->dim_count; ++i)
        if (layout->dims[i] == symbol)
            return i;
    return SIZE_MAX;
}

/* Restricts blocks and iterations whose pitch is not a constant to what is known of any two of
 * them. */
static isl_map *pitches(isl_map *map, const ht_km_layout *a, const ht_km_layout *b) {
    ht_kernel_model *km = a->km;
    for (int axis = 0; axis < 3; ++axis) {
        if (km->tied[axis] || !ht_axis_used(km, axis))
            continue;
        const ht_poly *pitch = ht_poly_of(&km->pool, ht_builtin_symbol(km, HT_KM_BLOCK_DIM, axis));
        unsigned block = HT_DIM_BLOCK + (unsigned)axis, origin = HT_DIM_ORIGIN + (unsigned)axis;
        isl_space *space = isl_map_get_space(map);
        isl_map *same =
            all_equal(all_equal(isl_map_universe(isl_space_copy(space)), block, 1), origin, 1);
        isl_map *before =
            apart(isl_map_universe(isl_space_copy(space)), a, pitch, origin, origin, true);
        before = isl_map_order_lt(before, isl_dim_in, (int)block, isl_dim_out, (int)block);
        isl_map *behind = apart(isl_map_universe(space), a, pitch, origin, origin, false);
        behind = isl_map_order_gt(behind, isl_dim_in, (int)block, isl_dim_out, (int)block);
        map = isl_map_intersect(map, isl_map_union(same, isl_map_union(before, behind)));
    }
    for (size_t i = 0; i < a->dim_count; ++i) {
        const ht_km_symbol *symbol = &km->pool.symbols[a->dims[i]];
        size_t other = position(b, a->dims[i]);
        int64_t step;
        if (symbol->kind != HT_KM_LOOP || other == SIZE_MAX)
            continue;
        const ht_poly *pitch = km->loops[symbol->loop].step;
        if (pitch && !ht_poly_is_constant(pitch, &step) && ht_poly_is_affine(&km->pool, pitch) &&
            ht_poly_scope(&km->pool, pitch) == HT_SCOPE_LAUNCH)
            map = on_lattice(map, a, pitch, (unsigned)i, (unsigned)other);
    }
    return map;
}

/* Which pairs of threads may conflict. */
typedef enum strangers_of { OF_BLOCK, OF_LAUNCH, OF_OTHER_BLOCKS } strangers_of;

/* Returns the pairs of different threads of the launch, of one block, or of different blocks. */
static isl_map *strangers(isl_set *a, isl_set *b, strangers_of which) {
    isl_map *all = universe_between(a, b);
    if (which == OF_OTHER_BLOCKS) {
        isl_map *same = all_equal(isl_map_copy(all), HT_DIM_BLOCK, 3);
        return isl_map_subtract(all, same);
    }
    if (which == OF_BLOCK) {
        all = all_equal(all_equal(all, HT_DIM_BLOCK, 3), HT_DIM_ORIGIN, 3);
        isl_map *same = all_equal(isl_map_copy(all), HT_DIM_THREAD, 3);
        return isl_map_subtract(all, same);
    }
    isl_map *same = all_equal(all_equal(isl_map_copy(all), HT_DIM_THREAD, 3), HT_DIM_BLOCK, 3);
    return isl_map_subtract(all, same);
}

/* ---- one pair ---- */

static bool same_strides(const ht_km_access *a, const ht_km_access *b) {
    if (a->dimension_count != b->dimension_count)
        return false;
    for (size_t i = 0; i < a->dimension_count; ++i)
        if (a->dimensions[i].stride != b->dimensions[i].stride)
            return false;
    return true;
}

typedef struct addresses {
    const ht_poly *of[HT_KM_DIMENSIONS_MAX];
    size_t count;
} addresses;

/* Finds the coordinates that must be equal for two accesses to touch the same element. Returns
 * false if they are not known. */
static bool addresses_of(const ht_kernel_model *km, const ht_km_access *a, const ht_km_access *b,
                         addresses *out_a, addresses *out_b) {
    const ht_km_access *both[2] = {a, b};
    addresses *out[2] = {out_a, out_b};
    bool flat = true;
    for (int i = 0; i < 2; ++i)
        flat = flat && both[i]->subscript_count == 1 &&
               ht_poly_is_affine(&km->pool, both[i]->subscripts[0]);
    bool split = same_strides(a, b) && a->aligned && b->aligned;
    for (int i = 0; i < 2; ++i) {
        out[i]->count = flat ? 1 : both[i]->dimension_count;
        for (size_t d = 0; d < out[i]->count && d < HT_KM_DIMENSIONS_MAX; ++d) {
            out[i]->of[d] = flat ? both[i]->subscripts[0] : both[i]->dimensions[d].index;
            if (!ht_poly_is_affine(&km->pool, out[i]->of[d]))
                return false;
        }
    }
    return (flat || split) && out_a->count == out_b->count && out_a->count <= HT_KM_DIMENSIONS_MAX;
}

/* Returns the terms of a subscript that are the same for all threads of a block, in all iterations;
 * or (not `same`) the others. */
static const ht_poly *block_part(ht_kernel_model *km, const ht_poly *subscript, bool same) {
    ht_term *terms = ht_alloc(subscript->count + 1, sizeof *terms);
    size_t count = 0;
    for (size_t i = 0; i < subscript->count; ++i) {
        const ht_term *term = &subscript->terms[i];
        bool steady = true;
        for (size_t j = 0; j < term->count; ++j) {
            ht_km_symbol_kind kind = km->pool.symbols[term->symbols[j]].kind;
            steady =
                steady && (kind == HT_KM_BLOCK || kind == HT_KM_ORIGIN || kind == HT_KM_BLOCK_DIM ||
                           kind == HT_KM_GRID_DIM || kind == HT_KM_ARGUMENT);
        }
        if (steady == same)
            terms[count++] = *term;
    }
    const ht_poly *part = ht_poly_make(&km->pool, terms, count);
    free(terms);
    return part;
}

/* The same for two threads of one block: where they begin in memory, which may be a product of
 * several sizes, need not be followed if it is the same. */
static bool offsets_of(ht_kernel_model *km, const ht_km_access *a, const ht_km_access *b,
                       addresses *out_a, addresses *out_b) {
    if (a->subscript_count != 1 || b->subscript_count != 1 || !a->subscripts[0] ||
        !b->subscripts[0])
        return false;
    out_a->count = out_b->count = 1;
    out_a->of[0] = block_part(km, a->subscripts[0], false);
    out_b->of[0] = block_part(km, b->subscripts[0], false);
    return block_part(km, a->subscripts[0], true) == block_part(km, b->subscripts[0], true) &&
           ht_poly_is_affine(&km->pool, out_a->of[0]) && ht_poly_is_affine(&km->pool, out_b->of[0]);
}

static void layout_make(ht_km_layout *layout, ht_kernel_model *km, const ht_km_access *access,
                        const addresses *of) {
    ht_km_layout_init(layout, km, false);
    ht_km_layout_reach_control(layout, &access->control, true);
    for (size_t i = 0; i < of->count; ++i)
        ht_km_layout_reach(layout, of->of[i]);
}

static ht_answer pair_answer(ht_kernel_model *km, const ht_km_access *a, const ht_km_access *b,
                             strangers_of which, char **out_witness) {
    addresses of_a, of_b;
    *out_witness = NULL;
    if (!addresses_of(km, a, b, &of_a, &of_b) &&
        (which != OF_BLOCK || !offsets_of(km, a, b, &of_a, &of_b)))
        return HT_UNKNOWN;
    ht_km_layout first, second;
    layout_make(&first, km, a, &of_a);
    layout_make(&second, km, b, &of_b);
    isl_set *domain_a = ht_km_layout_domain(&first, &a->control, true);
    isl_set *domain_b = ht_km_layout_domain(&second, &b->control, true);
    isl_map *map_a = ht_km_layout_map(&first, of_a.of, of_a.count, domain_a);
    isl_map *map_b = ht_km_layout_map(&second, of_b.of, of_b.count, domain_b);
    isl_map *meets = isl_map_apply_range(map_a, isl_map_reverse(map_b));
    isl_set *bare_a = isl_map_domain(isl_map_copy(meets));
    isl_set *bare_b = isl_map_range(isl_map_copy(meets));
    if (bare_a && bare_b)
        meets = isl_map_intersect(meets, strangers(bare_a, bare_b, which));
    meets = pitches(meets, &first, &second);
    isl_bool empty = isl_map_is_empty(meets);
    ht_answer answer = empty == isl_bool_true                                   ? HT_NO
                       : empty == isl_bool_false && first.exact && second.exact ? HT_YES
                                                                                : HT_UNKNOWN;
    if (answer == HT_YES) {
        isl_basic_map *sample = isl_map_sample(isl_map_copy(meets));
        char *text = isl_basic_map_to_str(sample);
        *out_witness = text ? ht_strdup(text) : NULL;
        free(text);
        isl_basic_map_free(sample);
    }
    isl_map_free(meets);
    isl_set_free(bare_a);
    isl_set_free(bare_b);
    isl_set_free(domain_a);
    isl_set_free(domain_b);
    ht_km_layout_free(&first);
    ht_km_layout_free(&second);
    ht_km_step(km);
    return answer;
}

/* ---- barriers between ---- */

static bool in_loop(const ht_km_control *control, size_t loop) {
    for (size_t i = 0; i < control->loop_count; ++i)
        if (control->loops[i] == loop)
            return true;
    return false;
}

static size_t common_loops(const ht_km_control *a, const ht_km_control *b) {
    size_t count = 0;
    while (count < a->loop_count && count < b->loop_count && a->loops[count] == b->loops[count])
        ++count;
    return count;
}

/* Returns true if the barrier is certainly passed whenever control passes its place in the loops
 * around a and b. */
static bool surely_passed(const ht_km_barrier *barrier, const ht_km_control *around, size_t loops) {
    bool same = barrier->control.guard_count <= around->guard_count;
    for (size_t i = 0; i < barrier->control.guard_count && same; ++i)
        same = barrier->control.guards[i].test == around->guards[i].test;
    return same && barrier->uniform == HT_YES && barrier->control.loop_count <= loops &&
           common_loops(&barrier->control, around) == barrier->control.loop_count;
}

static bool separated(const ht_kernel_model *km, const ht_km_access *a, const ht_km_access *b) {
    const ht_km_access *low = a->order < b->order ? a : b, *high = low == a ? b : a;
    size_t loops = common_loops(&a->control, &b->control);
    bool between = false;
    for (size_t i = 0; i < km->barrier_count; ++i)
        between =
            between || (km->barriers[i].order > low->order && km->barriers[i].order < high->order &&
                        surely_passed(&km->barriers[i], &a->control, loops));
    for (size_t l = 0; l < loops && between; ++l) { /* and on the way to the next iteration */
        bool around = false;
        for (size_t i = 0; i < km->barrier_count; ++i)
            around = around ||
                     ((km->barriers[i].order < low->order || km->barriers[i].order > high->order) &&
                      in_loop(&km->barriers[i].control, a->control.loops[l]) &&
                      surely_passed(&km->barriers[i], &a->control, loops));
        between = around;
    }
    return between;
}

/* ---- an array ---- */

static void settle(ht_km_dependence *out, ht_answer answer, size_t first, size_t second,
                   char *reason) {
    if (out->answer == HT_YES || (out->answer == HT_UNKNOWN && answer != HT_YES)) {
        free(reason);
        return;
    }
    free(out->reason);
    out->answer = answer;
    out->first = first;
    out->second = second;
    out->has_pair = first != SIZE_MAX;
    out->reason = reason;
}

/* Looks for a pair of accesses to the array that conflict. `races`: pairs of atomic updates do
 * not. */
static void array_pairs(ht_kernel_model *km, size_t array, bool races, ht_km_dependence *out) {
    bool shared = ht_km_is_shared(km, array), block = shared || km->variant.own_blocks;
    size_t asked = 0;
    for (size_t i = 0; i < km->access_count; ++i)
        for (size_t j = i; j < km->access_count; ++j) {
            const ht_km_access *a = &km->accesses[i], *b = &km->accesses[j];
            if (a->array != array || b->array != array || (!a->write && !b->write) ||
                out->answer == HT_YES)
                continue;
            bool ordered = (shared || km->variant.ordered) && separated(km, a, b);
            if ((block && ordered) || (races && a->atomic && b->atomic))
                continue;
            if (++asked > PAIRS_MAX) {
                settle(out, HT_UNKNOWN, i, j, ht_strdup("there are too many accesses"));
                return;
            }
            char *witness;
            strangers_of which = block ? OF_BLOCK : ordered ? OF_OTHER_BLOCKS : OF_LAUNCH;
            ht_answer answer = pair_answer(km, a, b, which, &witness);
            if (answer == HT_YES)
                settle(out, answer, i, j, witness);
            else if (answer == HT_UNKNOWN)
                settle(out, answer, i, j,
                       ht_strdup(a->problem   ? a->problem
                                 : b->problem ? b->problem
                                              : "the subscripts are not proved distinct"));
        }
}

void ht_km_dependences(ht_kernel_model *km) {
    for (size_t i = 0; i < km->array_count; ++i) {
        const ht_km_array *array = &km->arrays[i];
        if (array->space == HT_SPACE_PRIVATE || !array->written)
            continue;
        HT_GROW(km->dependences, km->dependence_count);
        ht_km_dependence *out = &km->dependences[km->dependence_count++];
        *out = (ht_km_dependence){.array = i, .answer = HT_NO};
        if (array->escapes || array->mixed)
            settle(out, HT_UNKNOWN, SIZE_MAX, SIZE_MAX,
                   ht_strdup(array->escapes ? "it is passed to a function that is not followed"
                                            : "it is accessed as elements of different sizes"));
        else if (!km->complete)
            settle(out, HT_UNKNOWN, SIZE_MAX, SIZE_MAX,
                   ht_strdup("part of the kernel is not followed"));
        else
            array_pairs(km, i, false, out);
        out->races = out->answer;
        if (array->atomic && out->has_pair) {
            ht_km_dependence plain = {.array = i, .answer = HT_NO};
            array_pairs(km, i, true, &plain);
            out->races = plain.answer;
            free(plain.reason);
        }
    }
}

/* ---- uniform control ---- */

static ht_answer test_uniform(const ht_kernel_model *km, const ht_km_test *test) {
    if (ht_test_scope(&km->pool, test) <= HT_SCOPE_BLOCK)
        return HT_YES;
    return ht_test_known(test) ? HT_NO : HT_UNKNOWN;
}

static void take(ht_km_barrier *barrier, ht_answer answer, ht_km_place place) {
    if (answer == HT_YES || barrier->uniform != HT_YES)
        return;
    barrier->uniform = answer;
    barrier->reason = place;
}

static void uniform(ht_kernel_model *km, ht_km_barrier *barrier) {
    const ht_km_control *control = &barrier->control;
    barrier->uniform = HT_YES;
    for (size_t i = 0; i < control->guard_count; ++i)
        take(barrier, test_uniform(km, control->guards[i].test), control->guards[i].place);
    for (size_t i = 0; i < control->loop_count; ++i) {
        const ht_km_loop *loop = &km->loops[control->loops[i]];
        ht_answer answer = loop->normal ? test_uniform(km, loop->condition) : HT_UNKNOWN;
        take(barrier, loop->leaves && answer == HT_YES ? HT_UNKNOWN : answer, loop->place);
    }
}

void ht_km_barriers(ht_kernel_model *km) {
    for (size_t i = 0; i < km->barrier_count; ++i)
        uniform(km, &km->barriers[i]);
}
