/* Floats of 16 bits (IEEE 754) as little-endian bytes. */
#ifndef HT_PREDICTOR_MATH_HALF_H
#define HT_PREDICTOR_MATH_HALF_H

#include <stdint.h>

float ht_half_get(const uint8_t *at);
/* Rounds to nearest, ties to even; a finite value beyond 65504 becomes that. */
void ht_half_put(uint8_t *at, float value);

#endif
