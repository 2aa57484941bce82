/* Recorded exhaustive tuning runs: Kernel Tuner's cache files, gzip or not. */
#ifndef HT_BENCHMARKS_GPU_MODEL_RECORDING_H
#define HT_BENCHMARKS_GPU_MODEL_RECORDING_H

#include "base/error.h"

#include <stddef.h>

enum { HT_RECORDED_PARAMS = 24 };

typedef struct ht_recorded {
    long values[HT_RECORDED_PARAMS]; /* in the recording's order */
    double ms;                       /* 0: it failed */
} ht_recorded;

typedef struct ht_recording {
    char *names[HT_RECORDED_PARAMS]; /* owned */
    size_t param_count;
    ht_recorded *rows; /* owned */
    size_t count;
} ht_recording;

ht_status ht_recording_read(const char *path, ht_recording *out_recording, ht_error *error);
/* The value of a parameter, or `otherwise`. */
long ht_recorded_value(const ht_recording *recording, const ht_recorded *row, const char *name,
                       long otherwise);
void ht_recording_free(ht_recording *recording);

#endif
