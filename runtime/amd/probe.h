/* The abilities of this machine's ROCm, found out in child processes: initialising HIP here would
 * break workers that are forked later, and a compiler that does not know a target ends its
 * process. */
#ifndef HT_RUNTIME_AMD_PROBE_H
#define HT_RUNTIME_AMD_PROBE_H

#include "base/error.h"
#include "runtime/amd/target.h"

enum { HT_AMD_GPUS_MAX = 32, HT_AMD_TARGETS_MAX = 16 };

typedef struct ht_amd_gpu {
    int ordinal;
    char name[128];
    char arch[32]; /* with features: "gfx90a:sramecc+:xnack-" */
    ht_device_fields fields;
    char failure[240]; /* why it is not offered; "" when it is */
} ht_amd_gpu;

typedef struct ht_amd_probe {
    ht_amd_gpu gpus[HT_AMD_GPUS_MAX];
    size_t gpu_count;
    bool compiles[HT_AMD_TARGETS_MAX]; /* per ht_amd_targets */
    ht_error
        failures[HT_AMD_TARGETS_MAX]; /* why it does not; HT_OK when it does or was not asked */
    /* Per ht_amd_targets: clang's words for itself, where it compiles in place of hiprtc. NULL: it
     * does not. */
    const char *by_clang[HT_AMD_TARGETS_MAX];
    char compiler[128]; /* "hiprtc 5.2.21153 (clang 15.0.6, 5d41...)" */
    ht_error error;     /* status HT_OK, or why there is no compiler */
} ht_amd_probe;

/* Runs once a process and is kept. Takes about half a second. */
const ht_amd_probe *ht_amd_probe_get(void);

/* Compiles a tiny kernel for `arch` in a child process. HT_ERROR_COMPILE when the compiler refuses
 * or dies, with how. */
ht_status ht_amd_probe_compile(const char *arch, ht_error *error);

#endif
