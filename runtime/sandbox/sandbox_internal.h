/* Between the parts of the sandbox. */
#ifndef HT_RUNTIME_SANDBOX_SANDBOX_INTERNAL_H
#define HT_RUNTIME_SANDBOX_SANDBOX_INTERNAL_H

#include "runtime/sandbox/sandbox.h"

#include <limits.h>
#include <linux/seccomp.h>

/* Landlock: folders and TCP. `version` as probed. */
int ht_landlock_version(void);
ht_status ht_landlock_enter(const ht_sandbox_plan *plan, int version, ht_error *error);

/* Loads the filter of system calls. With `notify`, *out_listener is the descriptor on which the
 * kernel asks about calls that the filter does not let pass; without, they end the process. */
ht_status ht_filter_load(const ht_sandbox_plan *plan, bool notify, int channel, int *out_listener,
                         ht_error *error);
/* The number of a call; -1 when there is no such name. */
int ht_filter_number(const char *name);
/* Returns false if the call is newer than libseccomp. */
bool ht_filter_knows(const struct seccomp_notif *call);

/* Open flags that make, change or empty a file. */
int ht_open_flags_changing(void);

/* Room for such words, which go into evidence (HT_EVIDENCE_MAX), and for a path in them. */
enum { HT_SANDBOX_PATH = 800, HT_SANDBOX_WORDS = HT_SANDBOX_PATH + 128 };

/* Words for a call that was refused: "tried to start a program (execve of '/bin/sh')". */
void ht_sandbox_describe(const struct seccomp_notif *call, char *out, size_t size);
/* Copies the string at `address` of a process; control characters become '?'. False when it cannot
 * be read. */
bool ht_sandbox_peek(int pid, uint64_t address, char *out, size_t size);

#endif
