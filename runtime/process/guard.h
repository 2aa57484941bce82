/* The process between the tuner and a worker. A kernel may start processes, and put them into
 * groups and sessions of their own; whatever it is, it ends with its worker, and everything ends
 * with the tuner. */
#ifndef HT_RUNTIME_PROCESS_GUARD_H
#define HT_RUNTIME_PROCESS_GUARD_H

#include <sys/types.h>

/* Forks. The child, in a session of its own, returns and is the worker. The calling process never
 * returns: it closes `fd`, adopts the processes that the worker's children leave
 * (PR_SET_CHILD_SUBREAPER), and when the worker ends, SIGTERM comes, or `tuner`, its parent, dies,
 * kills all that is below it. Then it ends as the worker did: by the same signal or with the same
 * code; or by SIGSYS, with the reason on stderr, when the sandbox ended the worker. Call it before
 * there are threads. */
void ht_guard(int fd, pid_t tuner);

#endif
