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

/* Returns where the line that holds a place begins. */
static inline size_t ht_line_begin(const char *text, size_t at) {
    while (at > 0 && text[at - 1] != '\n')
        --at;
    return at;
}

/* Returns where the blanks ahead of a place begin, in its line. */
static inline size_t ht_blank_begin(const char *text, size_t at) {
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t'))
        --at;
    return at;
}

static inline bool ht_range_holds(ht_range range, size_t offset) {
    return range.begin <= offset && offset < range.end;
}

#endif
