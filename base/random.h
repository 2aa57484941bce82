/* Seeded random numbers (xoshiro256**, seeded through splitmix64; Blackman and Vigna 2018, public
 * domain algorithm). Every stream is a value: copy it to fork it, derive independent ones with
 * ht_random_stream. */
#ifndef HT_BASE_RANDOM_H
#define HT_BASE_RANDOM_H

#include <stdint.h>

typedef struct ht_random {
    uint64_t state[4];
} ht_random;

void ht_random_seed(ht_random *random, uint64_t seed);
/* An independent generator for (seed, stream): one per buffer, per repeat, per block, whatever the
 * thread. */
void ht_random_stream(ht_random *random, uint64_t seed, uint64_t stream);
uint64_t ht_random_next(ht_random *random);
/* Uniform in [0, bound), without modulo bias; 0 for bound 0. */
uint64_t ht_random_below(ht_random *random, uint64_t bound);
/* Uniform in [0, 1), 53 bits. */
double ht_random_unit(ht_random *random);

#endif
