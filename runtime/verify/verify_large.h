/* Problems that are too large to be verified on: the original's time may grow with a power of the
 * extents, and then it does not end for sizes that are small for most kernels. Private to
 * runtime/verify/. */
#ifndef HT_RUNTIME_VERIFY_VERIFY_LARGE_H
#define HT_RUNTIME_VERIFY_VERIFY_LARGE_H

#include "templates/bind.h"

/* Zeroed: nothing is known to be too large. */
typedef struct ht_verify_large {
    bool known;
    double elements; /* in all buffers: a problem with more is too large */
} ht_verify_large;

/* Notes that the original did not end for this problem: those with more than an eighth of its
 * elements are not to be tried. */
void ht_verify_large_note(ht_verify_large *large, const ht_binding *binding);
bool ht_verify_large_is(const ht_verify_large *large, const ht_binding *binding);

#endif
