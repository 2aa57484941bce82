/* exp, tanh and the logistic function for loops over arrays: without branches and calls, so that
 * compilers vectorize them. In float, minimax approximations (fitted by weighted least squares,
 * Lawson's algorithm) with a relative error below 1e-6; in double, the C library's. And the macros
 * for such loops. */
#ifndef HT_PREDICTOR_MATH_REAL_MATH_H
#define HT_PREDICTOR_MATH_REAL_MATH_H

#include "predictor/math/blas.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Before a function with such loops: compiled for several processors, the best one is taken when
 * the program starts. Not under a sanitizer, which does not get along with that, and not where
 * speed is no matter. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HT_PLAIN_LOOPS
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(HT_REAL_DOUBLE) ||    \
    !defined(__OPTIMIZE__)
#define HT_PLAIN_LOOPS
#endif
#if defined(__x86_64__) && !defined(HT_PLAIN_LOOPS)
#define HT_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HT_CLONES
#endif
/* Before such a loop: its turns are independent, or only add to the sums. */
#ifdef HT_PLAIN_LOOPS
#define HT_SIMD
#define HT_SIMD_SUM(...)
#else
#define HT_PRAGMA(text) _Pragma(#text)
#define HT_SIMD HT_PRAGMA(omp simd)
#define HT_SIMD_SUM(...) HT_PRAGMA(omp simd reduction(+ : __VA_ARGS__))
#endif
#define HT_INLINE static inline __attribute__((always_inline))

#ifdef HT_REAL_DOUBLE
HT_INLINE ht_real ht_fast_exp(ht_real x) {
    return exp(x);
}

HT_INLINE ht_real ht_fast_tanh(ht_real x) {
    return tanh(x);
}
#else
/* 2^n e^r with n the nearest integer to x / log 2, |r| <= log(2) / 2. Below -87 and above 88, the
 * value there. */
HT_INLINE ht_real ht_fast_exp(ht_real x) {
    x = x < -87.0F ? -87.0F : x;
    x = x > 88.0F ? 88.0F : x;
    const float turn =
        12582912.0F; /* 1.5 * 2^23: adding it rounds to an integer, in its low bits */
    const float shifted = x * 1.44269504F + turn;
    const float n = shifted - turn;
    const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    float p = 0.008290340756F;
    p = p * r + 0.04189785797F;
    p = p * r + 0.1666763642F;
    p = p * r + 0.4999915024F;
    p = p * r + 0.9999997066F;
    p = p * r + 1.0F;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23U) + 0x3f800000U;
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

/* x P(x^2) / Q(x^2), error 1.4e-8 before rounding. Beyond 8.6, the value there, 1 - 6.8e-8. */
HT_INLINE ht_real ht_fast_tanh(ht_real x) {
    x = x < -8.6F ? -8.6F : x;
    x = x > 8.6F ? 8.6F : x;
    const float u = x * x;
    float p = 1.408215368e-8F;
    p = p * u + 2.112226305e-5F;
    p = p * u + 0.003526399352F;
    p = p * u + 0.1340687518F;
    p = p * u + 0.9999999869F;
    float q = 8.070539448e-7F;
    q = q * u + 0.0003336263059F;
    q = q * u + 0.02599389683F;
    q = q * u + 0.467401968F;
    q = q * u + 1.0F;
    return x * p / q;
}
#endif

HT_INLINE ht_real ht_fast_sigmoid(ht_real x) {
    return 1 / (1 + ht_fast_exp(-x));
}

/* The softmax of scores (at least one), in place. */
HT_INLINE void ht_fast_softmax(size_t count, ht_real *scores) {
    ht_real highest = scores[0], total = 0;
    for (size_t i = 1; i < count; ++i)
        highest = highest > scores[i] ? highest : scores[i];
    HT_SIMD_SUM(total)
    for (size_t i = 0; i < count; ++i) {
        scores[i] = ht_fast_exp(scores[i] - highest);
        total += scores[i];
    }
    const ht_real scale = 1 / total;
    HT_SIMD
    for (size_t i = 0; i < count; ++i)
        scores[i] *= scale;
}

#endif
