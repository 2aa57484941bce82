/* Staging an array into the tiled form: what stage.c knows and stage_write.c writes. Private. */
#ifndef HT_REFACTOR_STAGE_WRITE_H
#define HT_REFACTOR_STAGE_WRITE_H

#include "base/text.h"
#include "refactor/plan/plan.h"
#include "refactor/staging/stage.h"
#include "refactor/transformations/register_tile/tiled.h"

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
    /* Loads of several neighbours in a row at once: how many, a parameter (vector-width adds it);
     * NULL while that is not written. */
    const char *vector, *vector_name;
    const char *pack;              /* the type of so many elements */
    const char *each, *end, *here; /* variables: a neighbour's number, coordinates */
    bool wide;                     /* what is printed loads several */
    const char *why;               /* it cannot be written */
    bool looped;                   /* what is printed belongs to a load that may be ahead */
} ht_staging;

/* The template constants that are strides and dilations, with the problem's values; how many. */
size_t ht_staging_steps(const ht_plan *plan, ht_km_fixed fixed[HT_STAGING_FIXED_MAX],
                        const char *names[HT_STAGING_FIXED_MAX]);

/* Inserts the tile and its load into the form, and replaces the reads. False: nothing is changed.
 */
bool ht_staging_write(ht_staging *in);

/* ---- stage_load.c: statements that load the tile ---- */

bool ht_staging_load(ht_staging *in, ht_text *out);
/* For several iterations together, or for the next one while this one is worked on: its place in
 * the tile was read last before the barrier. */
bool ht_staging_load_ahead(ht_staging *in, ht_text *out);
/* The loop around the load. */
const ht_km_loop *ht_staging_loop(const ht_stage *stage);
/* "[c % 2]": the iteration's place in the tile. */
bool ht_staging_slot(const ht_staging *in, ht_text *out);
/* As ht_stage_print, of the iteration that the load is for. */
bool ht_staging_print(const ht_staging *in, const ht_poly *poly, ht_text *out);
bool ht_staging_print_more(const ht_staging *in, const ht_poly *poly, ht_text *out);

/* The tests for an element at `at`; with `behind`, for all from it to that one of the row. Nothing
 * where all may be loaded. */
bool ht_staging_tests(ht_staging *in, const char *behind, ht_text *out);

/* ---- parts ---- */

const ht_tiled_axis *ht_staging_axis(const ht_staging *in, int axis);
/* The first output of the block along it, of a type in which what lies below 0 stays so. */
void ht_staging_origin(const ht_staging *in, int axis, ht_text *out);
/* The last dimension that is not uniform: rows lie along it. */
size_t ht_staging_last(const ht_stage *stage);

#endif
