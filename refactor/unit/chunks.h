/* Collects the declarations at namespace level, as pieces of text. */
#ifndef HT_REFACTOR_UNIT_CHUNKS_H
#define HT_REFACTOR_UNIT_CHUNKS_H

#include "refactor/unit/slice.h"

void ht_chunks_collect(ht_slice *slice);

#endif
