/* What <stdint.h>, <stddef.h>, <limits.h>, <float.h> and <math.h> name, for runtime compilers that
 * read no such headers: 64-bit Linux and IEEE arithmetic, which every provider here has. */
#ifndef HT_TYPES_H
#define HT_TYPES_H

/* <stdint.h>, <stddef.h>; ht_core.h defines the types of 32 and 64 bits where the compiler does
 * not. */
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long ptrdiff_t;
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
#define SIZE_MAX 18446744073709551615ul
#endif
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) HT_OFFSETOF(type, member)
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
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX (LONG_MAX * 2ul + 1ul)
#define LLONG_MIN (-LLONG_MAX - 1ll)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX (LLONG_MAX * 2ull + 1ull)
#endif

/* <float.h> */
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MAX 3.40282346638528859812e+38f
#define FLT_MIN 1.17549435082228750797e-38f
#define FLT_EPSILON 1.1920928955078125e-7f
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define DBL_MAX 1.79769313486231570815e+308
#define DBL_MIN 2.22507385850720138309e-308
#define DBL_EPSILON 2.22044604925031308085e-16
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#endif

/* <math.h> */
#ifndef INFINITY
#define INFINITY HT_HUGE_VALF
#endif
#ifndef NAN
#define NAN HT_NANF
#endif
#ifndef HUGE_VALF
#define HUGE_VALF HT_HUGE_VALF
#define HUGE_VAL HT_HUGE_VAL
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

#endif
