/* A program's run, as the report at its end needs it: calls of HIP functions that are not there,
 * kernels that failed. It lies in memory that the program's process shares with the command's, so
 * that it outlives whatever ends the program. */
#ifndef HT_RUNTIME_EMULATE_REPORT_H
#define HT_RUNTIME_EMULATE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HT_REPORT_CALLS = 64, HT_REPORT_NAME = 64, HT_REPORT_FAILURES = 64, HT_REPORT_WORDS = 512 };

/* A place where a function that is not there was called. */
typedef struct ht_report_call {
    char name[HT_REPORT_NAME];
    uint64_t offset; /* of the call in the program's shared object */
    uint64_t times;
} ht_report_call;

/* A launch that failed, in words. */
typedef struct ht_report_failure {
    bool found; /* by checking mode */
    char words[HT_REPORT_WORDS];
} ht_report_failure;

typedef struct ht_emulate_report {
    uint32_t call_count; /* of `calls`; further places are not kept */
    uint64_t launches;
    uint64_t findings;      /* of checking mode */
    uint32_t failure_count; /* of `failures`; later ones are not kept */
    ht_report_call calls[HT_REPORT_CALLS];
    ht_report_failure failures[HT_REPORT_FAILURES];
} ht_emulate_report;

/* The one of this process; until a shared one is set, one of its own. */
ht_emulate_report *ht_emulate_report_here(void);
void ht_emulate_report_set(ht_emulate_report *report);
/* Notes a launch that failed. */
void ht_emulate_report_failure(const char *words, bool found);

#endif
