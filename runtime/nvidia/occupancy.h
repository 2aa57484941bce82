/* How many warps a multiprocessor holds of a kernel: the arithmetic of CUDA's occupancy
 * calculator. */
#ifndef HT_RUNTIME_NVIDIA_OCCUPANCY_H
#define HT_RUNTIME_NVIDIA_OCCUPANCY_H

#include "runtime/nvidia/target.h"

typedef struct ht_nvidia_usage {
    int registers; /* a thread */
    int shared;    /* bytes a block, static and dynamic */
    int threads;   /* a block */
} ht_nvidia_usage;

/* Blocks of this kernel that a multiprocessor holds at once; 0 when it cannot run. */
int ht_nvidia_blocks_per_unit(const ht_nvidia_target *target, const ht_nvidia_usage *usage);

#endif
