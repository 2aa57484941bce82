/* The kernels of the recorded runs: how a configuration is compiled, launched and called. */
#ifndef HT_BENCHMARKS_GPU_MODEL_SUBJECT_H
#define HT_BENCHMARKS_GPU_MODEL_SUBJECT_H

#include "benchmarks/gpu_model/recording.h"
#include "runtime/provider/provider.h"

enum { HT_SUBJECT_ARGUMENTS = 3 };

typedef struct ht_subject {
    const char *space;  /* folder of the recordings, and stem of the kernel's file */
    const char *kernel; /* its symbol */
    /* Fills the geometry, and the arguments, whose contents are the caller's to free. */
    void (*launch)(const ht_recording *recording, const ht_recorded *row,
                   ht_counted_launch *out_launch, ht_kernel_argument *out_arguments);
} ht_subject;

/* NULL when no kernel of this space is known. */
const ht_subject *ht_subject_find(const char *space);

/* The source that a configuration is compiled from, as the tuner made it of the kernel's text;
 * free(). `variants`: use_shmem=0 has no staging, as in the runs of all GPUs but the W7800. */
char *ht_subject_source(const char *text, const ht_recording *recording, const ht_recorded *row,
                        bool variants);

#endif
