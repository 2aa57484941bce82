#include "search/matern.h"

#include "base/sanitizer.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Returns exp(-s) for s >= 0 as 2^-n 2^-f: without calls or branches, so that the loop below
 * vectorises. */
static inline float exp_minus(float s) {
    float t = s * 1.44269504f;
    t = t < 125.0F ? t : 125.0F; /* a call of fminf would keep the loop from becoming vectors */
    int32_t whole = (int32_t)t;
    float f = (t - (float)whole) * -0.693147181F; /* -0.69 .. 0 */
    /* Taylor of order 7 around -0.35: an error under 1e-9. */
    float g = f + 0.346573590F;
    float power = 1.98412698e-4F;
    uint32_t bits;
    float scale;
    power = power * g + 1.38888889e-3F;
    power = power * g + 8.33333333e-3F;
    power = power * g + 4.16666667e-2F;
    power = power * g + 1.66666667e-1F;
    power = power * g + 0.5F;
    power = power * g + 1.0F;
    power = power * g + 1.0F;
    bits = (uint32_t)(127 - whole) << 23;
    memcpy(&scale, &bits, sizeof scale);
    return power * 0.707106781F * scale;
}

/* As vectors where the processor has them: without fused operations (CMakeLists.txt) all processors
 * and compilers come to the same bits. */
#if !HT_ADDRESS_SANITIZED && defined __x86_64__
__attribute__((target_clones("avx2", "default")))
#endif
void ht_matern_of_squares(float *squares, size_t count, float amplitude) {
    for (size_t i = 0; i < count; ++i) {
        float square = 5 * squares[i];
        square = square > 0 ? square : 0;
        float s = sqrtf(square);
        squares[i] = amplitude * (1 + s + square * (1.0F / 3)) * exp_minus(s);
    }
}
