#include "refactor/staging/clamp.h"
#include "refactor/kernel_model/sets.h"
#include "refactor/kernel_model/step.h"
#include "refactor/staging/place.h"
#include "refactor/staging/stage.h"

const ht_poly *ht_stage_core(const ht_stage *stage, const ht_poly *index) {
    ht_poly_pool *pool = &stage->km->pool;
    for (size_t i = 0; i < index->count; ++i) {
        const ht_term *term = &index->terms[i];
        if (term->count != 1 || term->coefficient != 1)
            continue;
        const ht_km_symbol symbol = pool->symbols[term->symbols[0]];
        if ((symbol.kind != HT_KM_MIN && symbol.kind != HT_KM_MAX) ||
            ht_stage_is_given(stage, term->symbols[0]))
            continue;
        bool first = ht_stage_all_given(stage, symbol.operands[1]);
        if (first == ht_stage_all_given(stage, symbol.operands[0]))
            return index; /* both operands change */
        const ht_poly *rest = ht_poly_add(pool, index, ht_poly_of(pool, term->symbols[0]), -1);
        const ht_poly *core = ht_poly_add(pool, rest, symbol.operands[first ? 0 : 1], 1);
        return core ? ht_stage_core(stage, core) : index;
    }
    return index;
}

const ht_poly *ht_stage_output(const ht_stage *stage, int axis) {
    ht_kernel_model *km = stage->km;
    const ht_poly *thread = ht_poly_of(&km->pool, ht_builtin_symbol(km, HT_KM_THREAD, axis));
    const ht_poly *origin = ht_poly_of(&km->pool, ht_builtin_symbol(km, HT_KM_ORIGIN, axis));
    if (km->tied[axis])
        return ht_poly_add(&km->pool, thread,
                           ht_poly_of(&km->pool, ht_builtin_symbol(km, HT_KM_BLOCK, axis)),
                           km->facts->axes[axis].block);
    return ht_poly_add(&km->pool, thread, origin, 1);
}

/* Returns true if `value` is never negative where the access is made. */
static bool is_not_negative(const ht_stage *stage, const ht_km_access *access,
                            const ht_poly *value) {
    ht_km_layout layout;
    if (!ht_poly_is_affine(&stage->km->pool, value))
        return false;
    ht_km_layout_init_given(&layout, stage->km, ht_stage_is_given, stage);
    ht_km_layout_reach_control(&layout, &access->control, true);
    ht_km_layout_reach(&layout, value);
    isl_set *domain = ht_km_layout_domain(&layout, &access->control, true);
    isl_aff *affine = ht_km_layout_affine(&layout, value);
    isl_set *holds = isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(affine));
    bool proved = isl_set_is_subset(domain, holds) == isl_bool_true;
    isl_set_free(domain);
    isl_set_free(holds);
    ht_km_layout_free(&layout);
    ht_km_step(stage->km);
    return proved;
}

bool ht_stage_stays_inside(ht_stage *stage, const ht_km_access *access, size_t d) {
    const ht_stage_dimension *of = &stage->dimensions[d];
    ht_poly_pool *pool = &stage->km->pool;
    const ht_poly *from =
        access->dimensions[d]
            .index; /* the index without the outputs' part and without the box's begin */
    for (int axis = 0; axis < 3; ++axis)
        if (of->factor[axis])
            from = ht_poly_add(pool, from, ht_stage_output(stage, axis), -of->factor[axis]);
    from = ht_poly_add(pool, from, of->low, -1);
    const ht_poly *to = ht_poly_add(pool, of->span, from, -1);
    return (to && is_not_negative(stage, access, from) && is_not_negative(stage, access, to)) ||
           ht_stage_fail(stage, access->from->at,
                         "that the index stays in the box where it is held inside of the array is "
                         "not proved");
}
