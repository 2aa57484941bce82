/* Windows in the tiled form: found by stream.c, written by stream_write.c. Private to this
 * folder. */
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
    const char *at[HT_STAGE_DIMENSIONS_MAX]; /* names of an element's coordinates */
    /* the axis or loop of the windows */
    ht_window_along along;
    const char *along_name;
    long place, declared; /* places of the moves and of the variables, for ht_tiled_insert */
    const char *param;
    char *condition; /* condition over it for keeping a window; owned */
    char *fresh;     /* expression of the form that is true if there is no window yet; owned */
    const char *why; /* why it cannot be written; owned by the model or static */
} ht_streaming;

void ht_streaming_name(ht_streaming *in);
void ht_streaming_release(ht_streaming *in);
/* Inserts the window and its moves into the form, and replaces the reads, which
 * ht_tiled_may_replace must allow. Returns false if nothing was changed. */
bool ht_streaming_write(ht_streaming *in, const ht_window *window);

#endif
