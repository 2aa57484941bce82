/* The interface of transformations: they read the model of one kernel and add edits, parameters,
 * requires and remarks to its plan. A transformation is one file with an ht_transformation, listed
 * in transformations.c. Private to refactor/.
 *
 * Ranges are byte offsets [begin, end) into model->text, the file that holds the kernel; the texts
 * of the unit's other files, with launches, follow after it (ht_source.text). */
#ifndef HT_REFACTOR_PLAN_TRANSFORM_H
#define HT_REFACTOR_PLAN_TRANSFORM_H

#include "refactor/kernel/model.h"
#include "refactor/plan/remark.h"
#include "refactor/plan/searched.h"

/* ---- the plan ---- */

typedef struct ht_plan ht_plan;

typedef struct ht_transformation {
    const char *name;    /* "block-size" */
    const char *summary; /* one line */
    /* Adds edits, parameters, requires and remarks. If there is nothing to do, adds a MISSED remark
     * that says why, or none. A failed call of the ht_plan functions marks the plan, and then all
     * additions of this transformation but its remarks are taken back; so calls need not be checked
     * one by one. */
    void (*apply)(const ht_model *model, ht_plan *plan);
    unsigned stopped_by; /* of ht_pinned: not applied to kernels with a pin on one of these */
    ht_searched searched;
} ht_transformation;

/* All transformations in the order in which they run, NULL-terminated. Those that wrap statements
 * come last. */
extern const ht_transformation *const ht_transformations[];

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
extern const ht_transformation ht_transformation_tiled;
extern const ht_transformation ht_transformation_stage;
extern const ht_transformation ht_transformation_inner_path;
extern const ht_transformation ht_transformation_vector;
extern const ht_transformation ht_transformation_stream;
extern const ht_transformation ht_transformation_row_blocks;
extern const ht_transformation ht_transformation_stride_vector;
extern const ht_transformation ht_transformation_thread_order;

#endif
