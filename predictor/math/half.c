#include "predictor/math/half.h"

#include <math.h>
#include <string.h>

enum {
    HALF_FRACTION = 10, /* bits of the fraction */
    HALF_LEAST = -14,   /* exponent of the least normal number */
    HALF_BIAS = 15,
    HALF_SPECIAL = 31, /* exponent field of infinities and NaNs */
    REAL_FRACTION = 23,
    REAL_BIAS = 127,
    REAL_SPECIAL = 255
};
static const float half_most = 65504;

float ht_half_get(const uint8_t *at) {
    uint32_t bits = at[0] | (uint32_t)at[1] << 8, sign = bits >> 15 << 31;
    uint32_t exponent = bits >> HALF_FRACTION & HALF_SPECIAL;
    uint32_t fraction = bits & ((1U << HALF_FRACTION) - 1);
    float value;
    if (exponent == 0) {
        value = ldexpf((float)fraction, HALF_LEAST - HALF_FRACTION);
        return sign ? -value : value;
    }
    exponent = exponent == HALF_SPECIAL ? REAL_SPECIAL : exponent + REAL_BIAS - HALF_BIAS;
    bits = sign | exponent << REAL_FRACTION | fraction << (REAL_FRACTION - HALF_FRACTION);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the bits of a number from 0 on: the fraction, which may carry into the exponent's. */
static unsigned half_bits(float value) {
    int exponent;
    if (!isfinite(value))
        return (unsigned)HALF_SPECIAL << HALF_FRACTION | isnan(value);
    if (value > half_most)
        value = half_most;
    frexpf(value, &exponent);
    --exponent;
    if (value <= 0 || exponent < HALF_LEAST)
        return (unsigned)lrintf(ldexpf(value, HALF_FRACTION - HALF_LEAST));
    unsigned fraction = (unsigned)lrintf(ldexpf(value, HALF_FRACTION - exponent));
    return ((unsigned)(exponent + HALF_BIAS - 1) << HALF_FRACTION) + fraction;
}

void ht_half_put(uint8_t *at, float value) {
    unsigned bits = half_bits(fabsf(value)) | (signbit(value) ? 1U << 15 : 0);
    at[0] = (uint8_t)bits;
    at[1] = (uint8_t)(bits >> 8);
}
