/* AMD's device library of mathematics on the C library's. */
#ifndef HT_OCML_H
#define HT_OCML_H

#define HT_OCML_1(name, f32, f64)                                                                  \
    HT_EMULATED float __ocml_##name##_f32(float x) {                                               \
        return f32;                                                                                \
    }                                                                                              \
    HT_EMULATED double __ocml_##name##_f64(double x) {                                             \
        return f64;                                                                                \
    }
#define HT_OCML_2(name, f32, f64)                                                                  \
    HT_EMULATED float __ocml_##name##_f32(float x, float y) {                                      \
        return f32;                                                                                \
    }                                                                                              \
    HT_EMULATED double __ocml_##name##_f64(double x, double y) {                                   \
        return f64;                                                                                \
    }
#define HT_LIBM_1(name) HT_OCML_1(name, __builtin_##name##f(x), __builtin_##name(x))
#define HT_LIBM_2(name) HT_OCML_2(name, __builtin_##name##f(x, y), __builtin_##name(x, y))

/* What clang has no builtin for. */
extern "C" {
HT_DEVICE_SIDE float j0f(float);
HT_DEVICE_SIDE double j0(double);
HT_DEVICE_SIDE float j1f(float);
HT_DEVICE_SIDE double j1(double);
HT_DEVICE_SIDE float y0f(float);
HT_DEVICE_SIDE double y0(double);
HT_DEVICE_SIDE float y1f(float);
HT_DEVICE_SIDE double y1(double);
HT_DEVICE_SIDE double ht_device_erfinv(double);
HT_DEVICE_SIDE double ht_device_bessel_i(int, double);
}

HT_LIBM_1(acos)
HT_LIBM_1(acosh)
HT_LIBM_1(asin)
HT_LIBM_1(asinh)
HT_LIBM_1(atan)
HT_LIBM_1(atanh)
HT_LIBM_1(cbrt)
HT_LIBM_1(ceil)
HT_LIBM_1(cos)
HT_LIBM_1(cosh)
HT_LIBM_1(erf)
HT_LIBM_1(erfc)
HT_LIBM_1(exp)
HT_LIBM_1(exp2)
HT_LIBM_1(expm1)
HT_LIBM_1(fabs)
HT_LIBM_1(floor)
HT_LIBM_1(lgamma)
HT_LIBM_1(log)
HT_LIBM_1(log10)
HT_LIBM_1(log1p)
HT_LIBM_1(log2)
HT_LIBM_1(logb)
HT_LIBM_1(nearbyint)
HT_LIBM_1(rint)
HT_LIBM_1(round)
HT_LIBM_1(sin)
HT_LIBM_1(sinh)
HT_LIBM_1(sqrt)
HT_LIBM_1(tan)
HT_LIBM_1(tanh)
HT_LIBM_1(tgamma)
HT_LIBM_1(trunc)
HT_LIBM_2(atan2)
HT_LIBM_2(copysign)
HT_LIBM_2(fdim)
HT_LIBM_2(fmax)
HT_LIBM_2(fmin)
HT_LIBM_2(fmod)
HT_LIBM_2(hypot)
HT_LIBM_2(nextafter)
HT_LIBM_2(pow)
HT_LIBM_2(remainder)
#define HT_PI 3.14159265358979323846
HT_OCML_1(cospi, __builtin_cosf(x *(float)HT_PI), __builtin_cos(x *HT_PI))
HT_OCML_1(sinpi, __builtin_sinf(x *(float)HT_PI), __builtin_sin(x *HT_PI))
HT_OCML_1(exp10, __builtin_exp2f(x * 3.32192809488736234787f), __builtin_pow(10.0, x))
HT_OCML_1(rsqrt, 1.0f / __builtin_sqrtf(x), 1.0 / __builtin_sqrt(x))
HT_OCML_1(rcbrt, 1.0f / __builtin_cbrtf(x), 1.0 / __builtin_cbrt(x))
HT_OCML_1(erfcx, __builtin_expf(x *x) * __builtin_erfcf(x), __builtin_exp(x *x) * __builtin_erfc(x))
#define HT_ROOT_2 1.41421356237309504880
HT_OCML_1(ncdf, 0.5f * __builtin_erfcf(x * -0.70710678118654752440f),
          0.5 * __builtin_erfc(x * -0.70710678118654752440))
HT_OCML_1(erfinv, (float)ht_device_erfinv(x), ht_device_erfinv(x))
HT_OCML_1(erfcinv, (float)ht_device_erfinv(1.0 - x), ht_device_erfinv(1.0 - x))
HT_OCML_1(ncdfinv, (float)(HT_ROOT_2 * ht_device_erfinv(2.0 * x - 1.0)),
          HT_ROOT_2 *ht_device_erfinv(2.0 * x - 1.0))
HT_OCML_1(i0, (float)ht_device_bessel_i(0, x), ht_device_bessel_i(0, x))
HT_OCML_1(i1, (float)ht_device_bessel_i(1, x), ht_device_bessel_i(1, x))
HT_OCML_1(j0, j0f(x), j0(x))
HT_OCML_1(j1, j1f(x), j1(x))
HT_OCML_1(y0, y0f(x), y0(x))
HT_OCML_1(y1, y1f(x), y1(x))
HT_OCML_2(rhypot, 1.0f / __builtin_hypotf(x, y), 1.0 / __builtin_hypot(x, y))
HT_OCML_2(scalb, x *__builtin_exp2f(y), x *__builtin_exp2(y))

#define HT_OCML_TYPE(T, suffix, f)                                                                 \
    HT_EMULATED T __ocml_fma_##suffix(T x, T y, T z) {                                             \
        return __builtin_fma##f(x, y, z);                                                          \
    }                                                                                              \
    HT_EMULATED T __ocml_ldexp_##suffix(T x, int e) {                                              \
        return __builtin_ldexp##f(x, e);                                                           \
    }                                                                                              \
    HT_EMULATED T __ocml_scalbn_##suffix(T x, int e) {                                             \
        return __builtin_ldexp##f(x, e);                                                           \
    }                                                                                              \
    HT_EMULATED T __ocml_pown_##suffix(T x, int e) {                                               \
        return __builtin_pow##f(x, (T)e);                                                          \
    }                                                                                              \
    HT_EMULATED int __ocml_ilogb_##suffix(T x) {                                                   \
        return __builtin_ilogb##f(x);                                                              \
    }                                                                                              \
    HT_EMULATED int __ocml_isfinite_##suffix(T x) {                                                \
        return __builtin_isfinite(x);                                                              \
    }                                                                                              \
    HT_EMULATED int __ocml_isinf_##suffix(T x) {                                                   \
        return __builtin_isinf(x);                                                                 \
    }                                                                                              \
    HT_EMULATED int __ocml_isnan_##suffix(T x) {                                                   \
        return __builtin_isnan(x);                                                                 \
    }                                                                                              \
    HT_EMULATED int __ocml_signbit_##suffix(T x) {                                                 \
        return __builtin_signbit##f(x);                                                            \
    }                                                                                              \
    HT_EMULATED T __ocml_len3_##suffix(T x, T y, T z) {                                            \
        return __builtin_sqrt##f(x *x + y * y + z * z);                                            \
    }                                                                                              \
    HT_EMULATED T __ocml_len4_##suffix(T x, T y, T z, T w) {                                       \
        return __builtin_sqrt##f(x *x + y * y + z * z + w * w);                                    \
    }                                                                                              \
    HT_EMULATED T __ocml_rlen3_##suffix(T x, T y, T z) {                                           \
        return 1 / __builtin_sqrt##f(x *x + y * y + z * z);                                        \
    }                                                                                              \
    HT_EMULATED T __ocml_rlen4_##suffix(T x, T y, T z, T w) {                                      \
        return 1 / __builtin_sqrt##f(x *x + y * y + z * z + w * w);                                \
    }                                                                                              \
    HT_EMULATED T __ocml_sincos_##suffix(T x, __attribute__((address_space(5))) T *cosine) {       \
        *cosine = __builtin_cos##f(x);                                                             \
        return __builtin_sin##f(x);                                                                \
    }                                                                                              \
    HT_EMULATED T __ocml_sincospi_##suffix(T x, __attribute__((address_space(5))) T *cosine) {     \
        *cosine = __builtin_cos##f(x *(T)HT_PI);                                                   \
        return __builtin_sin##f(x *(T)HT_PI);                                                      \
    }                                                                                              \
    HT_EMULATED T __ocml_modf_##suffix(T x, __attribute__((address_space(5))) T *whole) {          \
        T part, result = __builtin_modf##f(x, &part);                                              \
        *whole = part;                                                                             \
        return result;                                                                             \
    }                                                                                              \
    HT_EMULATED T __ocml_frexp_##suffix(T x, __attribute__((address_space(5))) int *exponent) {    \
        int e;                                                                                     \
        T result = __builtin_frexp##f(x, &e);                                                      \
        *exponent = e;                                                                             \
        return result;                                                                             \
    }                                                                                              \
    HT_EMULATED T __ocml_remquo_##suffix(T x, T y, __attribute__((address_space(5))) int *out) {   \
        int quotient;                                                                              \
        T result = __builtin_remquo##f(x, y, &quotient);                                           \
        *out = quotient;                                                                           \
        return result;                                                                             \
    }                                                                                              \
    HT_OCML_ROUNDED(T, suffix, f, rte)                                                             \
    HT_OCML_ROUNDED(T, suffix, f, rtn)                                                             \
    HT_OCML_ROUNDED(T, suffix, f, rtp)                                                             \
    HT_OCML_ROUNDED(T, suffix, f, rtz)
/* All to nearest, the rounding that kernels run with here; never contracted. */
#define HT_OCML_ROUNDED(T, suffix, f, mode)                                                        \
    HT_EMULATED T __ocml_add_##mode##_##suffix(T x, T y) {                                         \
        _Pragma("clang fp contract(off)") return x + y;                                            \
    }                                                                                              \
    HT_EMULATED T __ocml_sub_##mode##_##suffix(T x, T y) {                                         \
        _Pragma("clang fp contract(off)") return x - y;                                            \
    }                                                                                              \
    HT_EMULATED T __ocml_mul_##mode##_##suffix(T x, T y) {                                         \
        _Pragma("clang fp contract(off)") return x *y;                                             \
    }                                                                                              \
    HT_EMULATED T __ocml_div_##mode##_##suffix(T x, T y) {                                         \
        return x / y;                                                                              \
    }                                                                                              \
    HT_EMULATED T __ocml_sqrt_##mode##_##suffix(T x) {                                             \
        return __builtin_sqrt##f(x);                                                               \
    }                                                                                              \
    HT_EMULATED T __ocml_fma_##mode##_##suffix(T x, T y, T z) {                                    \
        return __builtin_fma##f(x, y, z);                                                          \
    }
HT_OCML_TYPE(float, f32, f)
HT_OCML_TYPE(double, f64, )
#undef HT_OCML_TYPE
#undef HT_OCML_ROUNDED

#define HT_OCML_NATIVE(name)                                                                       \
    HT_EMULATED float __ocml_native_##name##_f32(float x) {                                        \
        return __ocml_##name##_f32(x);                                                             \
    }
HT_OCML_NATIVE(cos)
HT_OCML_NATIVE(sin)
HT_OCML_NATIVE(exp)
HT_OCML_NATIVE(exp10)
HT_OCML_NATIVE(log)
HT_OCML_NATIVE(log2)
HT_OCML_NATIVE(log10)
HT_OCML_NATIVE(sqrt)
#undef HT_OCML_NATIVE

/* Half precision is computed in float and rounded once. */
#define HT_OCML_HALF(name)                                                                         \
    HT_EMULATED _Float16 __ocml_##name##_f16(_Float16 x) {                                         \
        return (_Float16)__ocml_##name##_f32((float)x);                                            \
    }                                                                                              \
    HT_EMULATED __2f16 __ocml_##name##_2f16(__2f16 x) {                                            \
        return __2f16{__ocml_##name##_f16(x[0]), __ocml_##name##_f16(x[1])};                       \
    }
HT_OCML_HALF(ceil)
HT_OCML_HALF(cos)
HT_OCML_HALF(exp)
HT_OCML_HALF(exp10)
HT_OCML_HALF(exp2)
HT_OCML_HALF(fabs)
HT_OCML_HALF(floor)
HT_OCML_HALF(log)
HT_OCML_HALF(log10)
HT_OCML_HALF(log2)
HT_OCML_HALF(rint)
HT_OCML_HALF(rsqrt)
HT_OCML_HALF(sin)
HT_OCML_HALF(sqrt)
HT_OCML_HALF(trunc)
#undef HT_OCML_HALF
HT_EMULATED _Float16 __ocml_fma_f16(_Float16 x, _Float16 y, _Float16 z) {
    return (_Float16)((double)x * (double)y + (double)z);
}
HT_EMULATED __2f16 __ocml_fma_2f16(__2f16 x, __2f16 y, __2f16 z) {
    return __2f16{__ocml_fma_f16(x[0], y[0], z[0]), __ocml_fma_f16(x[1], y[1], z[1])};
}
HT_EMULATED _Float16 __ocml_fmax_f16(_Float16 x, _Float16 y) {
    return (_Float16)__builtin_fmaxf((float)x, (float)y);
}
HT_EMULATED _Float16 __ocml_fmin_f16(_Float16 x, _Float16 y) {
    return (_Float16)__builtin_fminf((float)x, (float)y);
}
HT_EMULATED _Float16 __ocml_pown_f16(_Float16 x, int e) {
    return (_Float16)__builtin_powf((float)x, (float)e);
}
HT_EMULATED int __ocml_isinf_f16(_Float16 x) {
    return __builtin_isinf((float)x);
}
HT_EMULATED int __ocml_isnan_f16(_Float16 x) {
    return __builtin_isnan((float)x);
}
HT_EMULATED __2i16 __ocml_isinf_2f16(__2f16 x) {
    return __2i16{(short)-__ocml_isinf_f16(x[0]), (short)-__ocml_isinf_f16(x[1])};
}
HT_EMULATED __2i16 __ocml_isnan_2f16(__2f16 x) {
    return __2i16{(short)-__ocml_isnan_f16(x[0]), (short)-__ocml_isnan_f16(x[1])};
}
HT_EMULATED _Float16 __ocml_cvtrtn_f16_f32(float x) {
    return (_Float16)x;
}
HT_EMULATED _Float16 __ocml_cvtrtp_f16_f32(float x) {
    return (_Float16)x;
}
HT_EMULATED _Float16 __ocml_cvtrtz_f16_f32(float x) {
    return (_Float16)x;
}
#undef HT_OCML_1
#undef HT_OCML_2
#undef HT_LIBM_1
#undef HT_LIBM_2

#endif
