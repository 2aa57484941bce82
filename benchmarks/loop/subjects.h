/* The kernels that the arms are compared on, each with its first version and its rewrites. */
#ifndef HT_BENCHMARKS_LOOP_SUBJECTS_H
#define HT_BENCHMARKS_LOOP_SUBJECTS_H

#include <stddef.h>

typedef struct loop_subject {
    const char *name;
    const char *source;   /* the first version, from the project's folder on */
    const char *kernel;   /* in it */
    const char *rewrites; /* an annotated kernel whose parameters are a rewrite's fixed constants */
    const char *host;     /* sizes under host emulation, as JSON */
    const char *gpu;      /* sizes on a GPU, and on one of the model */
} loop_subject;

extern const loop_subject loop_subjects[];
extern const size_t loop_subject_count;

#endif
