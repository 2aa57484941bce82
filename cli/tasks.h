/* Tasks that may crash or hang, each in a process of its own: one that dies costs its own result
 * and nothing else. */
#ifndef HT_CLI_TASKS_H
#define HT_CLI_TASKS_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

/* How a task ended, and what it wrote. */
typedef struct ht_task_result {
    ht_status status; /* HT_OK, HT_ERROR_CRASH, HT_ERROR_TIMEOUT, HT_ERROR_INTERRUPTED */
    int signal;       /* that killed it; 0: none */
    int code;         /* it exited with */
    const char *text; /* what it wrote, NUL-terminated; NULL when it never began */
    size_t length;
} ht_task_result;

typedef struct ht_tasks {
    size_t count;
    size_t workers; /* processes at a time; 0: one a core */
    double
        limit_seconds; /* of CPU time for one task, and a tenth of its time by the clock; 0: none */
    size_t memory_bytes; /* that one may take; 0: no limit */
    /* In the child; standard error leads nowhere there. Returns the exit code. */
    int (*run)(void *context, size_t index, FILE *out);
    /* In the parent, in the order they end. `result` is freed behind it. */
    void (*done)(void *context, size_t index, const ht_task_result *result);
    void *context;
} ht_tasks;

/* Runs all. Ctrl-C (ht_interrupted) kills those that run: they and those that never began end with
 * HT_ERROR_INTERRUPTED. An error: no process could be made at all. */
ht_status ht_tasks_run(const ht_tasks *tasks, ht_error *error);

#endif
