/* A kernel's profile in numbers that planning can use, from its compiled code: nothing runs.
 * docs/profile.md has the members of the result. */
#ifndef HT_PIPELINE_KERNEL_PROFILE_H
#define HT_PIPELINE_KERNEL_PROFILE_H

#include "refactor/refactor.h"
#include "runtime/amd/model/gpu.h"
#include "runtime/provider/provider.h"

#include <jansson.h>

/* How a profile is made. All borrowed. */
typedef struct ht_profiling {
    const ht_device *device;         /* that is compiled for; amd's targets have counts too */
    const ht_gpu *gpu;               /* that times are predicted for; NULL: they are not */
    uint64_t blocks;                 /* of a larger grid this many are followed; 0: 512 */
    const volatile int *interrupted; /* may be NULL */
} ht_profiling;

/* Finds "model:mi250x" and devices of ht_device_find. *out_gpu: the model's, or the first of the
 * device's architecture; NULL: there is none. */
ht_status ht_profiling_device(const char *name, const ht_gpu **out_gpu, ht_device *out_device,
                              ht_error *error);

/* Profiles a configuration; `config` NULL: the original, or the template's defaults where it has no
 * other. A configuration that does not compile is a result, with "error". An error: nothing can be
 * found out. *out_profile: new reference. */
ht_status ht_kernel_profile(const ht_template *template, const ht_problem *problem,
                            const ht_config *config, const ht_profiling *how, json_t **out_profile,
                            ht_error *error);

/* Remarks of the pass over its source about the kernel, an array: refactorings that were applied
 * and missed, and why. New reference. */
json_t *ht_kernel_remarks(const ht_kernel *kernel);

#endif
