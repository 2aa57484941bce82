/* Tasks that may crash or hang, each in a process of its own: one that dies costs its own result
 * and nothing else. */
#ifndef HT_PIPELINE_TASKS_H
#define HT_PIPELINE_TASKS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The step that a task is at, in memory that it shares with its parent. */
typedef struct ht_task_step {
    volatile int number;       /* 0: before the first step */
    volatile int line, column; /* what it is about */
    volatile double since;     /* on ht_clock_seconds */
    volatile double seconds;   /* of CPU time for it; 0: no limit */
} ht_task_step;
/* One for each task, zeroed. Ends the program when there is no memory. */
ht_task_step *ht_task_steps_new(size_t count);
void ht_task_steps_free(ht_task_step *steps, size_t count);
/* In the child: a step begins, with a limit of its own (`seconds` of CPU time; 0: none). */
void ht_task_step_begin(ht_task_step *step, int line, int column, double seconds);

/* How a task ended, and what it wrote. */
typedef struct ht_task_result {
    ht_status status;   /* HT_OK, HT_ERROR_CRASH, HT_ERROR_TIMEOUT, HT_ERROR_INTERRUPTED */
    int signal;         /* that killed it; 0: none */
    int code;           /* it exited with */
    bool out_of_memory; /* it died, and of its memory little was left */
    const char *text;   /* what it wrote, NUL-terminated; NULL when it never began */
    size_t length;
} ht_task_result;

typedef struct ht_tasks {
    size_t count;
    size_t workers; /* processes at a time; 0: one a core */
    double
        limit_seconds; /* of CPU time for one task, and a tenth of its time by the clock; 0: none */
    size_t memory_bytes; /* that one may take beyond what this process has; 0: no limit */
    ht_task_step *steps; /* one for each task, borrowed: its limit of time begins anew with each
                            step; NULL: none */
    /* Bytes that each task is known to take, one for each, borrowed, and how many those that run at
     * a time may take together: a task waits for others to end while later ones that take less go
     * ahead, and one that takes more runs alone. NULL: not known. */
    const uint64_t *weights;
    uint64_t weight_max;
    /* In the child; standard error leads nowhere there. Returns the exit code. */
    int (*run)(void *context, size_t index, FILE *out);
    /* In the parent, in the order they end. `result` is freed after it. */
    void (*done)(void *context, size_t index, const ht_task_result *result);
    void *context;
} ht_tasks;

/* Runs all. Ctrl-C (ht_interrupted) kills those that run: they and those that never began end with
 * HT_ERROR_INTERRUPTED. An error: no process could be made at all. */
ht_status ht_tasks_run(const ht_tasks *tasks, ht_error *error);

#endif
