/* Worker processes seen from the tuner: start, ask, wait, and know how one died. */
#ifndef HT_RUNTIME_PROCESS_PROCESS_H
#define HT_RUNTIME_PROCESS_PROCESS_H

#include "runtime/protocol/protocol.h"

#include <sys/types.h>

typedef struct ht_process {
    pid_t pid; /* 0: not running */
    int fd;
    char *folder; /* the job's; owned */
    char *log;    /* file that holds what the worker wrote to stdout and stderr; owned */
    ht_inbox inbox;
    off_t log_start;      /* size of the log when the request under way was made */
    double deadline;      /* of the request under way, on ht_clock_seconds; 0: none is */
    int exit_status;      /* as waitpid gives it, once it died */
    const char *misdeed;  /* static: why the tuner itself killed it; NULL: it did not */
    char stopped[64];     /* who was stopped, below it or itself, when time was up; "": nobody */
    double look_again;    /* when somebody stopped is looked for next, on ht_clock_seconds */
    double stopped_since; /* of somebody found; 0: nobody */
    unsigned stops;       /* times that this was so, of all processes in this place */
    long oom_kills;    /* processes that the kernel had killed for memory when the request began */
    unsigned requests; /* answered since the start */
    json_int_t id;     /* of the request under way; the answer must have it */
    void *request;     /* the caller's mark of what was asked; borrowed */
} ht_process;

/* Prepares the record; starts nothing. `name` names its log file in `folder`. */
void ht_process_init(ht_process *process, const char *folder, const char *name);
void ht_process_free(ht_process *process); /* kills it when it still runs */

/* Starts $HIPTEMPER_WORKER, or this very program, with --worker. */
ht_status ht_process_start(ht_process *process, ht_error *error);
/* Asks it to end and waits a moment; kills it if it does not. */
void ht_process_stop(ht_process *process);
void ht_process_kill(ht_process *process);

/* Sends a request (stolen) that must be answered within `seconds`. False when the worker is gone.
 */
bool ht_process_ask(ht_process *process, json_t *request, double seconds);

/* Waits for the first news from any process with a request under way:
 * HT_OK                 an answer (*out_reply, the caller's) of process *out_index
 * HT_ERROR_CRASH        that process died; it is reaped
 * HT_ERROR_TIMEOUT      that process ran past its deadline; it was killed
 *                       (HT_ERROR_CRASH, and killed from outside, when it or a process below it was
 *                       stopped, as by SIGSTOP, for the first times)
 * HT_ERROR_INTERRUPTED  *interrupted became non-zero; all that were under way were killed. */
ht_status ht_process_wait(ht_process *processes, size_t count, const volatile int *interrupted,
                          size_t *out_index, json_t **out_reply);

/* Room for evidence with the path of a file that was refused, and for its line in the log. */
enum { HT_EVIDENCE_MAX = 1024 };

/* How it died: "SIGSEGV", "exit code 3", with the last line it wrote since the last request after
 * a colon, if any. */
void ht_process_evidence(const ht_process *process, char *out, size_t size);

/* Returns true if something other than what it worked on ended it: a signal that a program does not
 * get by its own fault. The kernel's out-of-memory killer, which sends SIGKILL too, is recognised
 * by its count. */
bool ht_process_killed_outside(const ht_process *process);

#endif
