/* Staging an array into the tiled form: what stage.c knows and stage_write.c writes. Private. */
#ifndef HT_REFACTOR_STAGE_WRITE_H
#define HT_REFACTOR_STAGE_WRITE_H

#include "base/text.h"
#include "refactor/plan.h"
#include "refactor/staging/stage.h"
#include "refactor/transformations/tiled.h"

enum { HT_STAGING_FIXED_MAX = 4 };

typedef struct ht_staging {
    ht_plan *plan;
    ht_tiled_form *form;
    ht_stage_frame frame;
    ht_text bytes; /* of all tiles so far, a template expression */
    /* variables of the loads: the element's number, its place in the tile, in the array */
    const char *element, *place[HT_STAGE_DIMENSIONS_MAX], *at[HT_STAGE_DIMENSIONS_MAX];
    ht_km_fixed fixed[HT_STAGING_FIXED_MAX]; /* strides and dilations, by the problem's values */
    const char *fixed_names[HT_STAGING_FIXED_MAX]; /* the template constants that they are */
    size_t fixed_count;
    /* of the array at hand */
    bool needs_fixed; /* only with those values */
    ht_stage stage;
    const char *type; /* of an element */
    const char *param, *pad, *tile;
    bool padded; /* it has rows that can be padded */
    /* Several iterations of the loop around the load may be in the tile at once; names are NULL
     * where they may not: how many are loaded together, and 2 where the next one is loaded while
     * one is worked on. */
    const char *chunk, *buffers, *ahead;
    const char *why; /* it cannot be written */
    bool looped;     /* what is printed belongs to a load that may be ahead */
} ht_staging;

/* Inserts the tile and its load into the form, and replaces the reads. False: nothing is changed.
 */
bool ht_staging_write(ht_staging *in);

#endif
