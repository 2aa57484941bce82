/* The sandbox's part in the guard (guard.h): answers what the filter of a worker's system calls
 * asks, and ends a worker that tries what it may not, or takes too much. */
#ifndef HT_RUNTIME_SANDBOX_SANDBOX_WARDEN_H
#define HT_RUNTIME_SANDBOX_SANDBOX_WARDEN_H

#include "runtime/sandbox/sandbox.h"

#include <sys/types.h>

/* Before the guard forks its worker. */
void ht_warden_prepare(void);
/* In the worker, right after the fork. */
void ht_warden_leave(void);
/* In the guard, right after the fork: a thread that waits for the worker to enter the sandbox. */
void ht_warden_start(pid_t worker);
/* In the guard, when the worker has ended: what it was ended for; NULL when it was not. */
const char *ht_warden_verdict(void);

/* In the worker: the descriptor by which it hands over the listener; -1 when there is no guard. */
int ht_warden_channel(void);
ht_status ht_warden_hand_over(const ht_sandbox_plan *plan, int listener, ht_error *error);

#endif
