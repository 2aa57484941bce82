/* The limits of each NVIDIA architecture: the "Technical Specifications per Compute Capability" of
 * the CUDA programming guide. Tests compare the occupancy that follows from it with CUDA's own
 * calculator where the toolkit is there. */
#ifndef HT_RUNTIME_NVIDIA_TARGET_H
#define HT_RUNTIME_NVIDIA_TARGET_H

#include "templates/annotations/device_fields.h"

#include <stddef.h>

typedef struct ht_nvidia_target {
    int capability;    /* 90: sm_90 */
    int max_warps;     /* a multiprocessor */
    int max_blocks;    /* a multiprocessor */
    int shared;        /* bytes a multiprocessor */
    int shared_block;  /* bytes a block may ask for, static and dynamic (opt-in above 48 KiB) */
    int granule;       /* bytes of shared memory are given in these */
    int reserved;      /* bytes of shared memory that the system takes for each block */
    int units;         /* multiprocessors of a typical board */
    const char *board; /* which one that is */
} ht_nvidia_target;

enum {
    HT_NVIDIA_WARP = 32,
    HT_NVIDIA_SCHEDULERS = 4, /* parts of a multiprocessor, each with its warps and registers */
    HT_NVIDIA_STATIC_SHARED = 49152, /* bytes of __shared__ arrays, whatever the architecture */
    HT_NVIDIA_REGISTERS = 65536,     /* a multiprocessor */
    HT_NVIDIA_THREAD_REGISTERS = 255,
    HT_NVIDIA_REGISTER_GRANULE = 256 /* registers are given to a warp in these */
};

extern const ht_nvidia_target ht_nvidia_targets[];
extern const size_t ht_nvidia_target_count;

/* By the number after "sm_"; NULL when there is no table for it. */
const ht_nvidia_target *ht_nvidia_target_find(int capability);

/* The number after the '_' of "sm_90", "sm_90a" or "compute_90"; 0 when it is neither. */
int ht_nvidia_capability(const char *arch);

/* The device fields of a typical board, for compiling without one. */
ht_device_fields ht_nvidia_target_fields(const ht_nvidia_target *target);

#endif
