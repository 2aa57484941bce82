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
__forceinline__ __half __int2half_rn(int x) {
    return __half(x);
}
__forceinline__ __half __uint2half_rn(unsigned x) {
    return __half(x);
}
__forceinline__ int __half2int_rn(__half x) {
    return (int)__builtin_rintf((float)x.value);
}
__forceinline__ int __half2int_rz(__half x) {
    return (int)x.value;
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
__forceinline__ __half hsqrt(__half a) {
    return __half(__builtin_sqrtf((float)a.value));
}
__forceinline__ __half hrsqrt(__half a) {
    return __half(rsqrtf((float)a.value));
}
__forceinline__ __half hexp(__half a) {
    return __half(expf((float)a.value));
}
__forceinline__ __half hlog(__half a) {
    return __half(logf((float)a.value));
}
__forceinline__ __half hrcp(__half a) {
    return __half(1.0f / (float)a.value);
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

#endif
