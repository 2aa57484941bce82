/* Linux's record of a running process (/proc/PID/stat), signals to all children, and a fork. */
#ifndef HT_BASE_PROCESS_H
#define HT_BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct ht_process_state {
    long pid, parent;
    char name[32]; /* of its program; may be cut short */
    char state;    /* 'R' runs, 'S' sleeps, 'T' is stopped as by SIGSTOP, 'Z' has ended ... */
} ht_process_state;

/* False when it has gone. */
bool ht_process_read(long pid, ht_process_state *out);

/* To each child of this process: the signal, and SIGCONT, since one that is stopped takes few. */
void ht_process_signal_children(int number);

/* A fork without what libraries do then, which is for processes with threads: AddressSanitizer
 * walks through 4 MiB that were never touched. Only before there are threads. */
pid_t ht_process_fork(void);

#endif
