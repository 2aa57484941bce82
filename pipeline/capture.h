/* From what a program launched to a problem file for its kernels: docs/emulate.md#capture. */
#ifndef HT_PIPELINE_CAPTURE_H
#define HT_PIPELINE_CAPTURE_H

#include "base/error.h"
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
    double seconds;     /* of host emulation */
    char *problem_gap;  /* why its problem is not known; NULL: it is */
    const char *status; /* of the pass with this problem: "templated", ...; NULL: not tried */
    char *reason;       /* of the status; NULL */
} ht_capture_row;

typedef struct ht_capture_result {
    ht_capture_row *rows; /* those that took longest first; owned */
    size_t count;
    json_t *problems; /* the problem file; owned */
    size_t problem_count;
    double seconds; /* of all launches */
} ht_capture_result;

/* Reads the kernels in the files, fills their problems in, writes those that are complete to the
 * file at `path`, unless there is none, and tries them. Without files only launches are sorted. */
ht_status ht_capture_problems(const ht_capture *capture, char *const *files, size_t count,
                              const char *path, const ht_refactor_options *compiler,
                              ht_capture_result *out_result, ht_error *error);
void ht_capture_result_free(ht_capture_result *result);

#endif
