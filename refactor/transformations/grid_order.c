/* grid-order: the order of blocks that run one after the other in a grid of two or three axes. They
 * are dispatched row by row; other orders are column by column, or a few rows together, which share
 * more of the second-level cache. The third axis comes last, as dispatched, or first (output
 * channels of one tile, which read the same inputs). Blocks have no order among each other, and
 * none is left out or run twice, since the new places are a permutation of the grid's. So the pass
 * need not know what they compute, only that all of them get their place from the name blockIdx in
 * the kernel's own text; a variable of that name then holds the new place. */
#include "base/memory.h"
#include "refactor/kernel/facts.h"
#include "refactor/plan/plan.h"
#include "refactor/transformations/places.h"

#include <stdlib.h>

static bool has_axis(const ht_axis *axis) {
    return axis->uses_block || axis->uses_global;
}

/* Returns the text for x and y: in an applied source its order, in a template all orders. */
static char *plane_text(ht_plan *plan, const char *order, const char *x, const char *y) {
    const char *number = ht_plan_name(plan, "block_number");
    const char *rows = ht_plan_name(plan, "rows_together"), *band = ht_plan_name(plan, "band");
    const char *first = ht_plan_name(plan, "first_row"), *height = ht_plan_name(plan, "band_rows");
    char *count = ht_format("%s == 1 ? gridDim.y : %s", order, order);
    char *text =
        ht_format("    // blocks that follow each other $?{%s == 1}{have places by %s:\n"
                  "    // 0 along rows, 1 along columns, else in bands of that many rows}{lie in "
                  "one column of the grid}"
                  "$?{%s > 1}{}{lie in a band of ${%s} rows of the grid, column by column}\n"
                  "    if ($?{%s >= 0}{%s > 0 && }{}gridDim.x < 65536 && gridDim.y < 65536) {\n"
                  "        const unsigned %s = %s * gridDim.x + %s;\n"
                  "        const unsigned %s = $?{%s == 1}{%s}{gridDim.y}$?{%s > 1}{}{${%s}};\n"
                  "        const unsigned %s = %s * gridDim.x, %s = %s / %s * %s;\n"
                  "        const unsigned %s = gridDim.y - %s < %s ? gridDim.y - %s : %s;\n"
                  "        %s = %s %% %s / %s;\n"
                  "        %s = %s + %s %% %s %% %s;\n"
                  "    }\n",
                  order, order, order, order, order, order, number, y, x, rows, order, count, order,
                  order, band, rows, first, number, band, rows, height, first, rows, first, rows, x,
                  number, band, height, y, first, number, band, height);
    free(count);
    return text;
}

/* Returns the text that puts blocks along z first. The number of a block fits into 32 bits. */
static char *depth_text(ht_plan *plan, const char *depth, const char *const at[3]) {
    const char *place = ht_plan_name(plan, "block_place");
    return ht_format("    // blocks along z follow each other first$?{%s}{ where %s says so}{}\n"
                     "    if ($?{%s}{%s && }{}gridDim.x < 2048 && gridDim.y < 1024 && gridDim.z < "
                     "2048) {\n"
                     "        const unsigned %s = (%s * gridDim.y + %s) * gridDim.x + %s;\n"
                     "        %s = %s %% gridDim.z;\n"
                     "        %s = %s / gridDim.z %% gridDim.x;\n"
                     "        %s = %s / gridDim.z / gridDim.x;\n"
                     "    }\n",
                     depth, depth, depth, depth, place, at[2], at[1], at[0], at[2], place, at[0],
                     place, at[1], place);
}

/* Edits the body. By $?{}, the template has all orders and an applied source one. `depth` NULL: the
 * order along z stays. */
static void write(ht_plan *plan, const char *order, const char *depth, ht_range body) {
    const char *at[] = {ht_plan_name(plan, "block_x"), ht_plan_name(plan, "block_y"),
                        ht_plan_name(plan, "block_z")};
    char *plane = plane_text(plan, order, at[0], at[1]);
    char *along = depth ? depth_text(plan, depth, at) : NULL;
    char *deep = depth ? ht_format("$?{%s}{%s}{%s}", depth, along, along) : ht_strdup("");
    char *text = ht_format("{\n"
                           "    unsigned %s = blockIdx.x, %s = blockIdx.y;\n"
                           "    %sunsigned %s = blockIdx.z;\n"
                           "%s"
                           "$?{%s > 0}{%s}{%s}"
                           "    {\n"
                           "    const dim3 blockIdx(%s, %s, %s);\n"
                           "    $[%zu,%zu]\n"
                           "    }\n"
                           "}",
                           at[0], at[1], depth ? "" : "const ", at[2], deep, order, plane, plane,
                           at[0], at[1], at[2], body.begin, body.end);
    char *params = depth ? ht_format("%s,%s", order, depth) : ht_strdup(order);
    ht_plan_wrap_all(plan, body, params, text);
    free(params);
    free(text);
    free(deep);
    free(along);
    free(plane);
}

static void apply(const ht_model *model, ht_plan *plan) {
    if (!model->launch_known || model->facts->problem.text || !has_axis(&model->axes[0]) ||
        !has_axis(&model->axes[1]))
        return;
    const char *why = ht_places_obstacle(model, false);
    if (why) {
        ht_plan_remark_place(plan, HT_REMARK_MISSED, HT_AT_KERNEL,
                             "the order of the grid's blocks stays: %s", why);
        return;
    }
    const char *order = ht_plan_name(plan, "GRID_ORDER");
    const char *depth = has_axis(&model->axes[2]) ? ht_plan_name(plan, "GRID_DEPTH") : NULL;
    ht_plan_param(plan, order, "0, 1, 4, 8", "0");
    ht_plan_form(plan, order, "built-in indices declared anew");
    if (depth) {
        ht_plan_param(plan, depth, "false, true", "false");
        ht_plan_form(plan, depth, "built-in indices declared anew");
    }
    write(plan, order, depth, model->definition.body_range);
    ht_plan_remark_place(plan, HT_REMARK_APPLIED, HT_AT_KERNEL,
                         "the order of the grid's blocks became %s: along rows "
                         "(0), along columns (1), or in bands of 4 or 8 rows%s%s%s",
                         order, depth ? "; " : "", depth ? depth : "",
                         depth ? ": along z before that" : "");
}

const ht_transformation ht_transformation_grid_order = {
    .name = "grid-order",
    .summary = "where in the grid blocks lie that follow each other in time",
    .apply = apply,
    .stopped_by = HT_PINNED_PLACES,
    .searched = {.is_hint = true, .drops = {{130, NULL}}},
};
