/* Divides a kernel's body into declarations in front, guards and work, and proves that threads past
 * the end do nothing. Private to refactor/. */
#ifndef HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_LAYOUT_H
#define HT_REFACTOR_TRANSFORMATIONS_COARSEN_COARSEN_LAYOUT_H

#include "refactor/transformations/coarsen/coarsen_guard.h"

typedef enum ht_part_kind {
    HT_PART_X,     /* the declaration of x */
    HT_PART_ITEM,  /* a statement or variable before the last guard, without effects */
    HT_PART_GUARD, /* if (outside) return; */
    HT_PART_ENTER, /* if (inside) { ... }: the parts after it are inside */
    HT_PART_WORK   /* everything else */
} ht_part_kind;

typedef struct ht_part {
    ht_part_kind kind;
    const ht_syntax *node;
    ht_guard guard; /* owned */
    bool front;     /* ITEM: written once, in front of all outputs */
    bool unused;    /* an ITEM that only guards need: not written with the outputs together */
    bool again;     /* a front ITEM that is written again for each output */
    bool ahead;     /* a declaration of the WORK that may stand ahead of a loop over all of it */
} ht_part;

typedef struct ht_layout {
    ht_part *parts; /* owned */
    size_t count;
    ht_region region; /* items and work in order, as one list */
} ht_layout;

/* Divides the body. Refuses if threads past the end are not proved to do nothing. `enter`: look
 * inside if (inside) { ... }. */
void ht_layout_build(ht_coarsen *c, bool enter, ht_layout *out_layout);
void ht_layout_release(ht_layout *layout);
/* Returns the part after those of the declaration that part `i` is a variable of. */
size_t ht_layout_declaration_end(const ht_layout *layout, size_t i);
/* Decides which parts are in front. `together` false: outputs are computed one at a time. */
void ht_layout_settle(ht_coarsen *c, ht_layout *layout, bool together);

#endif
