/* Cold caches for timing: a buffer larger than the device's caches is written over between runs, so
 * that each run finds its data in memory. The way of Triton's do_bench and NVBench. */
#ifndef HT_RUNTIME_MEASURE_FLUSH_H
#define HT_RUNTIME_MEASURE_FLUSH_H

#include "base/error.h"
#include "runtime/provider/hip.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_flush ht_flush;

/* Allocates on the device: twice the last-level cache of an emulated one (at most 512 MiB), else
 * 512 MiB, or what of it there is, down to 64 MiB. HT_ERROR_LAUNCH when there is less. */
ht_status ht_flush_create(const ht_hip *hip, bool emulated, ht_flush **out_flush, ht_error *error);
void ht_flush_free(ht_flush *flush);
size_t ht_flush_bytes(const ht_flush *flush);

/* Writes the buffer over, on every core of an emulated device, and waits. */
ht_status ht_flush_run(ht_flush *flush, ht_error *error);

#endif
