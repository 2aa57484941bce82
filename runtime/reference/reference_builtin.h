/* Built-in references: expected outputs computed in float64 on this machine's cores, whatever the
 * device. */
#ifndef HT_RUNTIME_REFERENCE_REFERENCE_BUILTIN_H
#define HT_RUNTIME_REFERENCE_REFERENCE_BUILTIN_H

#include "runtime/buffers/buffers.h"
#include "runtime/buffers/expected.h"

/* From the initial contents of filled `buffers`; `reference->seed` is set. Wrong annotations are
 * HT_ERROR_INPUT. */
ht_status ht_reference_builtin(const ht_binding *binding, const ht_buffers *buffers,
                               ht_reference *reference, ht_error *error);

#endif
