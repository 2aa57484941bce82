/* Building and running a program, each in a process of its own that the sandbox confines. */
#ifndef HT_RUNTIME_EMULATE_RUN_H
#define HT_RUNTIME_EMULATE_RUN_H

#include "base/error.h"
#include "runtime/emulate/build.h"
#include "runtime/emulate/capture.h"
#include "runtime/emulate/copies.h"
#include "runtime/emulate/report.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_emulate_run {
    const char *folder;     /* where it was built */
    char *const *arguments; /* of main, with the program's name; NULL ends */
    const char *reads;      /* a folder that it may read, next to the system's */
    const char *writes;     /* the folder that it may write to */
    unsigned wavefront;
    bool checked;                    /* it was built for checking mode */
    bool sanitized;                  /* it was built with AddressSanitizer, which is here */
    ht_capture *capture;             /* to be filled; NULL: nothing is captured */
    const ht_byte_store *contents;   /* for what buffers hold; NULL: it is not kept */
    ht_copies *copies;               /* the same of what it copies to the host */
    const ht_byte_store *store;      /* for their bytes; NULL: these are not kept */
    double seconds;                  /* it is ended after these; 0: never */
    const volatile int *interrupted; /* becomes 1 when it is to end */
} ht_emulate_run;

/* How the program ended. */
typedef struct ht_emulate_outcome {
    int exit_code; /* 128 + the signal's number where one ended it */
    int signal;    /* 0: none */
    bool late;     /* its time was over */
} ht_emulate_outcome;

/* ht_emulate_program_build in a confined process; what the compiler prints goes to stderr. */
ht_status ht_emulate_build_confined(const ht_emulate_build *build, const volatile int *interrupted,
                                    ht_error *error);

/* Runs the program with this process's standard streams. The report's calls are places in the
 * program's shared object; ht_emulate_places reads them. */
ht_status ht_emulate_run_confined(const ht_emulate_run *run, ht_emulate_report *report,
                                  ht_emulate_outcome *out_outcome, ht_error *error);

/* Memory for a report that a forked process shares. */
ht_emulate_report *ht_emulate_report_new(void);
void ht_emulate_report_free(ht_emulate_report *report);

/* "a.hip:12" for each call of the report, in a confined process; "" where it is not known. The
 * strings and the array are the caller's to free. */
ht_status ht_emulate_places(const ht_emulate_report *report, const char *folder, char ***out_places,
                            ht_error *error);

/* Lanes of a wavefront of the program that runs in this process. */
unsigned ht_emulate_wavefront(void);

#endif
