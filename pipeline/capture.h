/* From what a program launched to a problem file for its kernels: docs/emulate.md#capture. */
#ifndef HT_PIPELINE_CAPTURE_H
#define HT_PIPELINE_CAPTURE_H

#include "base/error.h"
#include "pipeline/capture_fill.h"
#include "refactor/source/options.h"
#include "runtime/emulate/capture.h"

#include <jansson.h>

/* A kernel that was launched, and what is known of it. */
typedef struct ht_capture_row {
    char *kernel; /* its name, qualified */
    char *file;   /* that defines it; NULL: none of those that were read does */
    int line;
    size_t distinct;    /* launches that differ */
    uint64_t times;     /* all launches */
    double seconds;     /* of all launches */
    bool chosen;        /* it is one of those that take the time: ht_capture_choose */
    char *problem_gap;  /* why its problem is not known; NULL: it is */
    const char *status; /* of the pass with this problem: "templated", ...; NULL: not tried */
    char *reason;       /* of the status; NULL */
    bool reassociates;  /* it uses atomics: its sums come in any order */
} ht_capture_row;

typedef struct ht_capture_result {
    ht_capture_row *rows; /* those that took longest first; owned */
    size_t count;
    json_t *problems; /* the problem file; owned */
    size_t problem_count;
    double seconds;         /* of all launches */
    ht_capture_files files; /* next to the problem file */
} ht_capture_result;

/* A run's launches, and what their buffers held where that was kept. Borrowed. */
typedef struct ht_capture_seen {
    const ht_capture *capture;
    const ht_byte_store *contents; /* NULL: it was not */
    bool by_name; /* without a source, kernels' names and code objects say what they can */
} ht_capture_seen;

/* Reads the kernels in the files, fills their problems in, writes those that are complete to the
 * file at `path`, unless there is none, with the files of contents next to it, and tries them.
 * Without files launches are sorted, and problems are made by name if that is asked for. */
ht_status ht_capture_problems(const ht_capture_seen *seen, char *const *files, size_t count,
                              const char *path, const ht_refactor_options *compiler,
                              ht_capture_result *out_result, ht_error *error);
/* Chooses the fewest kernels that together take this share (0 to 1) of the time. */
void ht_capture_choose(ht_capture_result *result, double share);
/* A kernel's part of the time, 0 to 1. */
double ht_capture_share(const ht_capture_result *result, const ht_capture_row *row);
/* The row of a kernel of a source, by its name; NULL: it was not launched. */
const ht_capture_row *ht_capture_row_find(const ht_capture_result *result, const char *kernel);
void ht_capture_result_free(ht_capture_result *result);

#endif
