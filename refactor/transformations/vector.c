/* Accesses to neighbouring elements as one: a thread loads and stores 1, 2 or 4 elements of a row
 * at once. It runs behind the transformations that made the loads and loops, and changes what they
 * wrote. Elements are copied in a struct of so many, with the alignment of one, so that any address
 * will do. docs/vectors.md says when this is done and why it is right. */
#include "base/memory.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/elements.h"
#include "refactor/transformations/register_tile/tiled.h"

#include <stdlib.h>
#include <string.h>

static CXType element_of(CXCursor array) {
    return clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(array)));
}

/* ---- loads of tiles
 * --------------------------------------------------------------------------------- */

static bool widen_load(ht_plan *plan, ht_tiled_form *form, size_t index) {
    const ht_tiled_vector *vector = &form->vectors[index];
    const ht_parameter *array = ht_model_parameter(plan->model, vector->array);
    const char *why = vector->apart ? "neighbours in a row of its tile do not lie side by side"
                                    : ht_vector_unfit(element_of(vector->array));
    if (why) {
        ht_plan_remark(plan, HT_REMARK_MISSED, vector->at, "'%s' is loaded element by element: %s",
                       array->name, why);
        return false;
    }
    ht_plan_param(plan, vector->param, "1, 2, 4", "1");
    ht_plan_require(plan, "%s == 1 || %s && %s <= %s", vector->param, vector->when, vector->param,
                    vector->row);
    ht_plan_remark(plan, HT_REMARK_APPLIED, vector->at,
                   "%s: a thread loads this many neighbours of '%s' at once", vector->param,
                   array->name);
    ht_tiled_widen(form, index);
    return true;
}

/* ---- outputs side by side
 * --------------------------------------------------------------------------- */

/* Puts the text that coarsen-x has for it in place of its own. */
static void widen_edit(ht_plan *plan) {
    ht_wide_edit *wide = &plan->wide;
    for (size_t i = 0; i < plan->edit_count; ++i) {
        ht_edit *edit = &plan->edits[i];
        if (edit->range.begin != wide->range.begin || edit->range.end != wide->range.end ||
            !edit->param || strcmp(edit->param, wide->factor) != 0)
            continue;
        free(edit->text);
        edit->text = wide->text;
        wide->text = NULL;
        return;
    }
}

static const ht_tiled_axis *axis_x(const ht_tiled_form *form) {
    for (size_t i = 0; form && i < form->axis_count; ++i)
        if (form->axes[i].axis == 0)
            return &form->axes[i];
    return NULL;
}

/* Loads and stores of a thread's outputs along x. */
static bool pack_outputs(ht_plan *plan, ht_tiled_form *form) {
    const ht_wide_edit *wide = &plan->wide;
    const ht_tiled_axis *x = axis_x(form);
    const char *why = NULL;
    CXCursor at = clang_getNullCursor();
    if (!x && !wide->param)
        return false;
    const char *param = wide->param ? wide->param : ht_plan_name(plan, "VECTOR_OUTPUTS");
    const char *factor = wide->param ? wide->factor : x->factor;
    const char *strided = wide->param ? wide->strided : x->strided;
    bool jam = wide->text != NULL, tiled = x && ht_tiled_pack(form, param, &why, &at);
    ht_vector_why_merge(&why, &at, wide->why, wide->at);
    if (why && (why != ht_vector_not_next || (!jam && !tiled)))
        ht_plan_remark(plan, jam || tiled ? HT_REMARK_NOTE : HT_REMARK_MISSED, at,
                       "elements of neighbouring outputs are accessed one by one: %s", why);
    if (!jam && !tiled)
        return false;
    ht_plan_param(plan, param, "1, 2, 4", "1");
    ht_plan_require(plan, "%s == 1 || %s %% %s == 0 && !%s", param, factor, param, strided);
    if (!jam || (form && !tiled))
        ht_plan_require(plan, jam ? "%s == 1 || !%s" : "%s == 1 || %s", param, form->param);
    ht_plan_remark(plan, HT_REMARK_APPLIED, clang_getNullCursor(),
                   "%s: elements of this many neighbouring outputs are one access", param);
    return true;
}

static void apply(const ht_model *model, ht_plan *plan) {
    (void)model;
    ht_tiled_form *form = ht_tiled_of(plan);
    bool changed = false;
    for (size_t i = 0; form && i < form->vector_count; ++i)
        changed |= widen_load(plan, form, i);
    bool packed = pack_outputs(plan, form);
    if (plan->failed || (!changed && !packed))
        return;
    if (form && !ht_tiled_write(form))
        plan->abandoned = true;
    else if (packed && plan->wide.text)
        widen_edit(plan);
}

const ht_transformation ht_transformation_vector = {
    .name = "vector-width",
    .summary = "neighbouring elements loaded and stored at once",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_FORMS,
    .searched = {.exports = {"VECTOR_", "VECTOR_OUTPUTS"}, .drops = {{110, NULL}}},
};
