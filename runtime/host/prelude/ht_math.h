/* Device mathematics on the C library's functions and the compiler's builtins. The generic names
 * (sqrt, min, abs, ...) are templates: a plain function of that name would collide with the
 * overloads of <cmath>, should a unit include it. */
#ifndef HT_MATH_H
#define HT_MATH_H

#include "ht_convert.h"
#include "ht_core.h"

#define HT_MATH_1(name)                                                                            \
    extern "C" double name(double) noexcept;                                                       \
    extern "C" float name##f(float) noexcept;                                                      \
    template <class T, class = typename ht_if<ht_same<T, float>>::type>                            \
    __forceinline__ T name(T x) {                                                                  \
        return __builtin_##name##f(x);                                                             \
    }
#define HT_MATH_2(name)                                                                            \
    extern "C" double name(double, double) noexcept;                                               \
    extern "C" float name##f(float, float) noexcept;                                               \
    template <class T, class = typename ht_if<ht_same<T, float>>::type>                            \
    __forceinline__ T name(T x, ht_same_argument<T> y) {                                           \
        return __builtin_##name##f(x, y);                                                          \
    }
template <class T> struct ht_argument {
    using type = T;
};
template <class T> using ht_same_argument = typename ht_argument<T>::type;

HT_MATH_1(acos)
HT_MATH_1(acosh)
HT_MATH_1(asin)
HT_MATH_1(asinh)
HT_MATH_1(atan)
HT_MATH_1(atanh) HT_MATH_1(cbrt) HT_MATH_1(ceil) HT_MATH_1(cos) HT_MATH_1(cosh) HT_MATH_1(erf)
    HT_MATH_1(erfc) HT_MATH_1(exp) HT_MATH_1(exp2) HT_MATH_1(expm1) HT_MATH_1(fabs) HT_MATH_1(floor)
        HT_MATH_1(lgamma) HT_MATH_1(log) HT_MATH_1(log10) HT_MATH_1(log1p) HT_MATH_1(log2)
            HT_MATH_1(logb) HT_MATH_1(nearbyint) HT_MATH_1(rint) HT_MATH_1(round) HT_MATH_1(sin)
                HT_MATH_1(sinh) HT_MATH_1(sqrt) HT_MATH_1(tan) HT_MATH_1(tanh) HT_MATH_1(tgamma)
                    HT_MATH_1(trunc) HT_MATH_2(atan2) HT_MATH_2(copysign) HT_MATH_2(fdim)
                        HT_MATH_2(fmax) HT_MATH_2(fmin) HT_MATH_2(fmod) HT_MATH_2(hypot)
                            HT_MATH_2(nextafter) HT_MATH_2(pow) HT_MATH_2(remainder)
#undef HT_MATH_1
#undef HT_MATH_2

                                extern "C" {
    double fma(double, double, double) noexcept;
    float fmaf(float, float, float) noexcept;
    double ldexp(double, int) noexcept;
    float ldexpf(float, int) noexcept;
    double frexp(double, int *) noexcept;
    float frexpf(float, int *) noexcept;
    double modf(double, double *) noexcept;
    float modff(float, float *) noexcept;
    long lrint(double) noexcept;
    long lrintf(float) noexcept;
    long lround(double) noexcept;
    long lroundf(float) noexcept;
    long long llrint(double) noexcept;
    long long llround(double) noexcept;
    int ilogb(double) noexcept;
    int ilogbf(float) noexcept;
    double scalbn(double, int) noexcept;
    float scalbnf(float, int) noexcept;
    double scalbln(double, long) noexcept;
    float scalblnf(float, long) noexcept;
    double remquo(double, double, int *) noexcept;
    float remquof(float, float, int *) noexcept;
    double nan(const char *) noexcept;
    float nanf(const char *) noexcept;
    double j0(double) noexcept;
    float j0f(float) noexcept;
    double j1(double) noexcept;
    float j1f(float) noexcept;
    double jn(int, double) noexcept;
    float jnf(int, float) noexcept;
    double y0(double) noexcept;
    float y0f(float) noexcept;
    double y1(double) noexcept;
    float y1f(float) noexcept;
    double yn(int, double) noexcept;
    float ynf(int, float) noexcept;
    void sincos(double, double *, double *) noexcept;
    void sincosf(float, float *, float *) noexcept;
    int abs(int) noexcept;
    long labs(long) noexcept;
    long long llabs(long long) noexcept;
}

template <class T, class = typename ht_if<ht_same<T, float>>::type>
__forceinline__ T fma(T a, ht_same_argument<T> b, ht_same_argument<T> c) {
    return __builtin_fmaf(a, b, c);
}
template <class T, class = typename ht_if<ht_number<T> && !ht_same<T, int>>::type>
__forceinline__ T abs(T x) {
    if constexpr (ht_same<T, float>)
        return __builtin_fabsf(x);
    else if constexpr (ht_same<T, double>)
        return __builtin_fabs(x);
    else
        return x < 0 ? (T)-x : x;
}
/* HIP's min and max take mixed arithmetic types and ignore a NaN beside a number. */
template <class A, class B, class = typename ht_if<ht_number<A> && ht_number<B>>::type>
__forceinline__ constexpr auto min(A a, B b) {
    using T = decltype(a + b);
    if constexpr (ht_same<T, float>)
        return __builtin_fminf(a, b);
    else if constexpr (ht_same<T, double>)
        return __builtin_fmin(a, b);
    else
        return ht_same<A, B> ? (A)(b < a ? b : a) : ((T)b < (T)a ? (T)b : (T)a);
}
template <class A, class B, class = typename ht_if<ht_number<A> && ht_number<B>>::type>
__forceinline__ constexpr auto max(A a, B b) {
    using T = decltype(a + b);
    if constexpr (ht_same<T, float>)
        return __builtin_fmaxf(a, b);
    else if constexpr (ht_same<T, double>)
        return __builtin_fmax(a, b);
    else
        return ht_same<A, B> ? (A)(b > a ? b : a) : ((T)b > (T)a ? (T)b : (T)a);
}

#define HT_CLASSIFY(name)                                                                          \
    template <class T, class = typename ht_if<ht_number<T>>::type>                                 \
    __forceinline__ constexpr bool name(T x) {                                                     \
        return __builtin_##name(x);                                                                \
    }
#ifndef isnan
HT_CLASSIFY(isnan)
HT_CLASSIFY(isinf)
HT_CLASSIFY(isfinite)
HT_CLASSIFY(signbit)
#endif
#undef HT_CLASSIFY

/* C functions, for the C library declares some of these names too. */
#define HT_C_INLINE extern "C" __forceinline__
HT_C_INLINE float rsqrtf(float x) noexcept {
    return 1.0f / __builtin_sqrtf(x);
}
HT_C_INLINE double rsqrt(double x) noexcept {
    return 1.0 / __builtin_sqrt(x);
}
template <class T, class = typename ht_if<ht_same<T, float>>::type> __forceinline__ T rsqrt(T x) {
    return rsqrtf(x);
}
HT_C_INLINE float rcbrtf(float x) noexcept {
    return 1.0f / cbrtf(x);
}
HT_C_INLINE double rcbrt(double x) noexcept {
    return 1.0 / cbrt(x);
}
HT_C_INLINE float sinpif(float x) noexcept {
    return sinf(x * 3.14159265358979323846f);
}
HT_C_INLINE double sinpi(double x) noexcept {
    return sin(x * 3.14159265358979323846);
}
HT_C_INLINE float cospif(float x) noexcept {
    return cosf(x * 3.14159265358979323846f);
}
HT_C_INLINE double cospi(double x) noexcept {
    return cos(x * 3.14159265358979323846);
}
HT_C_INLINE float exp10f(float x) noexcept {
    return exp2f(x * 3.32192809488736234787f);
}
HT_C_INLINE double exp10(double x) noexcept {
    return pow(10.0, x);
}
HT_C_INLINE float normcdff(float x) noexcept {
    return 0.5f * erfcf(x * -0.70710678118654752440f);
}
HT_C_INLINE double normcdf(double x) noexcept {
    return 0.5 * erfc(x * -0.70710678118654752440);
}
HT_C_INLINE float norm3df(float x, float y, float z) noexcept {
    return hypotf(hypotf(x, y), z);
}
HT_C_INLINE double norm3d(double x, double y, double z) noexcept {
    return hypot(hypot(x, y), z);
}
HT_C_INLINE float norm4df(float x, float y, float z, float w) noexcept {
    return hypotf(hypotf(x, y), hypotf(z, w));
}
HT_C_INLINE double norm4d(double x, double y, double z, double w) noexcept {
    return hypot(hypot(x, y), hypot(z, w));
}
HT_C_INLINE float rhypotf(float x, float y) noexcept {
    return 1.0f / hypotf(x, y);
}
HT_C_INLINE double rhypot(double x, double y) noexcept {
    return 1.0 / hypot(x, y);
}
HT_C_INLINE float rnorm3df(float x, float y, float z) noexcept {
    return 1.0f / norm3df(x, y, z);
}
HT_C_INLINE double rnorm3d(double x, double y, double z) noexcept {
    return 1.0 / norm3d(x, y, z);
}
HT_C_INLINE float rnorm4df(float x, float y, float z, float w) noexcept {
    return 1.0f / norm4df(x, y, z, w);
}
HT_C_INLINE double rnorm4d(double x, double y, double z, double w) noexcept {
    return 1.0 / norm4d(x, y, z, w);
}

/* Fast variants: the exact ones here. */
HT_C_INLINE float __sinf(float x) noexcept {
    return sinf(x);
}
HT_C_INLINE float __cosf(float x) noexcept {
    return cosf(x);
}
HT_C_INLINE float __tanf(float x) noexcept {
    return tanf(x);
}
HT_C_INLINE void __sincosf(float x, float *s, float *c) noexcept {
    sincosf(x, s, c);
}
HT_C_INLINE float __expf(float x) noexcept {
    return expf(x);
}
HT_C_INLINE float __exp10f(float x) noexcept {
    return exp10f(x);
}
HT_C_INLINE float __logf(float x) noexcept {
    return logf(x);
}
HT_C_INLINE float __log2f(float x) noexcept {
    return log2f(x);
}
HT_C_INLINE float __log10f(float x) noexcept {
    return log10f(x);
}
HT_C_INLINE float __powf(float x, float y) noexcept {
    return powf(x, y);
}
HT_C_INLINE float __fdividef(float x, float y) noexcept {
    return x / y;
}
HT_C_INLINE float fdividef(float x, float y) noexcept {
    return x / y;
}
HT_C_INLINE float __frsqrt_rn(float x) noexcept {
    return rsqrtf(x);
}
HT_C_INLINE float __saturatef(float x) noexcept {
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

#undef HT_C_INLINE

/* Rounded to nearest, never contracted into a neighbour. */
#define HT_ROUNDED(name, T, arguments, result)                                                     \
    __forceinline__ T name arguments {                                                             \
        _Pragma("clang fp contract(off)") return result;                                           \
    }
HT_ROUNDED(__fadd_rn, float, (float x, float y), x + y)
HT_ROUNDED(__fsub_rn, float, (float x, float y), x - y)
HT_ROUNDED(__fmul_rn, float, (float x, float y), x *y)
HT_ROUNDED(__fdiv_rn, float, (float x, float y), x / y)
HT_ROUNDED(__frcp_rn, float, (float x), 1.0f / x)
HT_ROUNDED(__fsqrt_rn, float, (float x), __builtin_sqrtf(x))
HT_ROUNDED(__fmaf_rn, float, (float x, float y, float z), __builtin_fmaf(x, y, z))
HT_ROUNDED(__dadd_rn, double, (double x, double y), x + y)
HT_ROUNDED(__dsub_rn, double, (double x, double y), x - y)
HT_ROUNDED(__dmul_rn, double, (double x, double y), x *y)
HT_ROUNDED(__ddiv_rn, double, (double x, double y), x / y)
HT_ROUNDED(__drcp_rn, double, (double x), 1.0 / x)
HT_ROUNDED(__dsqrt_rn, double, (double x), __builtin_sqrt(x))
HT_ROUNDED(__fma_rn, double, (double x, double y, double z), __builtin_fma(x, y, z))
#undef HT_ROUNDED

/* Integers and bits. */
__forceinline__ int __mul24(int x, int y) {
    return (x << 8 >> 8) * (y << 8 >> 8);
}
__forceinline__ unsigned __umul24(unsigned x, unsigned y) {
    return (x & 0xffffff) * (y & 0xffffff);
}
__forceinline__ int __mulhi(int x, int y) {
    return (int)((long)x * y >> 32);
}
__forceinline__ unsigned __umulhi(unsigned x, unsigned y) {
    return (unsigned)((unsigned long)x * y >> 32);
}
__forceinline__ long long __mul64hi(long long x, long long y) {
    return (long long)((__int128)x * y >> 64);
}
__forceinline__ unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
__forceinline__ unsigned __sad(int x, int y, unsigned z) {
    return (unsigned)(x > y ? x - y : y - x) + z;
}
__forceinline__ unsigned __usad(unsigned x, unsigned y, unsigned z) {
    return (x > y ? x - y : y - x) + z;
}
__forceinline__ int __hadd(int x, int y) {
    return (int)(((long)x + y) >> 1);
}
__forceinline__ unsigned __uhadd(unsigned x, unsigned y) {
    return (unsigned)(((unsigned long)x + y) >> 1);
}
__forceinline__ int __rhadd(int x, int y) {
    return (int)(((long)x + y + 1) >> 1);
}
__forceinline__ unsigned __urhadd(unsigned x, unsigned y) {
    return (unsigned)(((unsigned long)x + y + 1) >> 1);
}
__forceinline__ int __popc(unsigned x) {
    return __builtin_popcount(x);
}
__forceinline__ int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
__forceinline__ int __clz(int x) {
    return x ? __builtin_clz((unsigned)x) : 32;
}
__forceinline__ int __clzll(long long x) {
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
__forceinline__ int __ffs(int x) {
    return __builtin_ffs(x);
}
__forceinline__ int __ffs(unsigned x) {
    return __builtin_ffs((int)x);
}
__forceinline__ int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
__forceinline__ int __ffsll(unsigned long long x) {
    return __builtin_ffsll((long long)x);
}
__forceinline__ int __ffsll(unsigned long x) {
    return __builtin_ffsll((long long)x);
}
__forceinline__ unsigned __brev(unsigned x) {
    return __builtin_bitreverse32(x);
}
__forceinline__ unsigned long long __brevll(unsigned long long x) {
    return __builtin_bitreverse64(x);
}
__forceinline__ unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    unsigned long both = (unsigned long)y << 32 | x;
    unsigned result = 0;
    for (unsigned i = 0; i < 4; ++i)
        result |= (unsigned)(both >> ((selector >> 4 * i & 7) * 8) & 0xff) << 8 * i;
    return result;
}
__forceinline__ unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long)high << 32 | low) << (shift & 31) >> 32);
}
__forceinline__ unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
__forceinline__ unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long)high << 32 | low) >> (shift & 31));
}
__forceinline__ unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
__forceinline__ unsigned __lastbit_u32_u32(unsigned x) {
    return x ? (unsigned)__builtin_ctz(x) : ~0u;
}
__forceinline__ unsigned __lastbit_u32_u64(unsigned long x) {
    return x ? (unsigned)__builtin_ctzl(x) : ~0u;
}
/* `width` bits from bit `offset` on; none of width 0. */
__forceinline__ unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
    offset &= 31;
    width &= 31;
    return x >> offset & ((1u << width) - 1);
}
__forceinline__ unsigned long __bitextract_u64(unsigned long x, unsigned offset, unsigned width) {
    offset &= 63;
    width &= 63;
    return x >> offset & ((1ul << width) - 1);
}
__forceinline__ unsigned __bitinsert_u32(unsigned x, unsigned bits, unsigned offset,
                                         unsigned width) {
    offset &= 31;
    unsigned mask = (1u << (width & 31)) - 1;
    return (x & ~(mask << offset)) | (bits & mask) << offset;
}
__forceinline__ unsigned long __bitinsert_u64(unsigned long x, unsigned long bits, unsigned offset,
                                              unsigned width) {
    offset &= 63;
    unsigned long mask = (1ul << (width & 63)) - 1;
    return (x & ~(mask << offset)) | (bits & mask) << offset;
}

template <class T> __forceinline__ T __ldg(const T *at) {
    return *at;
}
template <class T> __forceinline__ T __ldcg(const T *at) {
    return *at;
}
template <class T> __forceinline__ T __ldca(const T *at) {
    return *at;
}
template <class T> __forceinline__ T __ldcs(const T *at) {
    return *at;
}
template <class T> __forceinline__ void __stcs(T *at, T value) {
    *at = value;
}

#endif
