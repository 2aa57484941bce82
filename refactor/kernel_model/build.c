#include "refactor/kernel_model/build.h"
#include "refactor/kernel/facts.h"
#include "refactor/kernel_model/dependence.h"
#include "refactor/kernel_model/environment.h"
#include "refactor/kernel_model/scan.h"
#include "refactor/kernel_model/sets.h"
#include "refactor/kernel_model/split.h"
#include "refactor/kernel_model/step.h"

#include "base/memory.h"

#include <isl/ctx.h>
#include <isl/options.h>
#include <stdlib.h>
#include <string.h>

enum { SCAN_BUDGET = 400000 };

static _Atomic size_t builds;

/* Ties blockDim to the launch's block along axes whose block the kernel's constants follow: where
 * the block's extent is a constant in a global index, or where the kernel has shared arrays of
 * constant shape. */
static void tie_axes(ht_kernel_model *km) {
    const ht_model *facts = km->facts;
    const ht_km_variant *variant = &km->variant;
    for (int axis = 0; axis < 3; ++axis)
        km->tied[axis] = !(variant->any_block && variant->axis == axis) &&
                         facts->axes[axis].block > 0 && !facts->facts->assumed.text &&
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
    if (access->affine && access->domain)
        access->relation = ht_km_layout_access(&layout, access, access->domain);
    access->symbol_count = layout.dim_count;
    access->symbols = ht_poly_pool_alloc(&km->pool, layout.dim_count, sizeof *access->symbols);
    memcpy(access->symbols, layout.dims, layout.dim_count * sizeof *access->symbols);
    ht_km_layout_free(&layout);
    ht_km_step(km);
}

static bool same_variant(const ht_km_variant *a, const ht_km_variant *b) {
    bool same = a->any_block == b->any_block && a->ordered == b->ordered &&
                a->own_blocks == b->own_blocks && (!a->any_block || a->axis == b->axis) &&
                a->fixed_count == b->fixed_count && a->replaced_count == b->replaced_count;
    for (size_t i = 0; i < a->replaced_count && same; ++i)
        same = a->replaced[i] == b->replaced[i];
    for (size_t i = 0; i < a->fixed_count && same; ++i)
        same = a->fixed[i].value == b->fixed[i].value &&
               strcmp(a->fixed[i].argument, b->fixed[i].argument) == 0;
    return same;
}

static void keep_variant(ht_kernel_model *km, const ht_km_variant *like) {
    ht_km_fixed *fixed = ht_poly_pool_alloc(&km->pool, like->fixed_count, sizeof *fixed);
    for (size_t i = 0; i < like->fixed_count; ++i)
        fixed[i] = (ht_km_fixed){ht_poly_pool_keep(&km->pool, ht_strdup(like->fixed[i].argument)),
                                 like->fixed[i].value};
    km->variant = *like;
    km->variant.fixed = fixed;
    const ht_syntax **replaced =
        ht_poly_pool_alloc(&km->pool, like->replaced_count, sizeof *replaced);
    for (size_t i = 0; i < like->replaced_count; ++i)
        replaced[i] = like->replaced[i];
    km->variant.replaced = replaced;
}

static ht_kernel_model *scan_body(const ht_model *facts, const ht_km_variant *variant) {
    ht_kernel_model *km = ht_alloc(1, sizeof *km);
    km->facts = facts;
    keep_variant(km, variant);
    km->complete = true;
    km->context = isl_ctx_alloc();
    isl_options_set_on_error(km->context, ISL_ON_ERROR_CONTINUE);
    ht_km_step(km);
    tie_axes(km);
    ht_scan scan = {.km = km, .facts = facts, .budget = SCAN_BUDGET};
    ht_scan_kernel(&scan);
    free(scan.escaped);
    ht_environment_free(&scan.environment);
    km->mark = km->pool;
    ++builds;
    return km;
}

static void add_sets(ht_kernel_model *km) {
    ht_km_barriers(km);
    for (size_t i = 0; i < km->access_count; ++i) {
        ht_km_split(km, &km->accesses[i]);
        ht_km_step(km);
        access_sets(km, &km->accesses[i]);
    }
    ht_km_dependences(km);
    km->has_sets = true;
    km->cut = km->facts->facts->effort.ended;
    km->mark = km->pool;
}

static void model_free(ht_kernel_model *km);

static void models_free(ht_kernel_model *models) {
    while (models) {
        ht_kernel_model *next = models->next;
        model_free(models);
        models = next;
    }
}

ht_kernel_model *ht_kernel_model_scan(const ht_model *facts, ht_km_variant variant) {
    ht_kernel_model **at = &facts->facts->forms.polynomial;
    facts->facts->forms.polynomial_free = models_free;
    while (*at && !same_variant(&(*at)->variant, &variant))
        at = &(*at)->next;
    ht_kernel_model *km = *at;
    if (km && km->cut) { /* one that asked before had too few operations left */
        *at = km->next;
        model_free(km);
        return ht_kernel_model_scan(facts, variant);
    }
    if (!km)
        return *at = scan_body(facts, &variant);
    ht_poly_pool_return(&km->pool, &km->mark);
    km->allowed = 0; /* what the one before did not count is not counted */
    ht_km_step(km);
    return km;
}

ht_kernel_model *ht_kernel_model_of(const ht_model *facts, ht_km_variant variant) {
    ht_kernel_model *km = ht_kernel_model_scan(facts, variant);
    if (!km->has_sets)
        add_sets(km);
    return km;
}

size_t ht_kernel_model_builds(void) {
    return builds;
}

static void arrays_free(ht_kernel_model *km) {
    for (size_t i = 0; i < km->array_count; ++i) {
        ht_km_array *array = &km->arrays[i];
        ht_strings_free(array->extent_texts, array->extent_count);
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

static void model_free(ht_kernel_model *km) {
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

bool ht_km_is_shared(const ht_kernel_model *km, size_t array) {
    ht_memory_space space = km->arrays[array].space;
    return space == HT_SPACE_SHARED || space == HT_SPACE_DYNAMIC_SHARED;
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
