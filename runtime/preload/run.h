/* Running a HIP program with the library that captures what it launches. */
#ifndef HT_RUNTIME_PRELOAD_RUN_H
#define HT_RUNTIME_PRELOAD_RUN_H

#include "base/error.h"
#include "base/scratch.h"
#include "runtime/emulate/capture.h"

typedef struct ht_preload_request {
    const char *const *arguments; /* the program's, its file first; NULL ends */
    uint64_t compared; /* bytes of a buffer that is read before and after a launch; 0: none is */
    uint64_t kept;     /* bytes of one whose content is kept; 0: none is */
    double seconds;    /* the program is ended after; 0: never */
    const volatile int *interrupted;
} ht_preload_request;

typedef struct ht_preload_outcome {
    int exit_code; /* 128 + N after signal N */
    int signal;    /* 0: it ended by itself */
    bool late;
    uint32_t processes;     /* that launched something, or could */
    ht_capture *capture;    /* what they launched; owned */
    ht_byte_store contents; /* of buffers of the first of them; owned */
    ht_scratch scratch;
} ht_preload_outcome;

/* Runs the program, not confined, with this process's standard streams. Its launches are in the
 * outcome, to be freed also after an error. HT_ERROR_MISSING: there is no such program. */
ht_status ht_preload_run(const ht_preload_request *request, ht_preload_outcome *out_outcome,
                         ht_error *error);
void ht_preload_outcome_free(ht_preload_outcome *outcome);

#endif
