/* waves-per-eu: the number of wavefronts that a SIMD of an AMD GPU is to hold, for which the
 * compiler gives each fewer registers: __attribute__((amdgpu_waves_per_eu(N))), 0 for none. Other
 * compilers do not know the attribute, so it is under #ifdef. */
#include "refactor/kernel/facts.h"
#include "refactor/plan/plan.h"
#include "refactor/source/lexer.h"
#include "refactor/transformations/launch_bounds.h"

#include <stdlib.h>

static bool has_attribute(const ht_model *model) {
    static const char *const words[] = {"amdgpu_waves_per_eu", "amdgpu_num_vgpr", NULL};
    ht_range header = {model->definition.range.begin, model->definition.body_range.begin};
    return ht_tokens_count(ht_source_tokens(model->facts->source, 0), header, words) > 0;
}

static void apply(const ht_model *model, ht_plan *plan) {
    size_t offset;
    if (!model->launch_known || model->facts->problem.text)
        return;
    if (has_attribute(model)) {
        ht_plan_remark_place(plan, HT_REMARK_NOTE, HT_AT_KERNEL,
                             "says how many wavefronts or registers it wants already");
        return;
    }
    if (!ht_kernel_name_place(model, &offset))
        return;
    const char *name = ht_plan_name(plan, "WAVES_PER_EU");
    ht_plan_param(plan, name, "0, 1, 2, 4, 8", "0");
    ht_plan_require(plan, "%s == 0 || " HT_PLAN_NOT_NVIDIA, name); /* it has no effect there */
    ht_plan_editf(plan, (ht_range){offset, offset}, name,
                  "\n#ifdef __AMDGCN__\n__attribute__((amdgpu_waves_per_eu(${%s})))\n#endif\n",
                  name);
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
                         "the wavefronts that a SIMD is to hold became a choice");
}

const ht_transformation ht_transformation_waves = {
    .name = "waves-per-eu",
    .summary = "wavefronts that a SIMD of an AMD GPU is to hold",
    .apply = apply,
    .stopped_by = HT_PINNED_HEADER,
    .searched = {.is_hint = true, .idle_emulated = true, .drops = {{10, NULL}}},
};
