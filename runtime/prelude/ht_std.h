/* What device code takes from namespace std, for runtime compilers. */
#ifndef HT_STD_H
#define HT_STD_H

namespace std {
using ::int16_t;
using ::int8_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::uint16_t;
using ::uint8_t;
using ::uintptr_t;

/* <cmath>: runtime compilers have the functions, overloads included, outside std. */
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

/* <type_traits>: hiprtc has these, and lacks the ones below. */
#ifdef HT_LACKS_TRAITS
template <class T, T constant> struct integral_constant {
    static constexpr T value = constant;
    typedef T value_type;
    constexpr operator T() const {
        return constant;
    }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <bool condition, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> {
    typedef T type;
};
template <bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;
#endif
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
HT_REAL_LIMITS(float, FLT, HT_HUGE_VALF)
HT_REAL_LIMITS(double, DBL, HT_HUGE_VAL)
#undef HT_REAL_LIMITS
} // namespace std

#endif
