/* A device is timed on by one job at a time, whatever database and user it is of. */
#ifndef HT_PIPELINE_NIGHTLY_DEVICE_LOCK_H
#define HT_PIPELINE_NIGHTLY_DEVICE_LOCK_H

#include "base/error.h"

#include <stdbool.h>

typedef struct ht_device_lock {
    int file; /* -1: not held */
} ht_device_lock;

/* Waits for the lock of a device of this machine until `by` on ht_clock_seconds, or until *stopped
 * is not 0. `waiting` is called once before a wait, with the process that holds it. The lock is a
 * record lock of the file hiptemper-DEVICE.lock in $HIPTEMPER_LOCKS, else /run/lock, else /tmp: the
 * kernel releases it with the process, however that ends, and no child holds it.
 * HT_ERROR_TIMEOUT: it did not become free. */
ht_status ht_device_lock_take(const char *device, double by, const volatile int *stopped,
                              void (*waiting)(void *context, long process), void *context,
                              ht_device_lock *out_lock, ht_error *error);
void ht_device_lock_release(ht_device_lock *lock);

#endif
