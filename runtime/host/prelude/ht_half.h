/* __half, __half2 and __hip_bfloat16: stored in 16 bits; arithmetic in float, rounded to nearest
 * after every operation. */
#ifndef HT_HALF_H
#define HT_HALF_H

/* Units include this behind their own macros: no identifier here may be one that people define. */
#include "ht_math.h"
#include "ht_vector.h"

struct __half {
    _Float16 value;
    __half() = default;
    template <class ht_T, class = typename ht_if<ht_number<ht_T>>::type>
    constexpr __half(ht_T x) : value((_Float16)x) {}
    constexpr operator _Float16() const {
        return value;
    }
    template <class ht_T, class = typename ht_if<__is_arithmetic(ht_T)>::type>
    constexpr explicit operator ht_T() const {
        return (ht_T)value;
    }
    constexpr operator float() const {
        return (float)value;
    }
};
typedef __half half;
struct alignas(4) __half2 {
    __half x, y;
    __half2() = default;
    constexpr __half2(__half x, __half y) : x(x), y(y) {}
    template <class ht_T, class = typename ht_if<ht_number<ht_T>>::type>
    constexpr explicit __half2(ht_T both) : x(both), y(both) {}
};
typedef __half2 half2;

#define HT_HALF_OPERATOR(op)                                                                       \
    __forceinline__ __half operator op(__half a, __half b) {                                       \
        return __half((_Float16)(a.value op b.value));                                             \
    }                                                                                              \
    template <class ht_T, class = typename ht_if<ht_integer<ht_T>>::type>                          \
    __forceinline__ __half operator op(__half a, ht_T b) {                                         \
        return a op __half(b);                                                                     \
    }                                                                                              \
    template <class ht_T, class = typename ht_if<ht_integer<ht_T>>::type>                          \
    __forceinline__ __half operator op(ht_T a, __half b) {                                         \
        return __half(a) op b;                                                                     \
    }                                                                                              \
    __forceinline__ float operator op(__half a, float b) {                                         \
        return (float)a.value op b;                                                                \
    }                                                                                              \
    __forceinline__ float operator op(float a, __half b) {                                         \
        return a op(float) b.value;                                                                \
    }                                                                                              \
    __forceinline__ __half &operator op##=(__half & a, __half b) {                                 \
        return a = a op b;                                                                         \
    }                                                                                              \
    __forceinline__ __half2 operator op(__half2 a, __half2 b) {                                    \
        return __half2(a.x op b.x, a.y op b.y);                                                    \
    }                                                                                              \
    __forceinline__ __half2 &operator op##=(__half2 & a, __half2 b) {                              \
        return a = a op b;                                                                         \
    }
HT_HALF_OPERATOR(+)
HT_HALF_OPERATOR(-)
HT_HALF_OPERATOR(*)
HT_HALF_OPERATOR(/)
#undef HT_HALF_OPERATOR
__forceinline__ __half operator-(__half a) {
    return __half((_Float16)-a.value);
}
__forceinline__ __half2 operator-(__half2 a) {
    return __half2(-a.x, -a.y);
}
#define HT_HALF_COMPARE(op, name)                                                                  \
    __forceinline__ bool operator op(__half a, __half b) {                                         \
        return a.value op b.value;                                                                 \
    }                                                                                              \
    template <class ht_T, class = typename ht_if<ht_number<ht_T>>::type>                           \
    __forceinline__ bool operator op(__half a, ht_T b) {                                           \
        return (float)a.value op(float) b;                                                         \
    }                                                                                              \
    template <class ht_T, class = typename ht_if<ht_number<ht_T>>::type>                           \
    __forceinline__ bool operator op(ht_T a, __half b) {                                           \
        return (float)a op(float) b.value;                                                         \
    }                                                                                              \
    __forceinline__ bool name(__half a, __half b) {                                                \
        return a.value op b.value;                                                                 \
    }
HT_HALF_COMPARE(==, __heq)
HT_HALF_COMPARE(!=, __hne)
HT_HALF_COMPARE(<, __hlt)
HT_HALF_COMPARE(<=, __hle)
HT_HALF_COMPARE(>, __hgt)
HT_HALF_COMPARE(>=, __hge)
#undef HT_HALF_COMPARE

/* True as well where one of them is no number. */
#define HT_HALF_UNORDERED(name, op)                                                                \
    __forceinline__ bool name(__half a, __half b) {                                                \
        return !(a.value op b.value);                                                              \
    }
HT_HALF_UNORDERED(__hneu, ==)
HT_HALF_UNORDERED(__hltu, >=)
HT_HALF_UNORDERED(__hleu, >)
HT_HALF_UNORDERED(__hgtu, <=)
HT_HALF_UNORDERED(__hgeu, <)
#undef HT_HALF_UNORDERED
__forceinline__ bool __hequ(__half a, __half b) {
    return !(a.value < b.value) && !(a.value > b.value);
}

__forceinline__ __half __float2half(float x) {
    return __half(x);
}
__forceinline__ __half __float2half_rn(float x) {
    return __half(x);
}
__forceinline__ __half __double2half(double x) {
    return __half(x);
}
__forceinline__ float __half2float(__half x) {
    return (float)x.value;
}
/* Integers by the rounding in the names, as ht_convert.h has it; halves are rounded to nearest. */
#define HT_HALF_CONVERT(words, type)                                                               \
    __forceinline__ __half __##words##2half_rn(type x) {                                           \
        return __half(x);                                                                          \
    }                                                                                              \
    __forceinline__ __half __##words##2half_rz(type x) {                                           \
        return __half(x);                                                                          \
    }                                                                                              \
    __forceinline__ __half __##words##2half_ru(type x) {                                           \
        return __half(x);                                                                          \
    }                                                                                              \
    __forceinline__ __half __##words##2half_rd(type x) {                                           \
        return __half(x);                                                                          \
    }                                                                                              \
    __forceinline__ type __half2##words##_rn(__half x) {                                           \
        return (type)__builtin_rintf((float)x.value);                                              \
    }                                                                                              \
    __forceinline__ type __half2##words##_rz(__half x) {                                           \
        return (type)(float)x.value;                                                               \
    }                                                                                              \
    __forceinline__ type __half2##words##_ru(__half x) {                                           \
        return (type)__builtin_ceilf((float)x.value);                                              \
    }                                                                                              \
    __forceinline__ type __half2##words##_rd(__half x) {                                           \
        return (type)__builtin_floorf((float)x.value);                                             \
    }
HT_HALF_CONVERT(short, short)
HT_HALF_CONVERT(ushort, unsigned short)
HT_HALF_CONVERT(int, int)
HT_HALF_CONVERT(uint, unsigned)
HT_HALF_CONVERT(ll, long long)
HT_HALF_CONVERT(ull, unsigned long long)
#undef HT_HALF_CONVERT
__forceinline__ __half __float2half_rz(float x) {
    return __half(x);
}
__forceinline__ __half __float2half_ru(float x) {
    return __half(x);
}
__forceinline__ __half __float2half_rd(float x) {
    return __half(x);
}
__forceinline__ unsigned short __half_as_ushort(__half x) {
    return ht_bits<unsigned short>(x.value);
}
__forceinline__ short __half_as_short(__half x) {
    return ht_bits<short>(x.value);
}
__forceinline__ __half __ushort_as_half(unsigned short x) {
    return __half(ht_bits<_Float16>(x));
}
__forceinline__ __half __short_as_half(short x) {
    return __half(ht_bits<_Float16>(x));
}
__forceinline__ __half __hadd(__half a, __half b) {
    return a + b;
}
__forceinline__ __half __hsub(__half a, __half b) {
    return a - b;
}
__forceinline__ __half __hmul(__half a, __half b) {
    return a * b;
}
__forceinline__ __half __hdiv(__half a, __half b) {
    return a / b;
}
__forceinline__ __half __hneg(__half a) {
    return -a;
}
__forceinline__ __half __habs(__half a) {
    return __half(__builtin_fabsf((float)a.value));
}
/* The product of two halves and the sum in double are exact enough to round once. */
__forceinline__ __half __hfma(__half a, __half b, __half c) {
    return __half((double)a.value * (double)b.value + (double)c.value);
}
__forceinline__ __half __hmax(__half a, __half b) {
    return __half(fmaxf((float)a, (float)b));
}
__forceinline__ __half __hmin(__half a, __half b) {
    return __half(fminf((float)a, (float)b));
}
__forceinline__ bool __hisnan(__half a) {
    return a.value != a.value;
}
__forceinline__ int __hisinf(__half a) {
    return __builtin_isinf((float)a.value) ? a.value < 0 ? -1 : 1 : 0;
}
#define HT_HALF_FUNCTION(name, of_float)                                                           \
    __forceinline__ __half h##name(__half a) {                                                     \
        return __half(of_float((float)a.value));                                                   \
    }                                                                                              \
    __forceinline__ __half2 h2##name(__half2 a) {                                                  \
        return __half2(h##name(a.x), h##name(a.y));                                                \
    }
HT_HALF_FUNCTION(sqrt, __builtin_sqrtf)
HT_HALF_FUNCTION(rsqrt, rsqrtf)
HT_HALF_FUNCTION(exp, expf)
HT_HALF_FUNCTION(exp2, exp2f)
HT_HALF_FUNCTION(exp10, exp10f)
HT_HALF_FUNCTION(log, logf)
HT_HALF_FUNCTION(log2, log2f)
HT_HALF_FUNCTION(log10, log10f)
HT_HALF_FUNCTION(sin, sinf)
HT_HALF_FUNCTION(cos, cosf)
HT_HALF_FUNCTION(ceil, __builtin_ceilf)
HT_HALF_FUNCTION(floor, __builtin_floorf)
HT_HALF_FUNCTION(trunc, __builtin_truncf)
HT_HALF_FUNCTION(rint, __builtin_rintf)
HT_HALF_FUNCTION(rcp, 1.0f /)
#undef HT_HALF_FUNCTION
/* Kept within 0 and 1; 0 for what is no number. */
__forceinline__ __half ht_saturated(__half a) {
    return a.value > (_Float16)0 ? __hmin(a, __half(1.0f)) : __half(0.0f);
}
__forceinline__ __half __hadd_sat(__half a, __half b) {
    return ht_saturated(a + b);
}
__forceinline__ __half __hsub_sat(__half a, __half b) {
    return ht_saturated(a - b);
}
__forceinline__ __half __hmul_sat(__half a, __half b) {
    return ht_saturated(a * b);
}
__forceinline__ __half __hfma_sat(__half a, __half b, __half c) {
    return ht_saturated(__hfma(a, b, c));
}

__forceinline__ __half2 __halves2half2(__half x, __half y) {
    return __half2(x, y);
}
__forceinline__ __half2 make_half2(__half x, __half y) {
    return __half2(x, y);
}
__forceinline__ __half2 __half2half2(__half x) {
    return __half2(x, x);
}
__forceinline__ __half2 __float2half2_rn(float x) {
    return __half2(__half(x), __half(x));
}
__forceinline__ __half2 __floats2half2_rn(float x, float y) {
    return __half2(__half(x), __half(y));
}
__forceinline__ __half2 __float22half2_rn(float2 v) {
    return __floats2half2_rn(v.x, v.y);
}
__forceinline__ float2 __half22float2(__half2 v) {
    return {(float)v.x, (float)v.y};
}
__forceinline__ float __low2float(__half2 v) {
    return (float)v.x;
}
__forceinline__ float __high2float(__half2 v) {
    return (float)v.y;
}
__forceinline__ __half __low2half(__half2 v) {
    return v.x;
}
__forceinline__ __half __high2half(__half2 v) {
    return v.y;
}
__forceinline__ __half2 __lowhigh2highlow(__half2 v) {
    return __half2(v.y, v.x);
}
__forceinline__ __half2 __hadd2(__half2 a, __half2 b) {
    return a + b;
}
__forceinline__ __half2 __hsub2(__half2 a, __half2 b) {
    return a - b;
}
__forceinline__ __half2 __hmul2(__half2 a, __half2 b) {
    return a * b;
}
__forceinline__ __half2 __h2div(__half2 a, __half2 b) {
    return a / b;
}
__forceinline__ __half2 __hneg2(__half2 a) {
    return -a;
}
__forceinline__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__forceinline__ __half2 __hmax2(__half2 a, __half2 b) {
    return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
__forceinline__ __half2 __hmin2(__half2 a, __half2 b) {
    return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
__forceinline__ __half2 __habs2(__half2 a) {
    return __half2(__habs(a.x), __habs(a.y));
}
__forceinline__ __half2 __low2half2(__half2 v) {
    return __half2(v.x, v.x);
}
__forceinline__ __half2 __high2half2(__half2 v) {
    return __half2(v.y, v.y);
}
__forceinline__ __half2 __lows2half2(__half2 a, __half2 b) {
    return __half2(a.x, b.x);
}
__forceinline__ __half2 __highs2half2(__half2 a, __half2 b) {
    return __half2(a.y, b.y);
}
__forceinline__ __half2 __hisnan2(__half2 a) {
    return __half2(__half(__hisnan(a.x)), __half(__hisnan(a.y)));
}
#define HT_HALF2_SATURATED(name)                                                                   \
    __forceinline__ __half2 name##2_sat(__half2 a, __half2 b) {                                    \
        return __half2(name##_sat(a.x, b.x), name##_sat(a.y, b.y));                                \
    }
HT_HALF2_SATURATED(__hadd)
HT_HALF2_SATURATED(__hsub)
HT_HALF2_SATURATED(__hmul)
#undef HT_HALF2_SATURATED
__forceinline__ __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
/* 1 or 0 for each; with a b, whether both are. */
#define HT_HALF2_COMPARE(name)                                                                     \
    __forceinline__ __half2 __h##name##2(__half2 a, __half2 b) {                                   \
        return __half2(__half(__h##name(a.x, b.x)), __half(__h##name(a.y, b.y)));                  \
    }                                                                                              \
    __forceinline__ bool __hb##name##2(__half2 a, __half2 b) {                                     \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }
HT_HALF2_COMPARE(eq)
HT_HALF2_COMPARE(ne)
HT_HALF2_COMPARE(lt)
HT_HALF2_COMPARE(le)
HT_HALF2_COMPARE(gt)
HT_HALF2_COMPARE(ge)
HT_HALF2_COMPARE(equ)
HT_HALF2_COMPARE(neu)
HT_HALF2_COMPARE(ltu)
HT_HALF2_COMPARE(leu)
HT_HALF2_COMPARE(gtu)
HT_HALF2_COMPARE(geu)
#undef HT_HALF2_COMPARE

#endif
