/* Windows: reads of one array that lie side by side along one dimension, in which an axis of the
 * outputs, or a loop, steps by one. What one of them reads, the neighbour in front of it reads in
 * the next step. Private to refactor/. */
#ifndef HT_REFACTOR_WINDOW_H
#define HT_REFACTOR_WINDOW_H

#include "refactor/staging/stage.h"

/* What steps: the outputs' index along an axis, or a loop of the model. */
typedef struct ht_window_along {
    bool is_loop;
    int axis;
    size_t loop;
} ht_window_along;

typedef struct ht_window {
    size_t array;
    size_t dimension;           /* the one that moves */
    const ht_km_access **reads; /* by their place in it; NULL: none reads it there; owned */
    size_t slots;
    size_t read_count;            /* accesses of the kernel that it serves */
    const ht_km_access **served;  /* all of them; owned */
    size_t *slot_of;              /* of each of these; owned */
    const ht_km_access *overtook; /* a write that may be the same memory, which earlier reads would
                                     overtake; NULL: there is none */
} ht_window;

typedef struct ht_windows {
    ht_window *items; /* owned */
    size_t count;
} ht_windows;

/* All windows of at least two reads of arrays that are only read. `apart` (may be NULL)
 * returns true if two arrays are proved to be different memory. */
ht_windows ht_windows_find(ht_kernel_model *km, const ht_window_along *along,
                           bool (*apart)(const ht_kernel_model *km, size_t first, size_t second));
void ht_windows_free(ht_windows *windows);

/* Fills in what ht_stage_bounds and the printing of tests need of a window's reads: the stage then
 * says which elements may be loaded. `frame` must outlive it. False: stage->problem. */
bool ht_window_stage(const ht_window *window, ht_kernel_model *km, const ht_window_along *along,
                     const ht_stage_frame *frame, ht_stage *out_stage);
/* The index in a dimension at a place in the window; NULL: it gets too long. */
const ht_poly *ht_window_index(const ht_window *window, ht_kernel_model *km, size_t dimension,
                               size_t slot);

#endif
