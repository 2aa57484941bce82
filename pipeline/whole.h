/* `optimize --run`: a whole program is run for the problems of its kernels, and again with the
 * tuned sources in place of its own: docs/optimize.md#whole-programs. */
#ifndef HT_PIPELINE_WHOLE_H
#define HT_PIPELINE_WHOLE_H

#include "base/scratch.h"
#include "pipeline/copies_compare.h"
#include "pipeline/entry.h"
#include "pipeline/missing.h"

/* How the runs of original and tuned program compare. */
typedef enum ht_whole_verdict {
    HT_WHOLE_NOT_RUN, /* nothing was changed, or the time was over */
    HT_WHOLE_EQUAL,   /* same copies to the host, bit by bit, and same exit code */
    HT_WHOLE_WITHIN,  /* the same, but for copies within the tolerance */
    HT_WHOLE_DIFFERS,
    HT_WHOLE_FAILED /* the tuned program could not be built or run */
} ht_whole_verdict;

/* The program with the copies for one problem. */
typedef struct ht_whole_result {
    ht_whole_verdict verdict;
    char *problem; /* its label: "launch_1"; "": there is but one; owned */
    ht_copies_answer copies;
    ht_emulate_outcome tuned;
    char *reason; /* of a verdict that is neither HT_WHOLE_EQUAL nor HT_WHOLE_WITHIN; owned */
} ht_whole_result;

typedef struct ht_whole {
    ht_program_files files;
    ht_program_run run; /* arguments and the folder to read */
    unsigned wavefront; /* of the emulation: 32 or 64 */
    uint64_t inputs;    /* bytes of a buffer whose content is kept; 0: none is */
    double share;       /* 0 to 1: the kernels that together take it of the time are tuned */
    double most;        /* seconds that a run may take; 0: no limit but `limit` */
    const volatile int *stopped; /* becomes 1 when all is to end; NULL: ht_interrupted */
    ht_capture *capture;
    ht_copies *before;
    ht_scratch scratch; /* for the bytes of copies */
    ht_byte_store store, contents;
    char **sources; /* that may define kernels; owned */
    size_t source_count;
    ht_capture_result captured;
    ht_missing missing; /* that the original called */
    char *problem_file; /* NULL: no problem is known; owned */
    ht_emulate_outcome original;
    double seconds;           /* that building and running the original took */
    double limit;             /* seconds that a tuned program may take */
    double tolerance;         /* that copies were compared within; 0: bit by bit */
    ht_whole_result *results; /* one a problem that sources were tuned for; owned */
    size_t result_count;
    char *reason; /* why there is none; owned */
} ht_whole;

/* Bytes of copies that are kept of a run. */
#define HT_WHOLE_KEPT (UINT64_C(256) << 20)

/* Runs the original, and writes FOLDER/problem.json, in a folder that is there, with its launches.
 * The program's standard output goes to standard error. One that fails is reported by
 * `original` alone. `whole` has files, run, wavefront, inputs, share, most and stopped, all else
 * zero. */
ht_status ht_whole_begin(ht_whole *whole, const char *folder, const ht_refactor_options *compiler,
                         ht_error *error);

/* The same for a comparison alone: no problem is made of its launches. */
ht_status ht_whole_begin_known(ht_whole *whole, ht_error *error);

/* Returns true if a kernel takes enough of the time to be tuned; of ht_survey_options. */
bool ht_whole_wants(const void *whole, const char *kernel);

/* Returns how far copies may differ: as verification lets the outputs of kernels differ whose sums
 * come in another order, by a transformation. 0: not at all. */
double ht_whole_tolerance(const ht_entries *entries);

/* Runs the program with the tuned sources, once for each problem that there are copies for, and
 * fills the results. Kernels with atomics may differ, too, whatever the tolerance. A program that
 * fails is no error. */
ht_status ht_whole_compare(ht_whole *whole, const ht_substitutes *substitutes, double tolerance,
                           ht_error *error);

/* The worst of its results. */
ht_whole_verdict ht_whole_verdict_of(const ht_whole *whole);

void ht_whole_free(ht_whole *whole);

const char *ht_whole_verdict_name(ht_whole_verdict verdict);

#endif
