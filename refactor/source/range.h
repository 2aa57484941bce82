/* A piece of text. */
#ifndef HT_REFACTOR_SOURCE_RANGE_H
#define HT_REFACTOR_SOURCE_RANGE_H

#include <stdbool.h>
#include <stddef.h>

/* Byte offsets [begin, end) into a source's text. */
typedef struct ht_range {
    size_t begin, end;
} ht_range;

static inline bool ht_range_within(ht_range inner, ht_range outer) {
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

static inline bool ht_range_holds(ht_range range, size_t offset) {
    return range.begin <= offset && offset < range.end;
}

#endif
