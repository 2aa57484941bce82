#include "base/random.h"

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void ht_random_seed(ht_random *random, uint64_t seed) {
    for (int i = 0; i < 4; ++i)
        random->state[i] = splitmix(&seed);
}

void ht_random_stream(ht_random *random, uint64_t seed, uint64_t stream) {
    uint64_t mixed = stream;
    ht_random_seed(random, seed ^ splitmix(&mixed));
}

static uint64_t rotate(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

uint64_t ht_random_next(ht_random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t ht_random_below(ht_random *random, uint64_t bound) {
    if (bound == 0)
        return 0;
    uint64_t threshold = -bound % bound;
    for (;;) {
        uint64_t value = ht_random_next(random);
        if (value >= threshold)
            return value % bound;
    }
}

double ht_random_unit(ht_random *random) {
    return (double)(ht_random_next(random) >> 11) * 0x1.0p-53;
}
