/* The limits of each AMD architecture, by its hardware and code generator: register files, wave
 * slots, LDS. Sizes are the published ones of the instruction set manuals; tests compare the
 * results with LLVM's own. */
#ifndef HT_RUNTIME_AMD_TARGET_H
#define HT_RUNTIME_AMD_TARGET_H

#include "templates/annotations/device_fields.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ht_amd_target {
    const char *arch;
    /* Newer than the oldest supported compiler: offered as a compile-only target only after a probe
     * compile. */
    bool needs_probe;
    int clang; /* the first clang that compiles for it; where hiprtc does not, it may (clang/) */
    int wavefront; /* lanes by default */
    int max_waves; /* wave slots a SIMD */
    int simds;     /* a compute unit */
    int vgprs;     /* 32-bit vector registers a lane slot of a SIMD has, at the default wavefront */
    int vgpr_granule;   /* allocation unit, at the default wavefront */
    bool unified_agprs; /* accumulation registers come from the same file */
    bool sgpr_limited;  /* scalar registers limit the waves (before gfx10) */
    bool has_wgp;       /* work-groups may span the two compute units of a WGP */
    int lds;            /* bytes a compute unit; also the most one work-group may use */
    int lds_granule;    /* bytes */
    int units; /* as hipDeviceAttributeMultiprocessorCount of a typical board: gfx10 and later count
                  WGPs */
    int registers; /* vector registers one thread may use */
} ht_amd_target;

extern const ht_amd_target ht_amd_targets[];
extern const size_t ht_amd_target_count;

/* By architecture name; features after a colon ("gfx90a:xnack-") are ignored. NULL when there is
 * no table for it. */
const ht_amd_target *ht_amd_target_find(const char *arch);

/* The device fields of a typical board of this architecture, for compiling without one. */
ht_device_fields ht_amd_target_fields(const ht_amd_target *target);

#endif
