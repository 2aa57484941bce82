/* One launch of a tuned file as a template. Private to refactor/written*.c. */
#ifndef HT_REFACTOR_REWRITE_WRITTEN_LAUNCH_H
#define HT_REFACTOR_REWRITE_WRITTEN_LAUNCH_H

#include "refactor/rewrite/written.h"
#include "refactor/unit/emit.h"

/* A kernel before and after. */
typedef struct ht_written_pair {
    const ht_model *original;
    const ht_plan *plan;
    const ht_grid *grid; /* of the original's first launch */
    const ht_model *written;
    char *original_unit, *written_unit;
} ht_written_pair;

/* `site` in the tuned file; `before`: the same launch in the original, NULL: the first. All of
 * *out but the place. */
void ht_written_launch_read(const ht_written_pair *pair, const ht_launch_site *site,
                            const ht_launch_site *before, ht_written_launch *out);

#endif
