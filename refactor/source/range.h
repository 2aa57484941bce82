/* A piece of text. */
#ifndef HT_REFACTOR_SOURCE_RANGE_H
#define HT_REFACTOR_SOURCE_RANGE_H

#include <stddef.h>

/* Byte offsets [begin, end) into a source's text. */
typedef struct ht_range {
    size_t begin, end;
} ht_range;

#endif
