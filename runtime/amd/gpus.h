/* The AMD GPUs of this machine, as HIP reports them. */
#ifndef HT_RUNTIME_AMD_GPUS_H
#define HT_RUNTIME_AMD_GPUS_H

#include "runtime/amd/probe.h"
#include "runtime/process/child.h"

/* For ht_child_start: initialises HIP in the child and writes what it finds; a GPU that cannot be
 * used has its failure set. */
void ht_amd_gpus_work(const void *unused, int fd);
/* Waits for that child; a crash, a driver that hangs or no driver at all is 0 GPUs. Returns how
 * many are in out_gpus. */
size_t ht_amd_gpus_finish(ht_child *child, ht_amd_gpu *out_gpus, size_t capacity);

#endif
