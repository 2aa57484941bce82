/* Private folders for temporary files that a killed process cannot leave for good: the owner
 * holds a lock on a file in its folder, and whoever makes a folder next removes those next to it
 * that nobody holds any more. The kernel drops the lock with the process, however that ends. */
#ifndef HT_BASE_SCRATCH_H
#define HT_BASE_SCRATCH_H

#include "base/error.h"

#include <sys/types.h>

typedef struct ht_scratch {
    char *path; /* owned; NULL: none */
    int lock;   /* held on PATH/lock; inherited by forks, closed by exec */
} ht_scratch;

/* Makes $TMPDIR/hiptemper-STEM-PID-XXXXXX (else under /tmp), locked, after sweeping its place. */
ht_status ht_scratch_make(const char *stem, ht_scratch *out_scratch, ht_error *error);
/* Removes the folder with what is in it. Does nothing for an empty record. */
void ht_scratch_remove(ht_scratch *scratch);

/* Where a tool failed without a reason: HT_ERROR_IO when a file of a megabyte cannot be written
 * into this folder for temporary files either (NULL: $TMPDIR, else /tmp). */
ht_status ht_scratch_check(const char *folder, ht_error *error);

/* Removes the folders hiptemper-*-PID-XXXXXX in `root` that belong to this user and to no living
 * process. Errors are ignored: somebody else may sweep at the same time. Returns how many went. */
unsigned ht_scratch_sweep(const char *root);
/* The same, and those of the process `pid`, which holds them no more, also when they have no lock.
 */
unsigned ht_scratch_sweep_of(const char *root, pid_t pid);

#endif
