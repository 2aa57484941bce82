/* Windows in the tiled form: what stream.c knows and stream_write.c writes. Private. */
#ifndef HT_REFACTOR_STREAM_WRITE_H
#define HT_REFACTOR_STREAM_WRITE_H

#include "refactor/plan/plan.h"
#include "refactor/staging/window.h"
#include "refactor/transformations/register_tile/tiled.h"

typedef struct ht_streaming {
    ht_plan *plan;
    ht_tiled_form *form;
    ht_kernel_model *km;
    ht_stage_frame frame;
    const char *at[HT_STAGE_DIMENSIONS_MAX]; /* variables: an element's place in the array */
    /* what is walked along */
    ht_window_along along;
    const char *along_name;
    long place, declared; /* of the moves, of the variables; for ht_tiled_insert */
    const char *param;
    char *condition; /* expression over it: a window is kept; owned */
    char *fresh;     /* expression of the form: there is no window yet; owned */
    const char *why; /* it cannot be written; owned by the model or static */
} ht_streaming;

void ht_streaming_name(ht_streaming *in);
void ht_streaming_release(ht_streaming *in);
/* Inserts the window and how it moves into the form, and replaces the reads, which must be possible
 * (ht_tiled_may_replace). False: nothing is changed. */
bool ht_streaming_write(ht_streaming *in, const ht_window *window);

#endif
