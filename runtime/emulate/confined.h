/* A forked process in the sandbox, with a guard over it. */
#ifndef HT_RUNTIME_EMULATE_CONFINED_H
#define HT_RUNTIME_EMULATE_CONFINED_H

#include "base/error.h"
#include "runtime/sandbox/sandbox.h"

#include <stdbool.h>

typedef struct ht_confined {
    ht_sandbox_plan plan;
    const char *temporary; /* its TMPDIR */
    /* Runs in the process once it is confined, and gives its exit code; what it returns with an
     * error set reaches the caller's. */
    int (*work)(void *context, ht_error *error);
    void *context;
    bool symbolizes; /* it finds lines of addresses by a helper (runtime/host/symbolizer.h) */
    bool exits;      /* through exit(), so that what it has buffered is written */
    double seconds;  /* it is ended by SIGTERM after these; 0: never */
    const volatile int *interrupted; /* NULL: nothing interrupts it */
} ht_confined;

/* Runs it and waits. *out_status is waitpid's. HT_ERROR_INTERRUPTED, HT_ERROR_TIMEOUT: it was
 * ended by us. */
ht_status ht_confined_run(const ht_confined *confined, int *out_status, ht_error *error);

#endif
