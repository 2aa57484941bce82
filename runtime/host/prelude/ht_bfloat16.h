/* __hip_bfloat16: the upper half of a float, rounded to nearest even. */
#ifndef HT_BFLOAT16_H
#define HT_BFLOAT16_H

/* Units include this behind their own macros: no identifier here may be one that people define. */
#include "ht_math.h"

struct __hip_bfloat16 {
    unsigned short data;
    __hip_bfloat16() = default;
    template <class ht_T, class = typename ht_if<ht_number<ht_T>>::type>
    __hip_bfloat16(ht_T x) : data(round((float)x)) {}
    operator float() const {
        return ht_bits<float>((unsigned)data << 16);
    }
    static unsigned short round(float x) {
        unsigned bits = ht_bits<unsigned>(x);
        if (x != x)
            return (unsigned short)(bits >> 16 | 0x40);
        return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
};
typedef __hip_bfloat16 hip_bfloat16;
__forceinline__ __hip_bfloat16 __float2bfloat16(float x) {
    return __hip_bfloat16(x);
}
__forceinline__ float __bfloat162float(__hip_bfloat16 x) {
    return (float)x;
}
#define HT_BFLOAT_OPERATOR(op)                                                                     \
    __forceinline__ __hip_bfloat16 operator op(__hip_bfloat16 a, __hip_bfloat16 b) {               \
        return __hip_bfloat16((float)a op(float) b);                                               \
    }                                                                                              \
    __forceinline__ __hip_bfloat16 &operator op##=(__hip_bfloat16 & a, __hip_bfloat16 b) {         \
        return a = a op b;                                                                         \
    }
HT_BFLOAT_OPERATOR(+)
HT_BFLOAT_OPERATOR(-)
HT_BFLOAT_OPERATOR(*)
HT_BFLOAT_OPERATOR(/)
#undef HT_BFLOAT_OPERATOR

#endif
