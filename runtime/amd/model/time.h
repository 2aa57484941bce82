/* The formula: from what a launch does to the time that it takes. A pure function; the numbers of
 * the GPU come from its data sheet, those of the work from compiled code. */
#ifndef HT_RUNTIME_AMD_MODEL_TIME_H
#define HT_RUNTIME_AMD_MODEL_TIME_H

#include "runtime/amd/model/gpu.h"

#include "base/error.h"
#include "runtime/provider/provider.h"

/* X(field, meaning): of a block, on average over those that were followed. */
#define HT_GPU_BLOCK_FIELDS(X)                                                                     \
    X(waves, "waves")                                                                              \
    X(instructions, "instructions of waves")                                                       \
    X(vector, "vector instructions of these, at the full rate")                                    \
    X(slow, "at a quarter of the rate")                                                            \
    X(doubles, "on float64")                                                                       \
    X(matrix_cycles, "cycles of a SIMD's matrix unit")                                             \
    X(scalar, "scalar instructions, branches among them")                                          \
    X(lds_passes, "passes over the banks of LDS, conflicts among them")                            \
    X(l1_bytes, "bytes that pass through L1, whole lines where lanes lie apart")                   \
    X(lines_bytes, "bytes of the different lines that it loads")                                   \
    X(load_bytes, "bytes of the lines of each of its loads, as often as they are loaded")          \
    X(store_bytes, "bytes that it stores")                                                         \
    X(scratch_bytes, "bytes to and from scratch memory")                                           \
    X(memory_waits, "waits of waves for data that no wave of the block had loaded")                \
    X(cached_waits, "waits of waves for data that one had")                                        \
    X(scratch_waits, "waits of waves for scratch memory")                                          \
    X(scalar_waits, "waits of waves for scalar loads")                                             \
    X(lds_waits, "waits of waves for LDS")

typedef struct ht_gpu_work {
    double blocks;      /* of the launch that go to memory; the others end at once */
    double resident;    /* blocks that a unit holds at once, at least 1 */
    double input_bytes; /* of the buffers that it loads from: what memory sends at most once */
    double scratch;     /* bytes of scratch that a block has */
#define HT_GPU_MEMBER(field, meaning) double field;
    HT_GPU_BLOCK_FIELDS(HT_GPU_MEMBER)
#undef HT_GPU_MEMBER
} ht_gpu_work;

/* X(name, words) */
#define HT_GPU_TERMS(X)                                                                            \
    X(VECTOR, "vector instructions")                                                               \
    X(SCALAR, "scalar instructions")                                                               \
    X(LDS, "LDS")                                                                                  \
    X(L1, "L1")                                                                                    \
    X(L2, "L2")                                                                                    \
    X(MEMORY, "memory")                                                                            \
    X(LATENCY, "latency")

typedef enum ht_gpu_term {
#define HT_GPU_TERM(name, words) HT_GPU_##name,
    HT_GPU_TERMS(HT_GPU_TERM)
#undef HT_GPU_TERM
        HT_GPU_TERM_COUNT
} ht_gpu_term;

typedef struct ht_gpu_time {
    double seconds;
    double terms[HT_GPU_TERM_COUNT]; /* seconds that each alone would take */
    ht_gpu_term bottleneck;          /* the largest */
} ht_gpu_time;

const char *ht_gpu_term_words(ht_gpu_term term);

/* The time of one launch: the cube root of the sum of the terms' cubes, and what a launch costs. */
ht_gpu_time ht_gpu_time_compute(const ht_gpu *gpu, const ht_gpu_work *work);

/* The work of a launch that was counted. `lanes`: of a wave. HT_ERROR_UNSUPPORTED when the block
 * does not fit on the GPU. */
ht_status ht_gpu_work_make(const ht_gpu *gpu, const ht_accesses *accesses,
                           const ht_resources *resources, const ht_geometry *geometry,
                           ht_gpu_work *out_work, ht_error *error);

#endif
