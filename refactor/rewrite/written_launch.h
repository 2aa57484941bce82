/* Reads a launch of a tuned file as a template. Private to refactor/rewrite/written*.c. */
#ifndef HT_REFACTOR_REWRITE_WRITTEN_LAUNCH_H
#define HT_REFACTOR_REWRITE_WRITTEN_LAUNCH_H

#include "refactor/kernel/geometry.h"
#include "refactor/plan/transform.h"
#include "refactor/rewrite/written.h"

/* A kernel in its original and its tuned form. */
typedef struct ht_written_pair {
    const ht_model *original;
    const ht_plan *plan;
    const ht_grid *grid; /* of the original's first launch */
    const ht_model *written;
    char *original_unit, *written_unit;
} ht_written_pair;

/* Reads all of *out except the place. `site` is in the tuned file; `before` is the same launch in
 * the original; NULL: its first one. */
void ht_written_launch_read(const ht_written_pair *pair, const ht_launch_site *site,
                            const ht_launch_site *before, ht_written_launch *out);

#endif
