/* `optimize --run`: a whole program is run for the problems of its kernels, and again with the
 * tuned sources in place of its own: docs/optimize.md#whole-programs. */
#ifndef HT_PIPELINE_WHOLE_H
#define HT_PIPELINE_WHOLE_H

#include "pipeline/capture.h"
#include "pipeline/program.h"

/* How the runs of original and tuned program compare. */
typedef enum ht_whole_verdict {
    HT_WHOLE_NOT_RUN, /* nothing was changed, or the time was over */
    HT_WHOLE_EQUAL,   /* same copies to the host, bit by bit, and same exit code */
    HT_WHOLE_DIFFERS,
    HT_WHOLE_FAILED /* the tuned program could not be built or run */
} ht_whole_verdict;

typedef struct ht_whole_result {
    ht_whole_verdict verdict;
    uint64_t copies, bytes;   /* of the original */
    uint64_t different;       /* of its copies */
    uint64_t first_different; /* counted from 1; 0: none */
    ht_emulate_outcome original, tuned;
    char *reason; /* of a verdict that is not HT_WHOLE_EQUAL; owned */
} ht_whole_result;

typedef struct ht_whole {
    ht_program_files files;
    ht_program_run run; /* arguments and the folder to read */
    unsigned wavefront; /* of the emulation: 32 or 64 */
    ht_capture *capture;
    ht_copies *before;
    char **sources; /* that may define kernels; owned */
    size_t source_count;
    ht_capture_result captured;
    char *problem_file; /* NULL: no problem is known; owned */
    ht_whole_result result;
} ht_whole;

/* Runs the original, and writes FOLDER/problem.json, in a folder that is there, with its launches.
 * The program's standard output goes to standard error. One that fails is reported by
 * `result.original` alone. `whole` has files, run and wavefront, all else zero. */
ht_status ht_whole_begin(ht_whole *whole, const char *folder, const ht_refactor_options *compiler,
                         ht_error *error);

/* Runs the tuned program and fills the verdict. A program that fails is no error. */
ht_status ht_whole_compare(ht_whole *whole, const ht_substitutes *substitutes, ht_error *error);

void ht_whole_free(ht_whole *whole);

const char *ht_whole_verdict_name(ht_whole_verdict verdict);

#endif
