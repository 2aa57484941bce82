/* A header of the user's that stands in for frameworks which are not installed. It is read ahead of
 * each source (-include), so that an error in it would be one of every source. */
#ifndef HT_REFACTOR_SOURCE_STUB_H
#define HT_REFACTOR_SOURCE_STUB_H

#include "base/error.h"
#include "refactor/source/options.h"

/* Checks that the header can be read and has no errors by itself. The options' arguments do not
 * include it. */
ht_status ht_stub_check(const char *path, const ht_refactor_options *options, ht_error *error);

#endif
