/* NVRTC: what HIP code expects of its compiler. Indices, barriers, fences, atomics, mathematics,
 * vector types, printf and assert are NVRTC's own. */
#ifndef HT_CORE_H
#define HT_CORE_H

#define __HIP__ 1
#define __HIPCC__ 1
#define __HIPCC_RTC__ 1
#define __HIP_PLATFORM_NVIDIA__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __HIP_ARCH_HAS_WARP_SHUFFLE__ 1

#define HT_LACKS_TRAITS
#define HT_OFFSETOF(type, member)                                                                  \
    ((size_t)&reinterpret_cast<char const volatile &>(((type *)0)->member))
#if __CUDACC_VER_MAJOR__ >= 12
#define HT_HUGE_VALF __builtin_bit_cast(float, 0x7f800000)
#define HT_HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000ll)
#define HT_NANF __builtin_bit_cast(float, 0x7fc00000)
#else
#define HT_HUGE_VALF __int_as_float(0x7f800000)
#define HT_HUGE_VAL __longlong_as_double(0x7ff0000000000000ll)
#define HT_NANF __int_as_float(0x7fc00000)
#endif

typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#endif
