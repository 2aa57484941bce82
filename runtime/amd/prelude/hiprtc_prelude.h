/* Put in front of every unit that hiprtc compiles: what <hip/hip_runtime.h> and the C and C++
 * headers give to device code under an ordinary HIP compiler, and hiprtc (5.2 to 7) does not. Each
 * piece is guarded, since later versions have more. */
#pragma once

/* Names of old HIP code. */
#ifndef hipThreadIdx_x
#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)
#endif
#ifndef HIP_DYNAMIC_SHARED
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#endif
#ifndef HIP_KERNEL_NAME
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#endif

/* <stdint.h>, <stddef.h>: the compiler's own types, as every hosted header defines them. 32 and 64
 * bits exist already. */
typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#ifndef INT8_MAX
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-INT32_MAX - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-INT64_MAX - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT64_MAX 18446744073709551615ull
#endif
#ifndef SIZE_MAX
#define SIZE_MAX __SIZE_MAX__
#endif
#ifndef NULL
#define NULL __null
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif

/* <limits.h> */
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-INT_MAX - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-LONG_MAX - 1l)
#define LONG_MAX __LONG_MAX__
#define ULONG_MAX (LONG_MAX * 2ul + 1ul)
#define LLONG_MIN (-LLONG_MAX - 1ll)
#define LLONG_MAX __LONG_LONG_MAX__
#define ULLONG_MAX (LLONG_MAX * 2ull + 1ull)
#endif

/* <float.h> */
#ifndef FLT_MAX
#define FLT_RADIX __FLT_RADIX__
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define FLT_MANT_DIG __FLT_MANT_DIG__
#define FLT_DIG __FLT_DIG__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define DBL_MANT_DIG __DBL_MANT_DIG__
#define DBL_DIG __DBL_DIG__
#endif

/* <math.h> */
#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif
#ifndef HUGE_VALF
#define HUGE_VALF (__builtin_huge_valf())
#define HUGE_VAL (__builtin_huge_val())
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

/* <assert.h> */
#ifndef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
#endif
#endif

/* What device code takes from namespace std. */
namespace std {
using ::int16_t;
using ::int8_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::uint16_t;
using ::uint8_t;
using ::uintptr_t;

/* <cmath>: hiprtc has the functions, overloads included, outside std. */
using ::abs;
using ::ceil;
using ::copysign;
using ::cos;
using ::erf;
using ::exp;
using ::exp2;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log10;
using ::log2;
using ::pow;
using ::round;
using ::sin;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;

/* <algorithm>, <utility> */
template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b) {
    return b < a ? b : a;
}
template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b) {
    return a < b ? b : a;
}
template <class T>
__host__ __device__ constexpr const T &clamp(const T &value, const T &low, const T &high) {
    return value < low ? low : high < value ? high : value;
}
template <class T> __host__ __device__ constexpr void swap(T &a, T &b) {
    T kept = a;
    a = b;
    b = kept;
}

/* <type_traits>, what hiprtc lacks of it */
template <bool condition, class A, class B> struct conditional {
    typedef A type;
};
template <class A, class B> struct conditional<false, A, B> {
    typedef B type;
};
template <bool condition, class A, class B>
using conditional_t = typename conditional<condition, A, B>::type;
template <class T> struct remove_reference {
    typedef T type;
};
template <class T> struct remove_reference<T &> {
    typedef T type;
};
template <class T> struct remove_reference<T &&> {
    typedef T type;
};
template <class T> using remove_reference_t = typename remove_reference<T>::type;

/* <limits> */
template <class T> struct numeric_limits {
    static constexpr bool is_specialized = false;
};
#define HT_INTEGER_LIMITS(type, low, high)                                                         \
    template <> struct numeric_limits<type> {                                                      \
        static constexpr bool is_specialized = true;                                               \
        static constexpr bool is_integer = true;                                                   \
        static __host__ __device__ constexpr type min() {                                          \
            return low;                                                                            \
        }                                                                                          \
        static __host__ __device__ constexpr type lowest() {                                       \
            return low;                                                                            \
        }                                                                                          \
        static __host__ __device__ constexpr type max() {                                          \
            return high;                                                                           \
        }                                                                                          \
    };
HT_INTEGER_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX)
HT_INTEGER_LIMITS(unsigned char, 0, UCHAR_MAX)
HT_INTEGER_LIMITS(short, SHRT_MIN, SHRT_MAX)
HT_INTEGER_LIMITS(unsigned short, 0, USHRT_MAX)
HT_INTEGER_LIMITS(int, INT_MIN, INT_MAX)
HT_INTEGER_LIMITS(unsigned, 0, UINT_MAX)
HT_INTEGER_LIMITS(long, LONG_MIN, LONG_MAX)
HT_INTEGER_LIMITS(unsigned long, 0, ULONG_MAX)
HT_INTEGER_LIMITS(long long, LLONG_MIN, LLONG_MAX)
HT_INTEGER_LIMITS(unsigned long long, 0, ULLONG_MAX)
#undef HT_INTEGER_LIMITS
#define HT_REAL_LIMITS(type, prefix, huge)                                                         \
    template <> struct numeric_limits<type> {                                                      \
        static constexpr bool is_specialized = true;                                               \
        static constexpr bool is_integer = false;                                                  \
        static __host__ __device__ constexpr type min() {                                          \
            return prefix##_MIN;                                                                   \
        }                                                                                          \
        static __host__ __device__ constexpr type lowest() {                                       \
            return -prefix##_MAX;                                                                  \
        }                                                                                          \
        static __host__ __device__ constexpr type max() {                                          \
            return prefix##_MAX;                                                                   \
        }                                                                                          \
        static __host__ __device__ constexpr type epsilon() {                                      \
            return prefix##_EPSILON;                                                               \
        }                                                                                          \
        static __host__ __device__ constexpr type infinity() {                                     \
            return huge;                                                                           \
        }                                                                                          \
    };
HT_REAL_LIMITS(float, FLT, __builtin_huge_valf())
HT_REAL_LIMITS(double, DBL, __builtin_huge_val())
#undef HT_REAL_LIMITS
} // namespace std
