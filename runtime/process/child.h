/* Work in a forked child that may crash, hang or abort without harm: it gets a pipe, a time limit
 * and no terminal. For asking a compiler or driver something once; tuning uses long-lived workers
 * (runtime/job/job.h). */
#ifndef HT_RUNTIME_PROCESS_CHILD_H
#define HT_RUNTIME_PROCESS_CHILD_H

#include "base/scratch.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Runs in the child; what it writes to `fd` reaches the parent. Returning ends the child with exit
 * code 0. */
typedef void (*ht_child_work)(const void *context, int fd);

typedef struct ht_child {
    pid_t pid;
    int fd;
    double deadline;    /* on ht_clock_seconds */
    ht_scratch scratch; /* its TMPDIR, removed at its end: a compiler that dies leaves files */
} ht_child;

typedef struct ht_child_result {
    char *output; /* what the child wrote, complete or not; a NUL after it; owned */
    size_t output_size;
    bool timed_out;
    int exit_code; /* -1 when a signal ended it */
    int signal;    /* 0 when it exited */
} ht_child_result;

/* Starts the child; several may run at once. Every started child must be finished. */
ht_status ht_child_start(ht_child_work work, const void *context, double seconds,
                         ht_child *out_child, ht_error *error);
/* Reads until the child ends or its time is over (then it is killed, with its own children). */
void ht_child_finish(ht_child *child, ht_child_result *out_result);
void ht_child_result_free(ht_child_result *result);

/* "ran past its time limit", "was killed by signal 6 (Aborted)", "ended with exit code 3"; NULL
 * when it ended well. free(). */
char *ht_child_result_failure(const ht_child_result *result);

/* Writes everything, or ends the child: for use in `work`. */
void ht_child_write(int fd, const void *data, size_t size);

#endif
