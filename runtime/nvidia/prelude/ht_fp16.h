/* <hip/hip_fp16.h> and <cuda_fp16.h>: __half is _Float16. Its pairs (__half2) are not supplied. */
#ifndef HT_FP16_H
#define HT_FP16_H

typedef _Float16 __half, half;

__device__ __forceinline__ __half __float2half(float value) {
    return value;
}
__device__ __forceinline__ __half __float2half_rn(float value) {
    return value;
}
__device__ __forceinline__ __half __double2half(double value) {
    return value;
}
__device__ __forceinline__ __half __int2half_rn(int value) {
    return value;
}
__device__ __forceinline__ float __half2float(__half value) {
    return value;
}
__device__ __forceinline__ unsigned short __half_as_ushort(__half value) {
    return value.bits;
}
__device__ __forceinline__ __half __ushort_as_half(unsigned short bits) {
    __half value;
    value.bits = bits;
    return value;
}
__device__ __forceinline__ __half __hadd(__half a, __half b) {
    return a + b;
}
__device__ __forceinline__ __half __hsub(__half a, __half b) {
    return a - b;
}
__device__ __forceinline__ __half __hmul(__half a, __half b) {
    return a * b;
}
__device__ __forceinline__ __half __hdiv(__half a, __half b) {
    return a / b;
}
__device__ __forceinline__ __half __hneg(__half a) {
    return -a;
}
/* One rounding: not in float. */
__device__ __forceinline__ __half __hfma(__half a, __half b, __half c) {
    unsigned short result;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(result) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return __ushort_as_half(result);
}

#endif
