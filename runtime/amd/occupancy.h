/* Occupancy: how many waves of a kernel a SIMD holds at once, by the rule that LLVM and AMD's
 * profilers use. */
#ifndef HT_RUNTIME_AMD_OCCUPANCY_H
#define HT_RUNTIME_AMD_OCCUPANCY_H

#include "runtime/amd/target.h"

typedef struct ht_amd_usage {
    int vgprs; /* as in the metadata: with unified_agprs the sum of both kinds, else the vector
                  registers alone */
    int agprs;
    int sgprs;
    int lds;       /* bytes a work-group, static and dynamic */
    int threads;   /* a work-group */
    int wavefront; /* 32 or 64 */
    bool wgp;      /* compiled for WGP mode (gfx10 and later) */
} ht_amd_usage;

/* Waves a SIMD by each limit alone; `waves` is the least of them, 0 when the work-group cannot run
 * at all. */
typedef struct ht_amd_occupancy {
    int by_vgprs;
    int by_sgprs;
    int by_groups; /* LDS, wave slots and barriers of whole work-groups */
    int max_waves;
    int waves;
} ht_amd_occupancy;

ht_amd_occupancy ht_amd_occupancy_compute(const ht_amd_target *target, const ht_amd_usage *usage);

/* Whole work-groups that a compute unit holds at once, or a WGP in WGP mode; 0 when none can run
 * there. */
int ht_amd_groups_resident(const ht_amd_target *target, const ht_amd_usage *usage);

#endif
