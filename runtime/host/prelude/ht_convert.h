/* HIP's conversions between numbers, by the rounding in their names: _rn to nearest, _rz to zero, _ru
 * up, _rd down. To float and double they round to nearest whatever the name, as HIP's own do. */
#ifndef HT_CONVERT_H
#define HT_CONVERT_H

#include "ht_core.h"

#define HT_BITS(name, To, From)                                                                    \
    __forceinline__ To name(From x) {                                                              \
        return ht_bits<To>(x);                                                                     \
    }
HT_BITS(__float_as_int, int, float)
HT_BITS(__float_as_uint, unsigned, float)
HT_BITS(__int_as_float, float, int)
HT_BITS(__uint_as_float, float, unsigned)
HT_BITS(__double_as_longlong, long long, double)
HT_BITS(__longlong_as_double, double, long long)
#undef HT_BITS

__forceinline__ int __double2hiint(double x) {
    return (int)(ht_bits<unsigned long long>(x) >> 32);
}
__forceinline__ int __double2loint(double x) {
    return (int)ht_bits<unsigned long long>(x);
}
__forceinline__ double __hiloint2double(int high, int low) {
    return ht_bits<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

#define HT_CONVERT(name, To, From, result)                                                         \
    __forceinline__ To name(From x) {                                                              \
        return (To)(result);                                                                       \
    }
#define HT_ROUND(name, To, From, suffix)                                                           \
    HT_CONVERT(name##_rn, To, From, __builtin_rint##suffix(x))                                     \
    HT_CONVERT(name##_rz, To, From, x)                                                             \
    HT_CONVERT(name##_ru, To, From, __builtin_ceil##suffix(x))                                     \
    HT_CONVERT(name##_rd, To, From, __builtin_floor##suffix(x))
HT_ROUND(__float2int, int, float, f)
HT_ROUND(__float2uint, unsigned, float, f)
HT_ROUND(__float2ll, long long, float, f)
HT_ROUND(__float2ull, unsigned long long, float, f)
HT_ROUND(__double2int, int, double, )
HT_ROUND(__double2uint, unsigned, double, )
HT_ROUND(__double2ll, long long, double, )
HT_ROUND(__double2ull, unsigned long long, double, )
#undef HT_ROUND
#define HT_NEAREST(name, To, From)                                                                 \
    HT_CONVERT(name##_rn, To, From, x)                                                             \
    HT_CONVERT(name##_rz, To, From, x)                                                             \
    HT_CONVERT(name##_ru, To, From, x)                                                             \
    HT_CONVERT(name##_rd, To, From, x)
HT_NEAREST(__double2float, float, double)
HT_NEAREST(__int2float, float, int)
HT_NEAREST(__uint2float, float, unsigned)
HT_NEAREST(__ll2float, float, long long)
HT_NEAREST(__ull2float, float, unsigned long long)
HT_NEAREST(__ll2double, double, long long)
HT_NEAREST(__ull2double, double, unsigned long long)
#undef HT_NEAREST
HT_CONVERT(__int2double_rn, double, int, x)
HT_CONVERT(__uint2double_rn, double, unsigned, x)
#undef HT_CONVERT

#endif
