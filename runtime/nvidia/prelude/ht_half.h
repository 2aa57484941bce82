/* _Float16, which NVRTC does not know and whose own header is not at hand: stored in 16 bits,
 * computed in float and rounded once. For + - * / that is the correctly rounded result, since float
 * has more than twice its digits. */
#ifndef HT_HALF_H
#define HT_HALF_H

struct _Float16 {
    unsigned short bits;
    _Float16() = default;
    template <class T> __device__ __forceinline__ _Float16(T value) {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"((float)value));
    }
    __device__ __forceinline__ _Float16(double value) {
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
    }
    __device__ __forceinline__ operator float() const {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
};

/* Of two halves exactly: a half beside another number is converted to float, as in C. */
template <class A, class B> struct ht_both_half {};
template <> struct ht_both_half<_Float16, _Float16> {
    typedef _Float16 type;
};
#define HT_HALF_OPERATOR(op)                                                                       \
    template <class A, class B>                                                                    \
    __device__ __forceinline__ typename ht_both_half<A, B>::type operator op(A a, B b) {           \
        return _Float16((float)a op(float) b);                                                     \
    }                                                                                              \
    template <class B> __device__ __forceinline__ _Float16 &operator op##=(_Float16 &a, B b) {     \
        return a = a op b;                                                                         \
    }
HT_HALF_OPERATOR(+)
HT_HALF_OPERATOR(-)
HT_HALF_OPERATOR(*)
HT_HALF_OPERATOR(/)
#undef HT_HALF_OPERATOR
__device__ __forceinline__ _Float16 operator-(_Float16 a) {
    a.bits ^= 0x8000;
    return a;
}

#endif
