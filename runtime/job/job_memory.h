/* Whether a job's buffers fit into memory at all: asked before anything is started for it. */
#ifndef HT_RUNTIME_JOB_JOB_MEMORY_H
#define HT_RUNTIME_JOB_JOB_MEMORY_H

#include "runtime/provider/provider.h"
#include "templates/bind.h"

#include <stdint.h>

/* HT_ERROR_INPUT, at the largest buffer's line, when the buffers of the default configuration are
 * more than `memory`. The memory of a separate device is not counted, only the host's copies. */
ht_status ht_job_memory_check(const ht_binding *binding, const ht_device *device, uint64_t memory,
                              ht_error *error);

/* Returns the bytes that the buffers of the default configuration and their copies take at once; 0
 * where that is not known. */
uint64_t ht_job_memory_need(const ht_binding *binding, const ht_device *device);

/* How the outputs of a verification are compared. */
typedef enum ht_comparing {
    HT_COMPARING_BITS,
    HT_COMPARING_VALUES, /* within the tolerance, with what the original gives */
    HT_COMPARING_TWIN    /* with what a twin in wider numbers gives */
} ht_comparing;
/* Returns the bytes that the buffers of verifying a problem take in the largest of its processes on
 * an emulated device, without what checking notes of elements; 0 where that is not known. */
uint64_t ht_job_memory_verifying(const ht_binding *binding, ht_comparing how);
/* Returns the bytes of the buffers alone, once; 0 where that is not known. */
uint64_t ht_job_memory_plain(const ht_binding *binding);

/* Returns `phase`, for people who wait for it, with how much memory it fills where that is a GiB or
 * more: such runs take minutes. free(). */
char *ht_job_memory_phase(const ht_binding *binding, const ht_device *device, const char *phase);

#endif
