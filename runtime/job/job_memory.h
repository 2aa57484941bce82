/* Whether a job's buffers fit into memory at all: asked before anything is started for it. */
#ifndef HT_RUNTIME_JOB_JOB_MEMORY_H
#define HT_RUNTIME_JOB_JOB_MEMORY_H

#include "runtime/provider/provider.h"
#include "templates/bind.h"

#include <stdint.h>

/* Bytes of memory that this process may use at most: the machine's, or the limit of its control
 * group. */
uint64_t ht_memory_of_machine(void);

/* HT_ERROR_INPUT, at the largest buffer's line, when the buffers of the default configuration are
 * more than `memory`. What a device of its own holds is not counted, only what the host keeps of
 * it. */
ht_status ht_job_memory_check(const ht_binding *binding, const ht_device *device, uint64_t memory,
                              ht_error *error);

#endif
