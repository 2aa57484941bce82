#include "predictor/layers/dropout.h"

#include "predictor/math/real_math.h"

#include <string.h>

/* Mixes as splitmix64's finaliser does. */
static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31U);
}

uint64_t ht_dropout_key(uint64_t seed, uint64_t step, uint64_t shard, uint64_t place) {
    uint64_t key = mix(seed + 0x9e3779b97f4a7c15U);
    key = mix(key ^ (step + 0x9e3779b97f4a7c15U));
    key = mix(key ^ (shard + 0x7f4a7c159e3779b9U));
    return mix(key ^ (place + 0x15f39cc0605cedc8U));
}

/* Returns the finaliser of MurmurHash3 in 32 bits, which vectorizes. */
HT_INLINE uint32_t hash(uint32_t value) {
    value ^= value >> 16U;
    value *= 0x85ebca6bU;
    value ^= value >> 13U;
    value *= 0xc2b2ae35U;
    return value ^ (value >> 16U);
}

HT_CLONES static void apply(uint32_t first, uint32_t second, uint32_t limit, ht_real scale,
                            size_t count, const ht_real *x, ht_real *y) {
    HT_SIMD
    for (size_t i = 0; i < count; ++i) {
        const uint32_t bits = hash(((uint32_t)i ^ first) * 0x9e3779b9U + second);
        y[i] = x[i] * (bits < limit ? 0 : scale);
    }
}

void ht_dropout_apply(const ht_dropout *dropout, size_t count, const ht_real *x, ht_real *y) {
    if (dropout->rate <= 0) {
        if (y != x)
            memcpy(y, x, count * sizeof *y);
        return;
    }
    const double rate = dropout->rate;
    apply((uint32_t)dropout->key, (uint32_t)(dropout->key >> 32U), (uint32_t)(rate * 4294967296.0),
          (ht_real)(1 / (1 - rate)), count, x, y);
}
