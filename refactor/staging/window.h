/* Windows: reads of one array that are neighbours along one dimension, in which an axis of the
 * outputs, or a loop, steps by one. The next step reads most of their elements again, each by the
 * neighbouring read. Private to refactor/. */
#ifndef HT_REFACTOR_WINDOW_H
#define HT_REFACTOR_WINDOW_H

#include "refactor/staging/stage.h"

/* The index that steps: the outputs' along an axis, or a loop of the model. */
typedef struct ht_window_along {
    bool is_loop;
    int axis;
    size_t loop;
} ht_window_along;

typedef struct ht_window {
    size_t array;
    size_t dimension;           /* the dimension that steps */
    const ht_km_access **reads; /* by place in the window; NULL: no read is at this place; owned */
    size_t slots;
    size_t read_count;            /* number of accesses that the window serves */
    const ht_km_access **served;  /* these accesses; owned */
    size_t *slot_of;              /* their places in the window; owned */
    const ht_km_access *overtook; /* a write to what may be the same memory, which earlier reads
                                     would overtake; NULL: there is none */
} ht_window;

typedef struct ht_windows {
    ht_window *items; /* owned */
    size_t count;
} ht_windows;

/* Finds all windows of at least two reads, of arrays that are only read. `apart` (may be NULL)
 * returns true if two arrays are proved to be different memory. */
ht_windows ht_windows_find(ht_kernel_model *km, const ht_window_along *along,
                           bool (*apart)(const ht_kernel_model *km, size_t first, size_t second));
void ht_windows_free(ht_windows *windows);

/* Fills a stage with the window's reads, as ht_stage_bounds and the printing of tests need it: the
 * stage then says which elements may be loaded. `frame` must outlive it. Returns false with
 * stage->problem. */
bool ht_window_stage(const ht_window *window, ht_kernel_model *km, const ht_window_along *along,
                     const ht_stage_frame *frame, ht_stage *out_stage);
/* Returns the index in a dimension at a place in the window; NULL: it has too many terms. */
const ht_poly *ht_window_index(const ht_window *window, ht_kernel_model *km, size_t dimension,
                               size_t slot);

#endif
