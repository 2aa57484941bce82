/* vector-width: accesses to neighbouring elements in one: a thread loads and stores 1, 2 or 4
 * elements of a row at once, or 8 of its outputs of four bytes at most. It runs after
 * the transformations that wrote the loads and loops, and changes their text. Elements are copied
 * in a structure of that many, aligned as one element is, so that any address will do.
 * docs/vectors.md says when this is done and why it is right. */
#include "refactor/kernel/elements.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/coarsen/coarsen_access.h"
#include "refactor/transformations/coarsen/coarsen_vector.h"
#include "refactor/transformations/register_tile/tiled.h"
#include "refactor/transformations/register_tile/tiled_stage.h"
#include "refactor/transformations/register_tile/tiled_vector.h"

#include <stdlib.h>
#include <string.h>

/* ---- loads of tiles ---- */

static bool widen_load(ht_plan *plan, ht_tiled_form *form, size_t index) {
    const ht_tiled_vector *vector = &form->vectors[index];
    const ht_parameter *array = vector->array;
    const char *why = vector->apart ? "neighbours in a row of its tile do not lie side by side"
                                    : ht_elements_unfit(array);
    if (why) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, vector->at,
                             "'%s' is loaded element by element: %s", array->name, why);
        return false;
    }
    ht_plan_param(plan, vector->param, "1, 2, 4", "1");
    ht_plan_require(plan, "%s == 1 || %s && %s <= %s", vector->param, vector->when, vector->param,
                    vector->row);
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, vector->at,
                         "%s: a thread loads this many neighbours of '%s' at once", vector->param,
                         array->name);
    ht_tiled_widen(form, index);
    return true;
}

/* ---- neighbouring outputs ---- */

/* Replaces coarsen-x's text by its second text with wide accesses. */
static void widen_edit(ht_plan *plan) {
    ht_wide_edit *wide = &plan->forms.wide;
    for (size_t i = 0; i < plan->edits.count; ++i) {
        ht_edit *edit = &plan->edits.items[i];
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

/* Of the elements that one pack loads: two accesses of 16 bytes, both under way before the first
 * store, past which the compiler moves no load that may alias it. */
enum { BYTES_MAX = 32 };

/* Makes loads and stores of a thread's outputs along x wide. */
static bool pack_outputs(ht_plan *plan, ht_tiled_form *form) {
    const ht_wide_edit *wide = &plan->forms.wide;
    const ht_tiled_axis *x = axis_x(form);
    if (!x && !wide->param)
        return false;
    const char *param = wide->param ? wide->param : ht_plan_name(plan, "VECTOR_OUTPUTS");
    const char *aligned = wide->param ? wide->aligned : ht_plan_name(plan, "VECTOR_ALIGNED");
    ht_tiled_packing packing = {.param = param, .aligned = aligned};
    const char *factor = wide->param ? wide->factor : x->factor;
    const char *strided = wide->param ? wide->strided : x->strided;
    bool jam = wide->text != NULL, tiled = x && ht_tiled_pack(form, &packing);
    const char *why = packing.why;
    ht_position at = packing.at;
    ht_vector_why_merge(&why, &at, wide->why, wide->at);
    if (why && (why != ht_vector_not_next || (!jam && !tiled)))
        ht_plan_remark_place(plan, jam || tiled ? HT_REMARK_NOTE : HT_REMARK_MISSED, at,
                             "elements of neighbouring outputs are accessed one by one: %s", why);
    if (!jam && !tiled)
        return false;
    bool eight = jam && wide->bytes && wide->bytes <= BYTES_MAX / 8;
    ht_plan_param(plan, param, eight ? "1, 2, 4, 8" : "1, 2, 4", "1");
    ht_plan_require(plan, "%s == 1 || %s %% %s == 0 && !%s", param, factor, param, strided);
    const char *or_rows = jam && wide->rows ? " || " : "", *rows = *or_rows ? wide->rows : "";
    if (jam && tiled)
        ht_plan_require(plan, "%s == 1 || %s%s%s || %s", param, wide->jam, or_rows, rows,
                        form->apart);
    else if (jam)
        ht_plan_require(plan, "%s == 1 || %s%s%s", param, wide->jam, or_rows, rows);
    else
        ht_plan_require(plan, "%s == 1 || %s", param, form->apart);
    if ((jam && wide->alignable) || (tiled && packing.alignable))
        ht_vectors_align(plan, aligned, param);
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, (ht_position){0},
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
    if (plan->running.failed || (!changed && !packed))
        return;
    if (form && !ht_tiled_write(form))
        plan->running.abandoned = true;
    else if (packed && plan->forms.wide.text)
        widen_edit(plan);
}

const ht_transformation ht_transformation_vector = {
    .name = "vector-width",
    .summary = "neighbouring elements loaded and stored at once",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES | HT_PINNED_FORMS,
    .searched = {.exports = {"VECTOR_", "VECTOR_OUTPUTS", "VECTOR_ALIGNED"},
                 .drops = {{110, NULL}}},
};
