#include "runtime/amd/model/time.h"

#include <math.h>

/* The time of a launch that does nothing. */
static const double launch_seconds = 5e-6;

static double least(double a, double b) {
    return a < b ? a : b;
}

static double most(double a, double b) {
    return a > b ? a : b;
}

/* Returns how much of `bytes` a cache of `size` holds. */
static double held(double size, double bytes) {
    return bytes <= size ? 1 : size / bytes;
}

/* Returns the cycles that a SIMD is busy with a block's instructions. */
static double vector_cycles(const ht_gpu *gpu, const ht_gpu_work *work) {
    return work->vector * gpu->vector_cycles + work->slow * gpu->slow_cycles +
           work->doubles * gpu->double_cycles + work->matrix_cycles;
}

/* Returns how much L1 holds of what the blocks of a unit go to again: their lines and scratch. */
static double held_l1(const ht_gpu *gpu, const ht_gpu_work *work) {
    return held(gpu->l1_size, (most(work->lines_bytes, 1) + work->scratch) * work->resident);
}

/* Returns how much the last cache holds of the scratch of all blocks at once. */
static double held_scratch(const ht_gpu *gpu, const ht_gpu_work *work) {
    return held(gpu->cache_size, work->scratch * least(work->blocks, work->resident * gpu->units));
}

/* Returns the bytes that a block asks of L2: each line once as far as L1 holds it, and each time
 * for the rest; stores go through. */
static double l2_bytes(const ht_gpu *gpu, const ht_gpu_work *work) {
    double again = most(work->load_bytes, work->lines_bytes), hit = held_l1(gpu, work);
    return hit * work->lines_bytes + (1 - hit) * (again + work->scratch_bytes) + work->store_bytes;
}

/* Returns the bytes of the launch that memory moves: inputs once, outputs, and scratch as far as it
 * does not fit into the cache. */
static double memory_bytes(const ht_gpu *gpu, const ht_gpu_work *work) {
    return least(work->input_bytes, work->blocks * work->lines_bytes) +
           work->blocks * (work->store_bytes + (1 - held_scratch(gpu, work)) * work->scratch_bytes);
}

/* Returns the cycles of a wait for scratch memory: as far as what holds it. */
static double scratch_latency(const ht_gpu *gpu, const ht_gpu_work *work) {
    double near = held_l1(gpu, work), far = 1 - held_scratch(gpu, work);
    double past = gpu->l2_latency + far * (gpu->memory_latency - gpu->l2_latency);
    return near * gpu->cached_latency + (1 - near) * past;
}

/* Returns the cycles that a wave takes when it is alone on its unit. */
static double lone_cycles(const ht_gpu *gpu, const ht_gpu_work *work) {
    double busy =
        work->instructions * gpu->step + work->slow * most(gpu->slow_cycles - gpu->step, 0) +
        work->doubles * most(gpu->double_cycles - gpu->step, 0) + work->matrix_cycles +
        work->lds_passes / gpu->lds_rate + (work->l1_bytes + work->scratch_bytes) / gpu->l1_rate;
    double waits = work->memory_waits * gpu->memory_latency +
                   work->cached_waits * gpu->cached_latency +
                   work->scratch_waits * scratch_latency(gpu, work) +
                   work->scalar_waits * gpu->scalar_latency + work->lds_waits * gpu->lds_latency;
    return (busy + waits) / most(work->waves, 1);
}

const char *ht_gpu_term_words(ht_gpu_term term) {
    static const char *const words[] = {
#define WORDS(name, text) text,
        HT_GPU_TERMS(WORDS)
#undef WORDS
    };
    return words[term];
}

ht_gpu_time ht_gpu_time_compute(const ht_gpu *gpu, const ht_gpu_work *work) {
    double hertz = gpu->mhz * 1e6, simds = ht_gpu_target(gpu).simds;
    bool wgp = ht_gpu_target(gpu).has_wgp;
    /* The unit that gets the most blocks ends last. */
    double blocks = ceil(work->blocks / gpu->units);
    double rounds = ceil(work->blocks / (gpu->units * most(work->resident, 1)));
    double scratch_l1 = work->l1_bytes + work->scratch_bytes;
    ht_gpu_time time = {0};
    double cubes = 0;
    time.terms[HT_GPU_VECTOR] = blocks * vector_cycles(gpu, work) / (simds * (wgp ? 2 : 1)) / hertz;
    time.terms[HT_GPU_SCALAR] = blocks * work->scalar / gpu->scalar_rate / hertz;
    time.terms[HT_GPU_LDS] = blocks * work->lds_passes / gpu->lds_rate / hertz;
    time.terms[HT_GPU_L1] = blocks * scratch_l1 / gpu->l1_rate / hertz;
    time.terms[HT_GPU_L2] = work->blocks * l2_bytes(gpu, work) / gpu->l2_rate / hertz;
    time.terms[HT_GPU_MEMORY] = memory_bytes(gpu, work) / gpu->memory_rate;
    time.terms[HT_GPU_LATENCY] = rounds * lone_cycles(gpu, work) / hertz;
    for (size_t i = 0; i < HT_GPU_TERM_COUNT; i++) {
        cubes += pow(time.terms[i], 3);
        if (time.terms[i] > time.terms[time.bottleneck])
            time.bottleneck = (ht_gpu_term)i;
    }
    time.seconds = cbrt(cubes) + launch_seconds;
    return time;
}
