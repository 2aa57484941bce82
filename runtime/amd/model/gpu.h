/* AMD's GPUs as the model sees them: public numbers, with the place that they come from. */
#ifndef HT_RUNTIME_AMD_MODEL_GPU_H
#define HT_RUNTIME_AMD_MODEL_GPU_H

#include "runtime/amd/target.h"

/* A unit is what holds a block and its LDS: a compute unit, or a WGP from RDNA on. Cycles are those
 * of the shader clock. */
typedef struct ht_gpu {
    const char *name;  /* "mi250x" */
    const char *board; /* in words */
    const char *arch;  /* what a compiler takes */
    const char *like;  /* the architecture of ht_amd_targets with the same registers and slots */
    int units;
    int lds; /* bytes that one block may have, and a compute unit has */
    double mhz;
    double vector_cycles; /* that a SIMD is busy with a wave's vector instruction, */
    double slow_cycles;   /* with one at a quarter of the rate, */
    double double_cycles; /* with one on float64 */
    double scalar_rate;   /* scalar instructions a cycle, of a unit */
    double step;          /* cycles between two instructions of a wave that is alone */
    double lds_rate;      /* passes over the 32 banks a cycle, of a unit */
    double l1_rate;       /* bytes a cycle, of a unit */
    double l1_size;       /* bytes, of a unit */
    double l2_rate;       /* bytes a cycle, of the GPU */
    double cache_size;    /* bytes of the GPU's last cache in front of its memory */
    double memory_rate;   /* bytes a second */
    /* Cycles from the instruction to its data. */
    double lds_latency, scalar_latency, cached_latency, l2_latency, memory_latency;
    const char *source;
} ht_gpu;

extern const ht_gpu ht_gpus[];
extern const size_t ht_gpu_count;

/* Finds a GPU by its name, in any case; NULL: no such GPU is listed. */
const ht_gpu *ht_gpu_find(const char *name);
/* Finds the first GPU of an architecture ("gfx90a:xnack-" is gfx90a); NULL: no such GPU is listed.
 */
const ht_gpu *ht_gpu_of_arch(const char *arch);
/* The architecture's limits with this GPU's LDS. */
ht_amd_target ht_gpu_target(const ht_gpu *gpu);

#endif
