/* Builds and frees kernel models. */
#include "refactor/kernel_model/build.h"
#include "refactor/kernel_model/scan.h"
#include "refactor/kernel_model/sets.h"

#include "base/memory.h"

#include <isl/ctx.h>
#include <isl/options.h>
#include <stdlib.h>
#include <string.h>

enum { SCAN_BUDGET = 400000 };

/* Constants of the kernel follow from the block where it is built into an index, or where there are
 * shared arrays of constant shape: then blockDim is the launch's. */
static void tie_axes(ht_kernel_model *km, int any_axis) {
    const ht_model *facts = km->facts;
    for (int axis = 0; axis < 3; ++axis)
        km->tied[axis] = axis != any_axis && facts->axes[axis].block > 0 &&
                         !facts->facts->assumed &&
                         (facts->axes[axis].fixed_pitch || facts->feature[HT_FEATURE_SHARED]);
}

static void access_sets(ht_kernel_model *km, ht_km_access *access) {
    ht_km_layout layout;
    ht_km_layout_init(&layout, km, false);
    ht_km_layout_reach_control(&layout, &access->control, true);
    for (size_t i = 0; i < access->dimension_count; ++i)
        ht_km_layout_reach(&layout, access->dimensions[i].index);
    access->domain = ht_km_layout_domain(&layout, &access->control, true);
    access->exact = layout.exact && access->domain;
    if (access->affine && access->domain) {
        isl_aff_list *list = isl_aff_list_alloc(km->context, (int)access->dimension_count);
        for (size_t i = 0; i < access->dimension_count; ++i)
            list =
                isl_aff_list_add(list, ht_km_layout_affine(&layout, access->dimensions[i].index));
        isl_basic_map *map = isl_basic_map_from_aff_list(isl_set_get_space(access->domain), list);
        access->relation =
            isl_map_intersect_domain(isl_map_from_basic_map(map), isl_set_copy(access->domain));
    }
    access->symbol_count = layout.dim_count;
    access->symbols = ht_poly_pool_alloc(&km->pool, layout.dim_count, sizeof *access->symbols);
    memcpy(access->symbols, layout.dims, layout.dim_count * sizeof *access->symbols);
    ht_km_layout_free(&layout);
    ht_km_step(km);
}

static ht_kernel_model *scan_body(const ht_model *facts, int any_axis, const ht_km_fixed *fixed,
                                  size_t fixed_count) {
    ht_kernel_model *km = ht_alloc(1, sizeof *km);
    km->facts = facts;
    km->complete = true;
    km->context = isl_ctx_alloc();
    isl_options_set_on_error(km->context, ISL_ON_ERROR_CONTINUE);
    ht_km_step(km);
    tie_axes(km, any_axis);
    ht_scan scan = {.km = km,
                    .facts = facts,
                    .fixed = fixed,
                    .fixed_count = fixed_count,
                    .budget = SCAN_BUDGET};
    ht_scan_kernel(&scan);
    free(scan.escaped);
    ht_environment_free(&scan.environment);
    return km;
}

ht_kernel_model *ht_kernel_model_scan(const ht_model *facts) {
    return scan_body(facts, -1, NULL, 0);
}

ht_kernel_model *ht_kernel_model_scan_fixed(const ht_model *facts, const ht_km_fixed *fixed,
                                            size_t count) {
    return scan_body(facts, -1, fixed, count);
}

static ht_kernel_model *build(const ht_model *facts, int any_axis, const ht_km_fixed *fixed,
                              size_t fixed_count) {
    ht_kernel_model *km = scan_body(facts, any_axis, fixed, fixed_count);
    ht_km_barriers(km);
    for (size_t i = 0; i < km->access_count; ++i) {
        ht_km_split(km, &km->accesses[i]);
        ht_km_step(km);
        access_sets(km, &km->accesses[i]);
    }
    ht_km_dependences(km);
    return km;
}

ht_kernel_model *ht_kernel_model_build(const ht_model *facts) {
    return build(facts, -1, NULL, 0);
}

ht_kernel_model *ht_kernel_model_build_any_block(const ht_model *facts, int axis) {
    return build(facts, axis, NULL, 0);
}

ht_kernel_model *ht_kernel_model_build_fixed(const ht_model *facts, const ht_km_fixed *fixed,
                                             size_t count) {
    return build(facts, -1, fixed, count);
}

static void arrays_free(ht_kernel_model *km) {
    for (size_t i = 0; i < km->array_count; ++i) {
        ht_km_array *array = &km->arrays[i];
        for (size_t d = 0; d < array->extent_count; ++d)
            free(array->extent_texts[d]);
        free(array->extent_texts);
        free(array->extents);
        free(array->name);
        free(array->element);
    }
    free(km->arrays);
}

static void footprints_free(ht_kernel_model *km) {
    for (size_t i = 0; i < km->footprint_count; ++i) {
        ht_km_footprint *of = &km->footprints[i];
        for (size_t d = 0; d < of->dimension_count; ++d) {
            free(of->low_text[d]);
            free(of->high_text[d]);
            free(of->extent_text[d]);
        }
        free(of->low_text);
        free(of->high_text);
        free(of->extent_text);
    }
    free(km->footprints);
}

void ht_kernel_model_free(ht_kernel_model *km) {
    if (!km)
        return;
    for (size_t i = 0; i < km->access_count; ++i) {
        isl_set_free(km->accesses[i].domain);
        isl_map_free(km->accesses[i].relation);
    }
    for (size_t i = 0; i < km->effect_count; ++i)
        free(km->effects[i].name);
    for (size_t i = 0; i < km->dependence_count; ++i)
        free(km->dependences[i].reason);
    arrays_free(km);
    footprints_free(km);
    free(km->loops);
    free(km->accesses);
    free(km->barriers);
    free(km->effects);
    free(km->comparisons);
    free(km->dependences);
    ht_poly_pool_free(&km->pool);
    isl_ctx_free(km->context);
    free(km);
}

ht_answer ht_kernel_model_alias(const ht_kernel_model *km, size_t first, size_t second) {
    const ht_km_array *a = &km->arrays[first], *b = &km->arrays[second];
    if (first == second)
        return HT_YES;
    bool memory = a->space == HT_SPACE_GLOBAL && b->space == HT_SPACE_GLOBAL;
    if (!memory)
        return a->space == HT_SPACE_DYNAMIC_SHARED && b->space == HT_SPACE_DYNAMIC_SHARED ? HT_YES
                                                                                          : HT_NO;
    bool written = a->written || b->written;
    if (a->is_parameter && b->is_parameter && (a->is_restrict || b->is_restrict) && written)
        return HT_NO;
    return HT_UNKNOWN;
}
