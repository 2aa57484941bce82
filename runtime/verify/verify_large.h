/* Problems that are too large to be verified on: the original's time may grow with a power of the
 * extents, and then it does not end for sizes that are small for most kernels; buffers may take
 * more memory than a verification is to. Private to runtime/verify/. */
#ifndef HT_RUNTIME_VERIFY_VERIFY_LARGE_H
#define HT_RUNTIME_VERIFY_VERIFY_LARGE_H

#include "templates/bind.h"

/* Zeroed: nothing is known to be too large. */
typedef struct ht_verify_large {
    uint64_t limit;  /* bytes that buffers may take in a process; 0: any */
    bool known;      /* the original did not end for some problem */
    double elements; /* in all buffers: a problem with more is too large then */
    uint64_t least;  /* bytes of the smallest problem past the limit; 0: none was */
} ht_verify_large;

/* Notes that the original did not end for this problem: those with more than an eighth of its
 * elements are not to be tried. */
void ht_verify_large_note(ht_verify_large *large, const ht_binding *binding);
/* Returns true if the problem is too large; `exact`: outputs are compared to the bit. */
bool ht_verify_large_is(ht_verify_large *large, const ht_binding *binding, bool exact);
/* Returns why no problem was tried, when none was; free(). */
char *ht_verify_large_reason(const ht_verify_large *large);

#endif
