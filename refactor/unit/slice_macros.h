/* Finds the macros that a slice needs and file-level pragmas, and puts everything in order. */
#ifndef HT_REFACTOR_UNIT_SLICE_MACROS_H
#define HT_REFACTOR_UNIT_SLICE_MACROS_H

#include "refactor/unit/slice.h"

/* Finds the macros that the needed chunks use. */
void ht_slice_macros_need(ht_slice *slice);
/* Puts the items in order, once everything needed is known. */
void ht_slice_order(ht_slice *slice);

#endif
