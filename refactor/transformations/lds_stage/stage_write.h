/* Stages an array in the tiled form: found by stage.c, written here and by stage_load.c.
 * Private to this folder and stream_window/. */
#ifndef HT_REFACTOR_STAGE_WRITE_H
#define HT_REFACTOR_STAGE_WRITE_H

#include "base/text.h"
#include "refactor/plan/plan.h"
#include "refactor/staging/stage.h"
#include "refactor/transformations/register_tile/tiled.h"

enum { HT_STAGING_FIXED_MAX = 4 };

/* Strides and dilations that are template constants, with the problem's values. */
typedef struct ht_fixed_steps {
    ht_km_fixed values[HT_STAGING_FIXED_MAX];
    const char *names[HT_STAGING_FIXED_MAX]; /* of the constants */
    size_t count;
} ht_fixed_steps;

/* Variables of the statements that load a tile. */
typedef struct ht_load_names {
    const char *element;                        /* the element's number, */
    const char *place[HT_STAGE_DIMENSIONS_MAX]; /* its place in the tile, */
    const char *at[HT_STAGE_DIMENSIONS_MAX];    /* and its place in the array */
    const char *ahead;                          /* the iteration that is loaded */
    const char *each, *end, *here;              /* a neighbour's number, coordinates */
} ht_load_names;

/* Parameters of the current array. */
typedef struct ht_staging_params {
    const char *stage; /* STAGE_: it is in a tile */
    const char *pad;   /* PAD_: elements added to a row */
    /* Several iterations of the loop around the load may be in the tile at once: `chunk` is the
     * number loaded together, `buffers` is 2 if the next iteration is loaded during this one. NULL:
     * not possible. */
    const char *chunk, *buffers;
    const char *vector; /* VECTOR_: neighbours in a row loaded at once; vector-width adds it */
} ht_staging_params;

/* The text being printed. */
typedef struct ht_staging_text {
    const char *vector; /* params.vector; NULL while single loads are written */
    bool wide;          /* it loads several elements */
    bool looped;        /* it belongs to a load that may be for a later iteration */
} ht_staging_text;

/* Arrays being staged one after the other; the last part is about the current one. */
typedef struct ht_staging {
    ht_plan *plan;
    ht_tiled_form *form;
    ht_stage_frame frame;
    ht_text bytes; /* bytes of all tiles so far, a template expression */
    ht_load_names load;
    ht_fixed_steps steps;
    ht_stage stage;
    bool needs_fixed; /* staging needs the values of `steps` */
    bool padded;      /* it has rows that can be padded */
    const char *type; /* of an element */
    const char *pack; /* of params.vector elements */
    const char *tile;
    const char *why; /* why it cannot be written */
    ht_staging_params params;
    ht_staging_text printing;
} ht_staging;

/* Finds the plan's template constants that are strides and dilations. */
ht_fixed_steps ht_staging_steps(const ht_plan *plan);

/* Inserts the tile and its load into the form, and replaces the reads. Returns false if nothing was
 * changed. */
bool ht_staging_write(ht_staging *in);

/* Writes the block's first output along the axis, in a type that keeps values below 0. */
void ht_staging_origin(const ht_staging *in, int axis, ht_text *out);
/* Returns the last dimension that is not uniform, along which rows lie. */
size_t ht_staging_last(const ht_stage *stage);

#endif
