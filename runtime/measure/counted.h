/* Counting the accesses of a launch of a template, from its compiled code. */
#ifndef HT_RUNTIME_MEASURE_COUNTED_H
#define HT_RUNTIME_MEASURE_COUNTED_H

#include "runtime/compile/compile.h"

/* Counts by ht_provider.accesses for one launch (of template->launches or ->reference_launches),
 * with the arguments that it would be called with. `lowered`: its kernel's name in `program`.
 * HT_ERROR_UNSUPPORTED where the provider counts nothing. */
ht_status ht_launch_count(const ht_device *device, const ht_binding *binding,
                          const ht_config *config, const ht_launch *launch,
                          const ht_program *program, const char *lowered, uint64_t blocks_max,
                          ht_accesses *out_accesses, ht_error *error);

#endif
