/* What transformations see and do: the model of one kernel (facts, read-only) and the plan (edits,
 * parameters, constraints, remarks) that they add to. A transformation is one file with an
 * ht_transformation, listed in transformations.c. Private to refactor/.
 *
 * Ranges are byte offsets [begin, end) into model->text, the file that holds the kernel; the texts
 * of the unit's other files, with launches, follow after it (ht_source.text). */
#ifndef HT_REFACTOR_PLAN_TRANSFORM_H
#define HT_REFACTOR_PLAN_TRANSFORM_H

#include "refactor/kernel/model.h"
#include "refactor/plan/remark.h"
#include "refactor/plan/searched.h"

/* ---- the plan
 * -----------------------------------------------------------------------------------------------
 */

typedef struct ht_plan ht_plan;

typedef struct ht_transformation {
    const char *name;    /* "block-size" */
    const char *summary; /* one line */
    /* Adds edits, parameters, requires and remarks. Nothing to do: add a MISSED remark that says
     * why, or none. A failed call of the ht_plan functions marks the plan; then everything this
     * transformation added is taken back (remarks stay), so calls need not be checked one by one.
     */
    void (*apply)(const ht_model *model, ht_plan *plan);
    unsigned stopped_by; /* of ht_pinned: where one is held fast, it is not applied */
    ht_searched searched;
} ht_transformation;

/* All transformations in the order they run, NULL-terminated. Those that wrap statements come last.
 */
extern const ht_transformation *const ht_transformations[];

/* Replaces `range` (begin == end: inserts) by `text`, in which
 *     ${EXPR}        a template expression over parameters: printed as C in the template, as its
 * value when applied
 *     $[BEGIN,END]   the source text of that range with all edits that lie inside it (so edits
 * nest: wrap a statement with "for (...) { $[b,e] }"; a range may be given several times)
 *     $?{EXPR}{A}{B} A in the template; in an applied source B where EXPR is not 0, else nothing.
 *                    (Where that differs in the general kernel: A, so that A gives values as ${ },
 *                    and what one of several such choices shows the others leave out.)
 *     $$             a dollar sign
 * An edit that lies inside another's range shows only where the outer text mentions its place by $[
 * ]. Ranges that cross, or two edits of one range, fail. When `param` is not NULL the edit is left
 * out of applied sources in which this parameter has its default value (the original text, with the
 * edits inside it, stays). */
bool ht_plan_edit(ht_plan *plan, ht_range range, const char *param, const char *text);
bool ht_plan_editf(ht_plan *plan, ht_range range, const char *param, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a range that others may have edited as a whole, and that is shown by its own $[ ].
 * In an applied source `text` need not mention all of the edits inside. A second call for the range
 * replaces the text of the first. */
bool ht_plan_wrap(ht_plan *plan, ht_range range, const char *param, const char *text);
/* Around all that, other wrapping texts too, which `text` shows by the range's own $[ ]; what is
 * added later lies further outside. */
bool ht_plan_wrap_all(ht_plan *plan, ht_range range, const char *param, const char *text);

/* A new template-bound integer (or boolean: values "false, true") parameter of the kernel, as in
 * param(NAME : VALUES = DEFAULT): ht_plan_param(plan, "COARSEN_X", "1, 2, 4", "1"). The default
 * must be what the original does. Fails when the name is taken by anything in the kernel; ask
 * ht_plan_name first for one that is free. */
bool ht_plan_param(ht_plan *plan, const char *name, const char *values, const char *default_value);
/* `wanted`, or wanted_2, wanted_3, ...: a name that nothing in the file uses. Owned by the plan. */
const char *ht_plan_name(ht_plan *plan, const char *wanted);
/* The same of both together, in capitals: "STAGE_" and an array's name. */
const char *ht_plan_name_upper(ht_plan *plan, const char *front, const char *back);

/* require(EXPR), a template expression. */
bool ht_plan_require(ht_plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The boolean parameter is on only with sizes as constants, `size` among them, by requires of the
 * caller's: the general kernel, which stands in an applied source for other sizes, does without. */
bool ht_plan_needs_size(ht_plan *plan, const char *param, const char *size);

/* Each block now covers `param` times as many global indices along `axis` (0 x, 1 y, 2 z): launches
 * divide their grid by it, and requires that the grid still covers the guard's bound are added at
 * the end. Fails when no launch is known. */
bool ht_plan_cover(ht_plan *plan, int axis, const char *param);

/* The parameter that says how many outputs a thread has along an axis; NULL: none does. Borrowed.
 */
const char *ht_plan_cover_param(const ht_plan *plan, int axis);

/* The current block size along an axis as a template expression: "BLOCK_X" or "16". Borrowed. NULL:
 * unknown. */
const char *ht_plan_block(const ht_plan *plan, int axis);

/* Remarks, like a compiler's. `cursor` gives the place; a null cursor means the kernel's. */
void ht_plan_remark(ht_plan *plan, ht_remark_kind kind, CXCursor cursor, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Registered elsewhere, one file each. */
extern const ht_transformation ht_transformation_block_size;
extern const ht_transformation ht_transformation_unroll;
extern const ht_transformation ht_transformation_loop_order;
extern const ht_transformation ht_transformation_launch_bounds;
extern const ht_transformation ht_transformation_waves;
extern const ht_transformation ht_transformation_restrict;
extern const ht_transformation ht_transformation_fixed_sizes;
extern const ht_transformation ht_transformation_grid_order;
extern const ht_transformation ht_transformation_coarsen_x;
extern const ht_transformation ht_transformation_coarsen_outer;
extern const ht_transformation ht_transformation_tiled;
extern const ht_transformation ht_transformation_stage;
extern const ht_transformation ht_transformation_inner_path;
extern const ht_transformation ht_transformation_vector;
extern const ht_transformation ht_transformation_stream;
extern const ht_transformation ht_transformation_thread_order;

#endif
