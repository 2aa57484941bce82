/* Member functions that only the host calls, in classes that kernels take: they name things that
 * device code does not have. */
#ifndef HT_REFACTOR_UNIT_SLICE_HOST_H
#define HT_REFACTOR_UNIT_SLICE_HOST_H

#include "refactor/unit/slice.h"

/* Returns true for a member function that no device code calls. */
bool ht_slice_is_host_member(CXCursor function);
/* Cuts the body of such a function, with its initializers. */
void ht_slice_cut_body(ht_slice *slice, CXCursor function, CXCursor body);
/* Cuts a method that its class declares for the host alone, whose types device code need not have.
 * Returns false for another cursor. */
bool ht_slice_cut_method(ht_slice *slice, CXCursor method);
/* Returns true if the place is in a cut part. */
bool ht_slice_is_cut(const ht_slice *slice, size_t file, size_t offset);

#endif
